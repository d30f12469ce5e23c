import ArgumentParser
import Foundation
import Threading

/// A file that a verb writes, whole or not at all: it is written beside its place, and takes the place when the disk has
/// all of it.
struct OutputFile {
    let path: String
    /// Whether it may take the place of a file that is there.
    let replaces: Bool

    init(_ path: String, replaces: Bool = false) { (self.path, self.replaces) = (path, replaces) }

    func write(_ text: String, by verb: String) throws { try write(Array(text.utf8), by: verb) }

    /// - Throws: An exit code, after a message: 73 if there can be no such file, 74 if it cannot be written.
    func write(_ bytes: [UInt8], by verb: String) throws {
        do throws(WriteError) {
            try write(bytes)
        } catch {
            StandardError.print("trilateral \(verb): \(path) \(error.message)")
            throw error.exitCode
        }
    }

    private struct WriteError: Error {
        let message: String
        let exitCode: ExitCode

        static let unsuitable = WriteError(
            message: "is no plain file; write to standard output instead",
            exitCode: .cannotCreate
        )

        static func creating(_ code: Int32) -> WriteError {
            let reason = String(cString: strerror(code))
            return WriteError(message: "cannot be written: \(reason)", exitCode: .cannotCreate)
        }

        static func writing(_ code: Int32) -> WriteError {
            let reason = String(cString: strerror(code))
            return WriteError(message: "cannot be written: \(reason)", exitCode: .ioError)
        }
    }

    private func write(_ bytes: [UInt8]) throws(WriteError) {
        // A symbolic link stays, and the file that it names is replaced.
        guard let found = FileStatus(path: path) else { return try place(bytes, at: path, mode: 0o666) }
        guard replaces else { throw .creating(EEXIST) }
        // A device or a pipe would be replaced by a file.
        guard found.kind == .file else { throw .unsuitable }
        guard let resolved = realpath(path, nil) else { throw .creating(errno) }
        defer { free(resolved) }
        try place(bytes, at: String(cString: resolved), mode: found.permissions, isKept: true)
    }

    /// - Parameter isKept: Whether the mode is that of the file that is replaced; else the user's mask applies to it.
    private func place(
        _ bytes: [UInt8],
        at target: String,
        mode: mode_t,
        isKept: Bool = false
    ) throws(WriteError) {
        let folder = (target as NSString).deletingLastPathComponent
        let name = (target as NSString).lastPathComponent
        let beside = (folder as NSString).appendingPathComponent(".\(name.prefix(64)).\(UUID().uuidString)")
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .creating(errno) }
        do throws(WriteError) {
            if isKept { fchmod(descriptor, mode) }
            try fill(descriptor, with: bytes)
            guard rename(beside, target) == 0 else { throw .creating(errno) }
        } catch {
            unlink(beside)
            throw error
        }
        // The name counts when its folder is on the disk too.
        let parent = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return }
        fsync(parent)
        close(parent)
    }

    /// Writes all of it to the disk, and closes the file.
    private func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(WriteError) {
        do throws(OutputError) {
            try Terminal(descriptor: descriptor).write(bytes)
        } catch {
            close(descriptor)
            throw .writing(error.code)
        }
        if fsync(descriptor) != 0, errno != EINVAL {
            let code = errno
            close(descriptor)
            throw .writing(code)
        }
        guard close(descriptor) == 0 || errno == EINTR else { throw .writing(errno) }
    }
}
