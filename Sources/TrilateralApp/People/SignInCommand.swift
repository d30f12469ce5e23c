import ArgumentParser
import JSON

/// `trilateral sign-in`: a link for the browser, for whoever may open the daemon's own socket.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Print a link that signs in a browser, once, within 10 minutes.",
        discussion: """
            Without a name it is for the owner, who may open /admin with it. Only the daemon's user and root can make \
            such links, and only while the daemon runs.
            """
    )

    @Argument(help: "The user to be signed in; without it the owner.")
    var user: String?

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        try await people.add("sign-in-links", ["user": user], printing: "url", needsDaemon: true) {
            answer,
            _ in
            let user = ListOption.text(answer["user"] ?? .null)
            return "Open this link within 10 minutes to sign in as \(user). It works once."
        }
    }
}
