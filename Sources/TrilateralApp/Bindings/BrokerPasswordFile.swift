import ArgumentParser
import Cryptography
import Glibc
import OperatingSystem

/// The password file of mosquitto, which gets a line for a thing.
///
/// - Source: mosquitto_passwd(1); mosquitto.conf(5), `password_file`.
struct BrokerPasswordFile {
    private let file: OutputFile
    private let user: String
    /// What is in it now, with a line end.
    private let lines: [UInt8]

    /// More is no password file.
    private static let longest = 16_000_000

    /// Reads the file; one that is missing is made later.
    ///
    /// - Throws: ``VerbError``, also if the user has a line already: it may be that of a person or a program.
    init(_ path: String, for user: String) throws(VerbError) {
        // Whoever may write in the folder could lead an administrator to another file.
        file = OutputFile(path, replaces: true, followsLinks: false)
        self.user = user
        if let found = FileStatus(path: path, followsLinks: false), found.kind != .file {
            throw VerbError("\(path) must be a plain file; a symbolic link is not followed", .cannotCreate)
        }
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            lines = []
            return
        }
        switch FileContents.read(path, upTo: Self.longest) {
        case .failure(let error): throw VerbError("\(path) \(error.message)", ExitCode(error))
        case .success(let contents):
            let name = Array("\(user):".utf8)
            guard !contents.bytes.split(separator: Self.lineEnd).contains(where: { $0.starts(with: name) })
            else {
                throw VerbError(
                    "\(path) has a password of \(user) already; if it is the thing's, remove it with: mosquitto_passwd -D \(path) \(user)",
                    VerbError.taken
                )
            }
            let isWhole = contents.bytes.isEmpty || contents.bytes.last == Self.lineEnd
            lines = contents.bytes + (isWhole ? [] : [Self.lineEnd])
        }
    }

    /// Adds the user's line; owner, group and mode of the file stay.
    ///
    /// - Throws: ``VerbError`` if the file cannot be written; it is then as it was.
    func add(password: String) throws(VerbError) {
        guard let line = BrokerPassword.line(user: user, password: password) else {
            throw VerbError("\(file.path) cannot hold a user called \(user)", .dataError)
        }
        let former = FileStatus(path: file.path, followsLinks: false)
        // A new one is for the broker's administrator alone.
        let mask = former == nil ? umask(0o077) : nil
        defer { if let mask { umask(mask) } }
        try file.write(lines + Array(line.utf8))
        guard let former, former.owner != geteuid() || former.group != getegid() else { return }
        guard lchown(file.path, former.owner, former.group) == 0 else {
            StandardError.report(
                "warning: \(file.path) is written, but the broker may not be able to read it: its owner and group "
                    + "cannot be what they were: \(systemMessage(errno))"
            )
            return
        }
    }

    private static let lineEnd = UInt8(ascii: "\n")
}
