import Foundation
import JSON
import OperatingSystem
import Threading

/// The file by which the verbs of this machine find a running daemon.
///
/// It is in the runtime folder and locked as long as the daemon lives: one that nobody has locked is left over. It holds
/// no secret; everybody who can reach the folder may read it.
package final class RunningDaemonFile: Sendable {
    private struct State: Sendable {
        var daemon: RunningDaemon
        var descriptor: Int32 = -1
    }

    private let folder: String
    private let path: String
    private let state: Locked<State>

    /// - Parameter folder: The runtime folder, which is made if it is missing.
    package init(in folder: String, _ daemon: RunningDaemon) {
        self.folder = folder
        path = "\(folder)/\(daemon.processID).json"
        state = Locked(State(daemon: daemon))
    }

    deinit { remove() }

    /// Changes what it says; makes it at the first time.
    ///
    /// A file that cannot be written is left out: then the verbs do not find the daemon by themselves.
    package func update(_ change: (inout RunningDaemon) -> Void) {
        state.withLock { state in
            change(&state.daemon)
            let new = write(state.daemon)
            guard new >= 0 else { return }
            if state.descriptor >= 0 { close(state.descriptor) }
            state.descriptor = new
        }
    }

    package func remove() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            unlink(path)
            close(state.descriptor)
            state.descriptor = -1
        }
    }

    /// - Returns: The descriptor that keeps the file locked; -1 if it cannot be written.
    private func write(_ daemon: RunningDaemon) -> Int32 {
        mkdir(folder, 0o755)
        Self.removeLeftovers(in: folder)
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return -1 }
        let bytes = Array(daemon.json.text.utf8) + [0x0A]
        // The mask of the service leaves less than that.
        guard fchmod(descriptor, 0o644) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            Foundation.write(descriptor, bytes, bytes.count) == bytes.count, rename(new, path) == 0
        else {
            unlink(new)
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// Removes the files of daemons that were killed.
    private static func removeLeftovers(in folder: String) {
        for (path, daemon) in files(in: folder) where daemon == nil { unlink(path) }
    }

    private static let largest = 65_536

    /// The daemons that have a file in a folder.
    package static func daemons(in folder: String) -> [RunningDaemon] { files(in: folder).compactMap(\.1) }

    /// The files in a folder, each with its daemon; `nil` for one that does not run any more.
    private static func files(in folder: String) -> [(String, RunningDaemon?)] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard let status = FileStatus(descriptor: descriptor), status.kind == .file else { return nil }
            // Whoever gets the lock has found a file without a daemon.
            guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return (path, nil) }
            var bytes = [UInt8](repeating: 0, count: largest)
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            guard count > 0, let json = try? JSONValue(parsing: bytes.prefix(count)),
                let daemon = RunningDaemon(json: json, owner: status.owner)
            else { return nil }
            return (path, daemon)
        }
    }
}
