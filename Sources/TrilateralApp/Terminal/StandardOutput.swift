import Daemon
import Glibc
import OperatingSystem

/// Standard output: the one writer of everything that a verb prints there.
///
/// A verb whose output did not arrive has failed, so it ends by the error, with 74 and a message. If the reader of a
/// pipe has stopped reading, it ends without a message, as by SIGPIPE.
enum StandardOutput {
    /// Prints a line, or several.
    static func print(_ text: String) throws(OutputError) { try write(text + "\n") }

    static func print(lines: [String]) throws(OutputError) {
        try write(lines.map { $0 + "\n" }.joined())
    }

    static func print(_ table: TextTable) throws(OutputError) { try print(lines: table.lines) }

    /// Writes text, of which nothing can command the terminal.
    static func write(_ text: String) throws(OutputError) { try draw(TerminalText.output(text)) }

    /// Writes what is meant to command the terminal.
    static func draw(_ text: String) throws(OutputError) { try Terminal.output.write(Array(text.utf8)) }

    /// Asks once more whether everything arrived: some file systems only say so when a file is closed.
    static func finish() throws(OutputError) {
        let copy = dup(Terminal.output.descriptor)
        guard copy >= 0 else { return }
        guard close(copy) == 0 || errno == EINTR else { throw OutputError(code: errno) }
    }
}

/// Why what was written did not arrive.
struct OutputError: Error, CustomStringConvertible {
    /// The exit code of a verb whose reader has stopped reading: what a shell reports of a program that SIGPIPE ended.
    static let endOfReader = 128 + SIGPIPE

    /// The system's error number.
    let code: Int32

    /// Whether the other end of a pipe is closed.
    var isReaderGone: Bool { code == EPIPE }

    var description: String { "standard output cannot be written: \(systemMessage(code))" }
}

/// Swift's own printing ignores that a disk is full.
@available(
    *,
    unavailable,
    message: "use StandardOutput or StandardError, which report what cannot be written"
)
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}
