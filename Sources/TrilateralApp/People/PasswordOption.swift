import ArgumentParser
import Settings
import Text

/// A password from a file, or asked for on the terminal; never an argument, which others can see.
struct PasswordOption: ParsableArguments {
    @Option(file: "A file with the password and nothing else.")
    var passwordFile: String?

    /// The password of the file; `nil` without a file.
    ///
    /// - Throws: ``VerbError``.
    func fromFile() throws(VerbError) -> String? {
        guard let file = passwordFile else { return nil }
        guard let password = try Secret.stationPassword(in: file) else {
            throw VerbError("\(file) is empty", .dataError)
        }
        return password.reveal()
    }

    /// The password of the file, or one that is typed twice.
    ///
    /// - Throws: ``VerbError`` if there is neither a file nor a terminal.
    func required() async throws -> String {
        if let password = try fromFile() { return password }
        guard StandardInput.canAsk else {
            throw VerbError("a password is needed: give --password-file, or run this on a terminal", .usage)
        }
        let first = try await Self.ask("New password: ")
        guard try await Self.ask("Again: ") == first else {
            throw VerbError("the two are not equal", .dataError)
        }
        return first
    }

    private static func ask(_ prompt: String) async throws -> String {
        guard let line = try await StandardInput.ask(prompt, isHidden: true), !line.isEmpty else {
            throw VerbError("no password was given", .usage)
        }
        return line
    }
}
