import Daemon
import Logging

/// Standard error, as a command uses it to talk to a person.
enum StandardError {
    /// Prints a line, or several: whatever it quotes from elsewhere cannot command the terminal.
    static func print(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { TerminalText.visible(String($0)) }.joined(separator: "\n") + "\n")
    }

    /// If nobody can read it, there is nobody left to say that to.
    static func write(_ text: String) { write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) { try? Terminal.error.write(bytes) }
}

extension LogOutput {
    /// The log on standard error.
    convenience init(level: Logger.Level?, form: LogFormat) {
        self.init(level: level, form: form) { StandardError.write($0) }
    }
}
