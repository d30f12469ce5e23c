import Daemon
import Foundation
import Logging
import Settings
import Text
import Threading

/// Standard error, as a command uses it to talk to a person.
enum StandardError {
    /// Prints a line, or several: whatever it quotes from elsewhere cannot command the terminal, and a token in it is masked.
    ///
    /// - Parameter level: The priority in the journal, if it goes there.
    static func print(_ text: String, as level: Logger.Level = .error) {
        let lines = SecretMask.tokens.masked(text).split(separator: "\n", omittingEmptySubsequences: false)
        let visible = lines.map { TerminalText.visible(String($0)) }.joined(separator: "\n")
        let isForJournal = JournalStream.isBehind(2, ProcessInfo.processInfo.environment)
        write((isForJournal ? JournalStream.text(visible, level) : visible) + "\n")
    }

    /// The words of the command line that name the verb that runs, as in "station add"; empty for the program.
    static var verb: String {
        get { currentVerb.withLock { $0 } }
        set { currentVerb.withLock { $0 = newValue } }
    }

    private static let currentVerb = Locked("")

    /// Prints a message of the verb that runs.
    static func report(_ text: String, as level: Logger.Level = .error) {
        print("trilateral\(verb.isEmpty ? "" : " \(verb)"): \(text)", as: level)
    }

    /// Says what a verb has done to a person at a terminal; scripts get only what is on standard output.
    static func tellPerson(_ sentence: @autoclosure () -> String) {
        if isatty(Terminal.error.descriptor) == 1 { print(sentence(), as: .notice) }
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

    /// The log of a verb that is no daemon: warnings, in the configured format.
    convenience init(
        ofVerb settings: TrilateralConfiguration.Log,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.init(level: .warning, form: LogFormat(settings.format, environment: environment))
    }
}

extension Logger {
    /// For what a verb says in its own words.
    static var silent: Logger { Logger(label: "trilateral") { _ in SwiftLogNoOpLogHandler() } }
}
