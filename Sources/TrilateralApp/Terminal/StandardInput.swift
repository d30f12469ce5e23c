import ArgumentParser
import Foundation
import Threading

/// Standard input, as a verb talks with a person: the one reader of lines.
///
/// Nobody waits in the C library's reader, which keeps its lock meanwhile: whatever a verb waits for, it can end.
enum StandardInput {
    private static var terminal: Terminal { .input }

    /// Asks a question on the terminal, and waits for a line.
    ///
    /// - Parameter isHidden: Whether what is typed does not appear, as for a password.
    /// - Returns: The line without its end; `nil` at the end of the input.
    /// - Throws: The exit code of a signal, such as 130 for Ctrl-C; the terminal is then as it was before.
    static func ask(_ question: String, isHidden: Bool = false) async throws(ExitCode) -> String? {
        var before = termios()
        let hides = isHidden && tcgetattr(terminal.descriptor, &before) == 0
        let signals = SignalStream([SIGHUP, SIGINT, SIGTERM])
        if hides {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(terminal.descriptor, TCSAFLUSH, &silent)
        }
        StandardError.write(question)
        let event = await withTaskGroup(of: Event.self) { group in
            group.addTask {
                for await line in lines(most: 1) { return .line(line) }
                return .end
            }
            group.addTask {
                for await number in signals.numbers { return .signal(number) }
                return .end
            }
            defer { group.cancelAll() }
            return await group.next() ?? .end
        }
        if hides { tcsetattr(terminal.descriptor, TCSAFLUSH, &before) }
        switch event {
        case .line(let line):
            if hides { StandardError.write("\n") }
            return line
        case .end:
            StandardError.write("\n")
            return nil
        case .signal(let number):
            StandardError.write("\n")
            throw ExitCode(128 + number)
        }
    }

    private enum Event: Sendable {
        case line(String)
        case end
        case signal(Int32)
    }

    /// Whether the answer to a question is yes; it is no where nobody can answer.
    static func confirms(_ question: String) async throws(ExitCode) -> Bool {
        guard canAsk else { return false }
        let answer = try await ask(question + " [y/N] ")?.trimmingCharacters(in: .whitespaces).lowercased()
        return ["y", "yes"].contains(answer)
    }

    /// Whether somebody is there who can be asked.
    static var canAsk: Bool { isatty(terminal.descriptor) == 1 && isatty(Terminal.error.descriptor) == 1 }

    /// The lines of the input, until its end or until nobody takes them any more.
    ///
    /// - Parameter most: How many are read; what comes after them is for the next reader.
    static func lines(most: Int = .max) -> AsyncStream<String> {
        let (lines, feed) = AsyncStream<String>.makeStream()
        // Without a descriptor to wake it with nothing can be read either.
        guard let stop = try? EventFD() else {
            feed.finish()
            return lines
        }
        feed.onTermination = { _ in stop.signal() }
        Thread.detachNewThread {
            var line: [UInt8] = []
            var count = 0
            while count < most, !terminal.wait(for: Int16(POLLIN), beside: stop).isStopped,
                let byte = readByte()
            {
                if byte == UInt8(ascii: "\n") {
                    feed.yield(text(line))
                    (line, count) = ([], count + 1)
                } else {
                    line.append(byte)
                }
            }
            if !line.isEmpty { feed.yield(text(line)) }
            feed.finish()
        }
        return lines
    }

    /// One byte: what comes after a line is for the next reader.
    ///
    /// - Returns: `nil` at the end of the input.
    private static func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(terminal.descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return count == 1 ? byte : nil
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    }
}
