import Foundation
import OperatingSystem
import Threading

/// The terminal behind a file descriptor.
struct Terminal {
    let descriptor: Int32

    static let output = Terminal(descriptor: 1)
    static let error = Terminal(descriptor: 2)

    /// Opens input, output and error where they are closed, in a way in which nothing can be read or written.
    ///
    /// Else the next file that is opened, such as a database, would get their number and what is printed.
    static func reserveStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, and a folder that is always there.
            _ = open("/", O_RDONLY | O_DIRECTORY)
        }
    }

    /// Whether there is a terminal that understands cursor movements.
    func isCapable(environment: [String: String]) -> Bool {
        isatty(descriptor) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// The columns of a terminal; `nil` for a file or a pipe.
    var columns: Int? { isatty(descriptor) == 1 ? size.columns : nil }

    /// Columns and rows; 80 and 24 when the terminal does not tell.
    var size: (columns: Int, rows: Int) {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// Waits until nobody reads any more: the other end of a pipe is closed, or the terminal gone.
    ///
    /// A file never ends so. Nothing but waiting for it tells, when nothing is written: a thread of its own does.
    ///
    /// - Returns: False when the task was cancelled, or no descriptor was left to wait with.
    func readerLeaves() async -> Bool {
        guard let stop = try? EventFD() else { return false }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [descriptor] in
                    let found = Terminal(descriptor: descriptor).wait(for: 0, beside: stop)
                    continuation.resume(returning: found.terminal != 0)
                }
            }
        } onCancel: {
            stop.signal()
        }
    }

    /// Waits for events, or for the signal to stop.
    ///
    /// - Returns: What has come of the terminal, as of poll(2), and whether it is to stop.
    func wait(for events: Int16, beside stop: EventFD) -> (terminal: Int16, isStopped: Bool) {
        var waited = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waited, nfds_t(waited.count), -1) < 0 {
            guard errno == EINTR else { return (0, true) }
        }
        return (waited[0].revents, waited[1].revents != 0)
    }

    /// Writes everything, however slow the reader is.
    ///
    /// - Throws: ``OutputError`` if it does not take all of it.
    func write(_ bytes: [UInt8]) throws(OutputError) {
        let code = writeAll(bytes, to: descriptor)
        if code != 0 { throw OutputError(code: code) }
    }
}

extension ProgressBar {
    /// A bar when standard error is a terminal, else lines; it is written there, so that output stays clean.
    static func onStandardError(_ label: String, environment: [String: String]) -> ProgressBar {
        let isCapable = Terminal.error.isCapable(environment: environment)
        return ProgressBar(label, style: isCapable ? .bar(columns: Terminal.error.size.columns) : .lines)
    }

    mutating func show(done: Int, of total: Int) {
        if let text = update(done: done, of: total) { StandardError.write(text) }
    }

    func end(_ summary: String) {
        StandardError.write(finish(summary))
    }
}
