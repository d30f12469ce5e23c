import ArgumentParser
import JSON
import People
import Settings
import Text

/// Who sends a command: `--as USER --token-file FILE`.
struct CallerOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Whose token it must be; only with --token-file.", valueName: "user")
    )
    var user: String?

    @Option(
        file:
            "A file that contains only a token: the command is its user's. Without it, it is people.mqtt_user's."
    )
    var tokenFile: String?

    func validate() throws {
        guard let user else { return }
        guard AccountName.isLegal(user) else {
            throw ValidationError("--as must be a user's name: \(AccountName.rule).")
        }
        guard tokenFile != nil else {
            throw ValidationError("--as needs --token-file: a name alone proves nothing.")
        }
    }

    /// The reserved members of a command; empty without a token.
    func members() throws(VerbError) -> JSONObject {
        guard let tokenFile else { return [:] }
        let token = try Secret.taken(from: Secret.load(tokenFile), of: tokenFile)
        var members: JSONObject = ["token": .string(token.reveal())]
        members["as"] = user.map { .string($0) }
        return members
    }
}
