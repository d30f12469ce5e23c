package import Foundation
import OperatingSystem

/// The folder of the daemon's databases.
package struct StateFolder: Sendable {
    package let url: URL

    package var path: String { url.path(percentEncoded: false) }
    package var flareDatabase: String { url.appending(path: "flare.db").path(percentEncoded: false) }

    /// The named folder, else `$STATE_DIRECTORY` (systemd), else the user's; created if it is missing.
    ///
    /// - Throws: ``StateFolderError`` if it cannot be created or written.
    package init(named path: String?, environment: [String: String]) throws(StateFolderError) {
        url = URL(filePath: path ?? Self.standard(environment), directoryHint: .isDirectory)
        let code = Self.make(self.path)
        guard code == 0 else { throw StateFolderError(path: self.path, code: code) }
        guard access(self.path, R_OK | W_OK | X_OK) == 0 else {
            throw StateFolderError(path: self.path, code: errno)
        }
    }

    /// Why the folder cannot be written, or `nil`; creates it again if it was removed.
    ///
    /// It writes and removes a file, which is the only way to detect a full disk or a quota.
    package func problem() -> String? {
        let code = Self.make(path)
        guard code == 0 else { return "\(StateFolderError(path: path, code: code))" }
        let file = url.appending(path: ".writable-\(getpid())").path(percentEncoded: false)
        defer { unlink(file) }
        do throws(FileWriteError) {
            let bytes = [UInt8](repeating: 0x2E, count: Self.enough)
            try AtomicFile.write(bytes, to: file, permissions: 0o600)
            return nil
        } catch {
            return "the state folder \(path) cannot be written: \(error)"
        }
    }

    /// The free space that the databases need, bytes.
    static let enough = 262_144

    /// A warning if other users can read the state folder.
    package static func warning(of path: String) -> String? {
        // What cannot be looked at is closed to others, too.
        guard let status = FileStatus(path: path), status.permissions & 0o007 != 0 else { return nil }
        return "everybody on this machine can look into the state folder \(path); run: chmod 700 \(path)"
    }

    /// The default folder.
    package static func standard(_ environment: [String: String]) -> String {
        // systemd separates several folders with colons; the first is ours.
        if let folders = environment["STATE_DIRECTORY"], let first = folders.split(separator: ":").first {
            return String(first)
        }
        if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return home + "/trilateral" }
        // The place of a daemon whose user has no home, as that of a service.
        return HomeFolder.path(environment).map { $0 + "/.local/state/trilateral" } ?? service
    }

    /// Where the systemd unit keeps its databases.
    package static let service = "/var/lib/trilateral"

    /// Opens or makes a database; what root makes in the folder of another user becomes that user's, who could not open
    /// it otherwise.
    package func opening<Result, Failure: Error>(
        _ open: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { giveToOwner() }
        return try open()
    }

    private func giveToOwner() {
        guard geteuid() == 0, let folder = FileStatus(path: path), folder.owner != 0 else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            let file = url.appending(path: name).path(percentEncoded: false)
            let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // Its owner could have put a link to any file of root there.
            guard let status = FileStatus(descriptor: descriptor), status.kind == .file, status.owner == 0,
                status.links == 1
            else { continue }
            fchown(descriptor, folder.owner, folder.group)
        }
    }

    /// Creates the folder, and those above it.
    ///
    /// - Returns: The system's error number; 0 if something with this name exists.
    private static func make(_ path: String) -> Int32 {
        guard mkdir(path, 0o700) != 0 else { return 0 }
        let code = errno
        let parent = (path as NSString).deletingLastPathComponent
        guard code == ENOENT, !parent.isEmpty, parent != path else { return code == EEXIST ? 0 : code }
        let above = make(parent)
        guard above == 0 else { return above }
        return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
    }
}

/// Why the state folder cannot be used.
package struct StateFolderError: Error, CustomStringConvertible {
    package let path: String
    /// The system's error number.
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String {
        "the state folder \(path) cannot be used: \(systemMessage(code)); choose another one with --state, or change its owner and permissions"
    }
}
