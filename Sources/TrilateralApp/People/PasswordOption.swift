import ArgumentParser
import Foundation
import Settings

/// A password from a file, or asked for on the terminal; never an argument, which others can see.
struct PasswordOption: ParsableArguments {
    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp("A file with the password and nothing else.", valueName: "file")
    )
    var file: String?

    /// The password of the file; `nil` without a file.
    ///
    /// - Throws: ``VerbError``.
    func fromFile(by verbs: String) throws(VerbError) -> String? {
        guard let file else { return nil }
        guard let password = try Secret.stationPassword(in: file, by: verbs) else {
            throw VerbError("\(file) is empty", .dataError)
        }
        return password.reveal()
    }

    /// The password of the file, or one that is typed twice.
    ///
    /// - Throws: ``VerbError`` if there is neither a file nor a terminal.
    func required(by verbs: String) throws(VerbError) -> String {
        if let password = try fromFile(by: verbs) { return password }
        guard isatty(0) == 1 else {
            throw VerbError("a password is needed: give --password-file, or run this on a terminal", .usage)
        }
        let first = try Self.ask("New password: ")
        guard try Self.ask("Again: ") == first else { throw VerbError("the two are not equal", .dataError) }
        return first
    }

    private static func ask(_ prompt: String) throws(VerbError) -> String {
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { throw VerbError("the terminal cannot be used", .usage) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            StandardError.write("\n")
        }
        StandardError.write(prompt)
        guard let line = readLine(strippingNewline: true) else {
            throw VerbError("no password was given", .usage)
        }
        return line
    }
}
