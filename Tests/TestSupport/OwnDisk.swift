import Foundation

/// A small file system in memory, mounted in a folder: a disk that a test may fill.
package enum OwnDisk {
    /// Runs the body with a file system of its own in a folder.
    ///
    /// - Parameter options: Those of mount(8) for tmpfs, such as `size=3m`.
    package static func with<Result>(_ options: String, at path: String, _ body: () async throws -> Result)
        async throws -> Result
    {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try await ChildProcess.run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try await ChildProcess.run("/bin/umount", ["-l", path])
        return try result.get()
    }

    /// Whether this process may mount a file system: as root, and not in every container.
    package static func canMount() async -> Bool {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        defer { folder.remove() }
        do {
            try await ChildProcess.run("/bin/mount", ["-t", "tmpfs", "tmpfs", folder.path])
            try await ChildProcess.run("/bin/umount", [folder.path])
            return true
        } catch {
            return false
        }
    }

    /// Writes to a file until not a byte more fits.
    package static func fill(_ path: String) throws {
        try Data().write(to: URL(filePath: path))
        guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
        defer { try? file.close() }
        var size = 65_536
        while size > 0 {
            do { try file.write(contentsOf: Data(count: size)) } catch { size /= 2 }
        }
    }
}
