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
