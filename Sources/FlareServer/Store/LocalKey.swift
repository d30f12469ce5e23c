import Glibc
import OperatingSystem

/// The secret that proves to a running server that a program may read its state folder.
///
/// It is a file beside the database, readable by its owner only: 64 hexadecimal digits.
package enum LocalKey {
    private static let digits = 64

    /// The file of the key for a database.
    package static func path(forDatabase database: String) -> String { database + "-key" }

    /// The key for a database that a server has open; `nil` if there is none, or if this process may not read it.
    package static func read(forDatabase database: String) -> String? { read(path(forDatabase: database)) }

    /// The key in the file, or a new one that is written to it.
    ///
    /// A file that others may read is replaced. If a new key cannot be written, nobody can know it.
    static func loaded(forDatabase database: String) -> String {
        let path = path(forDatabase: database)
        if let key = read(path) { return key }
        var generator = SystemRandomNumberGenerator()
        let key = (0..<digits).map { _ in
            String(Int.random(in: 0..<16, using: &generator), radix: 16)
        }.joined()
        write(key, to: path)
        return key
    }

    /// Writes the key again if its file was removed.
    static func writeBack(_ key: String, forDatabase database: String) {
        let path = path(forDatabase: database)
        if FileStatus(path: path, followsLinks: false) == nil { write(key, to: path) }
    }

    /// Whether two keys are equal, in a time that does not depend on where they differ.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let pairs = zip(left.utf8, right.utf8)
        return left.utf8.count == right.utf8.count && pairs.reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .file,
            status.permissions & 0o077 == 0, status.size == digits
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: digits)
        guard Glibc.read(descriptor, &bytes, digits) == digits else { return nil }
        let key = String(decoding: bytes, as: UTF8.self)
        return key.allSatisfy { $0.isASCII && $0.isHexDigit } ? key : nil
    }

    private static func write(_ key: String, to path: String) {
        try? AtomicFile.write(Array(key.utf8), to: path, permissions: 0o600, unfinished: path + "-new")
    }
}
