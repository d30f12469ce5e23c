import Foundation
import OperatingSystem

/// Whether the daemon can use a folder for its backups; nothing is changed.
package enum BackupFolder {
    /// Why it cannot be used, as a sentence without its subject; `nil` if it can, or nobody here can tell.
    ///
    /// The first backup makes a folder that is missing, with those above it.
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - service: Whose rights count; `nil` for those of this process.
    package static func problem(of path: String, for service: ServiceAccess? = nil) -> String? {
        let status = FileStatus(path: path)
        let code = errno
        if let status, status.kind != .folder { return "is not a folder" }
        if status == nil, code != ENOENT, code != EACCES { return "cannot be used: \(systemMessage(code))" }
        let there = status == nil ? existing(above: path) : path
        if status == nil, let above = FileStatus(path: there), above.kind != .folder {
            return "does not exist and cannot be made: \(there) is not a folder"
        }
        if let service {
            // Of what systemd lets the service write, it knows by the name that was asked for.
            let inside = [path, there].map { service.problem(writing: Self.file(in: $0)) }
            return inside.contains { $0 == nil } ? nil : inside.last.flatMap(\.self)
        }
        guard access(there, W_OK | X_OK) != 0 else { return nil }
        let reason = systemMessage(errno)
        return status == nil
            ? "does not exist and cannot be made: \(there): \(reason)" : "cannot be written: \(reason)"
    }

    private static func file(in folder: String) -> String {
        folder.hasSuffix("/") ? folder + "trilateral" : folder + "/trilateral"
    }

    /// The nearest folder above a path that is there, as far as this user may look.
    private static func existing(above path: String) -> String {
        var url = URL(filePath: path, directoryHint: .isDirectory).standardized
        for _ in 0..<64 where url.pathComponents.count > 1 {
            url.deleteLastPathComponent()
            let folder = url.path(percentEncoded: false)
            if FileStatus(path: folder) != nil { return folder }
        }
        return "/"
    }
}
