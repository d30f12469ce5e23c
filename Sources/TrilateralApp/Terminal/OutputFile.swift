import ArgumentParser
import Glibc
import OperatingSystem

/// A file that a verb writes, whole or not at all: it is written beside its place, and takes the place when the disk has
/// all of it.
struct OutputFile {
    let path: String
    /// Whether it may take the place of a file that is there.
    let replaces: Bool
    /// The verb's option with which it may, for the message; `nil` if there is none.
    let replacingOption: String?
    /// Whether a symbolic link stays, and the file that it names is replaced.
    let followsLinks: Bool
    /// Whether only its owner may read a file that was not there before.
    let isPrivate: Bool

    init(
        _ path: String,
        replaces: Bool = false,
        by replacingOption: String? = nil,
        followsLinks: Bool = true,
        isPrivate: Bool = false
    ) {
        (self.path, self.replaces, self.replacingOption) = (path, replaces, replacingOption)
        (self.followsLinks, self.isPrivate) = (followsLinks, isPrivate)
    }

    func write(_ text: String) throws(VerbError) { try write(Array(text.utf8)) }

    /// - Throws: ``VerbError``: 73 if there can be no such file, 74 if it cannot be written.
    func write(_ bytes: [UInt8]) throws(VerbError) {
        let isSuitable: Bool
        do throws(FileWriteError) {
            isSuitable = try replaceFile(by: bytes)
        } catch {
            throw VerbError(
                error.code == EEXIST
                    ? "\(path) exists already; \(replacingOption.map { "\($0) replaces it" } ?? "name another file")"
                    : "\(path) cannot be written: \(error)",
                error.isAboutName ? .cannotCreate : .ioError
            )
        }
        guard isSuitable else {
            throw VerbError("\(path) is no plain file; write to standard output instead", .cannotCreate)
        }
    }

    /// - Returns: `false` for a device or a pipe, and for a link that is not followed, which would be replaced by a file.
    private func replaceFile(by bytes: [UInt8]) throws(FileWriteError) -> Bool {
        guard let found = FileStatus(path: path, followsLinks: followsLinks) else {
            try AtomicFile.write(bytes, to: path, permissions: isPrivate ? 0o600 : 0o666, isMasked: true)
            return true
        }
        guard replaces else { throw FileWriteError(name: EEXIST) }
        guard found.kind == .file else { return false }
        guard followsLinks else {
            try AtomicFile.write(bytes, to: path, permissions: found.permissions)
            return true
        }
        guard let resolved = realpath(path, nil) else { throw FileWriteError(name: errno) }
        defer { free(resolved) }
        try AtomicFile.write(bytes, to: String(cString: resolved), permissions: found.permissions)
        return true
    }
}
