import Foundation
import OperatingSystem
import Threading

/// A log file, to which lines are appended.
///
/// Appending never blocks: see ``OutputQueue``. The file is opened again when its name stands for another file or none,
/// so that it can be moved away (logrotate) without a signal. What cannot be written is counted.
package final class LogFile: Sendable {
    /// The open file.
    ///
    /// Locked while it is written, so only the queue uses it.
    fileprivate struct State {
        var descriptor: Int32
        var identity: FileStatus.Identity?
        /// The lines that could not be written since the last report.
        var unreported = 0
        /// Whether the last line is incomplete.
        var isTorn = false
    }

    package let path: String
    private let state: Locked<State>
    private let lost = Locked(0)
    private let queue: OutputQueue

    /// Opens or creates the file, for its owner and its group.
    ///
    /// - Parameters:
    ///   - notice: The lines that replace a number of lost ones.
    ///   - report: Called with a sentence when lines begin to be lost, and when the file can be written again, with
    ///     whether that is so.
    /// - Throws: ``LogFileError``.
    package init(
        _ path: String,
        notice: @escaping @Sendable (Int) -> String,
        report: @escaping @Sendable (_ sentence: String, _ isWritable: Bool) -> Void
    ) throws(LogFileError) {
        self.path = path
        let (descriptor, identity) = try Self.open(path)
        let state = Locked(State(descriptor: descriptor, identity: identity))
        self.state = state
        queue = OutputQueue(report: notice) { [lost] bytes in
            let (lines, sentence) = state.withLock { $0.write(bytes, to: path, notice: notice) }
            lost.withLock { $0 += lines }
            if let sentence { report(sentence, lines == 0) }
        }
    }

    deinit {
        // The queue has written everything, because its work retains it.
        state.withLock { $0.closeFile() }
    }

    /// The number of lines that are not in the file, because it could not be written or was too slow.
    package var dropped: Int { queue.dropped + lost.withLock { $0 } }

    /// Appends a line.
    package func append(_ line: String) { queue.append(line + "\n") }

    /// Waits until everything is written, for a limited time.
    package func flush(within seconds: Double = 1) { queue.flush(within: seconds) }

    /// Why the file cannot be written, as far as can be known without creating it.
    package static func problem(of path: String) -> String? {
        if let status = FileStatus(path: path) {
            guard status.kind == .file else { return LogFileError.noFile(path).description }
            guard access(path, W_OK) != 0 else { return nil }
            return LogFileError.unusable(path, systemMessage(errno)).description
        }
        let folder = (path as NSString).deletingLastPathComponent
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 else { return nil }
        return LogFileError.unusable(path, systemMessage(errno)).description
    }

    fileprivate static func open(_ path: String) throws(LogFileError) -> (Int32, FileStatus.Identity) {
        // Without O_NONBLOCK a pipe without a reader would wait for ever.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let descriptor = Glibc.open(path, flags, 0o640)
        guard descriptor >= 0 else { throw .unusable(path, systemMessage(errno)) }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw .noFile(path)
        }
        return (descriptor, status.identity)
    }
}

extension LogFile.State {
    /// Writes whole lines.
    ///
    /// - Returns: How many lines are lost, and a sentence when that begins or ends.
    fileprivate mutating func write(
        _ bytes: [UInt8],
        to path: String,
        notice: (Int) -> String
    ) -> (lost: Int, sentence: String?) {
        do throws(LogFileError) {
            try follow(path)
            var bytes = bytes
            if unreported > 0 { bytes = Array(notice(unreported).utf8) + bytes }
            if isTorn { bytes.insert(0x0A, at: 0) }
            try append(bytes, to: path)
        } catch {
            let lines = bytes.count { $0 == 0x0A }
            defer { unreported += lines }
            return (lines, unreported > 0 ? nil : "\(error); its lines are lost until it can be written")
        }
        guard unreported > 0 else { return (0, nil) }
        unreported = 0
        return (0, "the log file \(path) can be written again")
    }

    private mutating func append(_ bytes: [UInt8], to path: String) throws(LogFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let reason = written < 0 ? systemMessage(errno) : "nothing was written"
                if rest.count < bytes.count { isTorn = bytes[bytes.count - rest.count - 1] != 0x0A }
                throw .unusable(path, reason)
            }
            rest = rest.dropFirst(written)
        }
        isTorn = false
    }

    /// Opens the file again if the path stands for another one or none.
    private mutating func follow(_ path: String) throws(LogFileError) {
        if descriptor >= 0, let status = FileStatus(path: path), status.identity == identity { return }
        let (opened, itsIdentity) = try LogFile.open(path)
        closeFile()
        (descriptor, identity, isTorn) = (opened, itsIdentity, false)
    }

    fileprivate mutating func closeFile() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// Why a log file cannot be used.
package enum LogFileError: Error, Sendable, CustomStringConvertible {
    case unusable(_ path: String, _ reason: String)
    /// A folder, a device or a pipe.
    case noFile(_ path: String)

    package var description: String {
        switch self {
        case .unusable(let path, let reason): "the log file \(path) cannot be written: \(reason)"
        case .noFile(let path): "the log file \(path) is a folder, or no plain file"
        }
    }
}
