import Daemon
import Logging

/// Standard error, as a command uses it to talk to a person.
enum StandardError {
    /// Prints a line, or several: whatever it quotes from elsewhere cannot command the terminal.
    static func print(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { TerminalText.visible(String($0)) }.joined(separator: "\n") + "\n")
    }

    static func write(_ text: String) { Terminal.error.write(text) }
}

extension LogOutput {
    /// The log on standard error.
    convenience init(level: Logger.Level?, form: LogFormat) {
        self.init(level: level, form: form) { Terminal.error.write($0) }
    }
}
