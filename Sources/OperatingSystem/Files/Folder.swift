import Glibc

/// The folders of the file system.
package enum Folder {
    /// The names of what is in a folder, in no order.
    ///
    /// - Throws: If it cannot be read.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else {
            throw FileError(message: "cannot be read: \(systemMessage(errno))")
        }
        defer { closedir(folder) }
        return names(of: folder)
    }

    /// Removes a folder with the files in it; a symbolic link stays, and so does what it leads to.
    package static func remove(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let folder = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        // By the descriptor: the path may lead elsewhere by now.
        for name in names(of: folder) { unlinkat(descriptor, name, 0) }
        closedir(folder)
        rmdir(path)
    }

    private static func names(of folder: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
