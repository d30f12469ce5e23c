import Foundation

/// The terminal behind a file descriptor.
struct Terminal {
    let descriptor: Int32

    static let output = Terminal(descriptor: 1)
    static let error = Terminal(descriptor: 2)

    /// Whether there is a terminal that understands cursor movements.
    func isCapable(environment: [String: String]) -> Bool {
        isatty(descriptor) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Columns and rows; 80 and 24 when the terminal does not tell.
    var size: (columns: Int, rows: Int) {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Whether somebody still reads: false once the other end of a pipe is closed, or the terminal gone.
    var hasReader: Bool {
        var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
        guard poll(&wanted, 1, 0) == 1 else { return true }
        return wanted.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    /// Writes everything, however slow the reader is; gives up when there is none.
    func write(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, 1000)
                continue
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
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
