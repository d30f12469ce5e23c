package import Logging
import OperatingSystem

/// Whether what this process prints goes to systemd's journal, which then wants the priority of each line.
package enum JournalStream {
    /// - Parameter environment: A program below the service inherits the variable, also when its output goes elsewhere, so
    ///   the descriptor must be the named one.
    /// - Source: systemd.exec(5), `$JOURNAL_STREAM`.
    package static func isBehind(_ descriptor: Int32 = 2, _ environment: [String: String]) -> Bool {
        guard let file = FileStatus(descriptor: descriptor)?.identity else { return false }
        return environment["JOURNAL_STREAM"] == "\(file.device):\(file.inode)"
    }

    /// The text with the priority before each line.
    package static func text(_ text: String, _ level: Logger.Level) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "\(LogFormat.journalPrefix(level))\($0)" }.joined(separator: "\n")
    }
}
