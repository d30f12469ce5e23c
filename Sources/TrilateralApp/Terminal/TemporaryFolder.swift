import Databases
import Foundation
import OperatingSystem
import Threading

/// A new folder for files that only this process reads.
///
/// It is removed at the latest when the process ends, also by a signal, or while a thread that uses it hangs.
struct TemporaryFolder {
    private struct Remaining {
        var paths: Set<String> = []
        /// Holds the signals that end the process, while there are folders.
        var signals: SignalSource?
        var isEnding = false

        mutating func releaseSignals() {
            guard paths.isEmpty else { return }
            signals?.end()
            signals = nil
        }
    }

    private static let remaining = Locked(Remaining())

    let path: String

    /// - Throws: ``BackupError``
    init() throws(BackupError) {
        let template = FileManager.default.temporaryDirectory.appending(path: "trilateral-XXXXXX")
            .path(percentEncoded: false)
        path = try Self.remaining.withLock { (remaining) throws(BackupError) in
            guard !remaining.isEnding else { throw .cancelled }
            if remaining.signals == nil {
                let numbers = [SIGHUP, SIGINT, SIGTERM].filter { !SignalPipe.isIgnored($0) }
                remaining.signals = SignalSource(numbers) { ProcessEnd.exit(by: $0) }
            }
            defer { remaining.releaseSignals() }
            var name = Array(template.utf8CString)
            guard mkdtemp(&name) != nil else { throw .system(path: template, code: errno) }
            let path = String(decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            remaining.paths.insert(path)
            return path
        }
    }

    func remove() {
        Folder.remove(path)
        Self.remaining.withLock { remaining in
            remaining.paths.remove(path)
            remaining.releaseSignals()
        }
        // One that came just before the signals were released.
        if let number = SignalPipe.unread().first { ProcessEnd.exit(by: number) }
    }

    /// Removes what is left; there are no new ones from then on.
    static func removeAll() {
        let paths = remaining.withLock { remaining in
            remaining.isEnding = true
            return remaining.paths
        }
        for path in paths {
            // A thread that was left behind may put another file into it meanwhile.
            for _ in 0..<8 where FileStatus(path: path) != nil { Folder.remove(path) }
        }
    }
}
