import Glibc
import JSON

/// Why a file cannot be read, as a sentence.
package struct FileError: Error {
    package let message: String
    /// Whether it could be read, and holds what it must not.
    package let isAboutContents: Bool

    package init(message: String, isAboutContents: Bool = false) {
        (self.message, self.isAboutContents) = (message, isAboutContents)
    }
}

/// A text file of limited size: the one reader of the small files that the program is given.
package struct FileContents {
    /// Without a byte order mark.
    package let bytes: [UInt8]
    /// Whether the file begins with a byte order mark; other programs may not skip it.
    package let hasMark: Bool

    /// How long a pipe is waited for, milliseconds.
    private static let patience: Int32 = 60_000

    /// Reads a whole text file.
    ///
    /// - Parameter path: A pipe must be written to within a minute.
    package static func read(_ path: String, upTo limit: Int) -> Result<FileContents, FileError> {
        readBytes(path, upTo: limit).flatMap { of($0) }
    }

    /// Reads a file that a person names: `-` is standard input.
    package static func readInput(_ path: String, upTo limit: Int) -> Result<FileContents, FileError> {
        guard path == "-" else { return read(path, upTo: limit) }
        return readBytes(of: STDIN_FILENO, upTo: limit, patience: -1).flatMap { of($0) }
    }

    /// Reads a whole file that need not be text.
    ///
    /// - Parameter path: A pipe must be written to within a minute.
    package static func readBytes(_ path: String, upTo limit: Int) -> Result<[UInt8], FileError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failure(FileError(message: "cannot be read: \(systemMessage(errno))"))
        }
        defer { close(descriptor) }
        return readBytes(of: descriptor, upTo: limit, patience: patience).flatMap { bytes in
            // A named pipe that nobody writes to ends at once.
            let isPipe = lseek(descriptor, 0, SEEK_CUR) < 0 && errno == ESPIPE
            return bytes.isEmpty && isPipe
                ? .failure(FileError(message: "is a pipe that nobody writes to")) : .success(bytes)
        }
    }

    private static func readBytes(
        of descriptor: Int32,
        upTo limit: Int,
        patience: Int32
    ) -> Result<[UInt8], FileError> {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // A pipe whose writer has not written yet.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wanted, 1, patience) != 0 else {
                    return .failure(FileError(message: "is a pipe that nobody writes to"))
                }
                continue
            }
            guard count >= 0 else {
                return .failure(FileError(message: "cannot be read: \(systemMessage(errno))"))
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= limit else {
                return .failure(FileError(message: "is larger than \(limit) bytes", isAboutContents: true))
            }
        }
        return .success(bytes)
    }

    private static func of(_ bytes: [UInt8]) -> Result<FileContents, FileError> {
        let problem: String? =
            if ByteOrderMark.isOfAnotherEncoding(bytes) {
                "is UTF-16 text; store it as UTF-8"
            } else if let place = bytes.firstIndex(of: 0) {
                "holds a NUL byte (at byte \(place)), so it is no text"
            } else {
                nil
            }
        if let problem { return .failure(FileError(message: problem, isAboutContents: true)) }
        let hasMark = ByteOrderMark.begins(bytes)
        let text = hasMark ? Array(ByteOrderMark.skipped(in: bytes)) : bytes
        return .success(FileContents(bytes: text, hasMark: hasMark))
    }

    /// The text of the file.
    package var text: Result<String, FileError> {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let (line, column) = Self.placeOfDamage(in: bytes)
            let message = "is not UTF-8 text (line \(line), column \(column)); store it as UTF-8"
            return .failure(FileError(message: message, isAboutContents: true))
        }
        return .success(text)
    }

    /// Where the first bytes stand that are no UTF-8.
    package static func placeOfDamage(in bytes: some Sequence<UInt8>) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        return (line, column)
    }

    /// The text of a file with words that are compared, such as keys and passwords.
    ///
    /// A byte order mark in the middle, where two files were joined, would be an invisible part of a word.
    package var words: Result<String, FileError> {
        text.flatMap { text in
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            guard let marked = lines.firstIndex(where: { $0.unicodeScalars.contains("\u{FEFF}") }) else {
                return .success(text)
            }
            let message = "line \(marked + 1) holds a byte order mark (U+FEFF); remove it"
            return .failure(FileError(message: message, isAboutContents: true))
        }
    }

    /// A warning for the owner of a secret file that others can read; `nil` if nobody else can.
    package static func openness(of path: String) -> String? {
        guard let status = FileStatus(path: path) else { return nil }
        let isShared = isMeant(group: status.group, of: status.owner)
        let mode = isShared && status.permissions & 0o040 != 0 ? "640" : "600"
        if status.permissions & 0o004 != 0 {
            return "everybody on this machine can read \(path); run: chmod \(mode) \(path)"
        }
        // If the file has another owner, its group may read it, because this program may be in that group.
        guard status.permissions & 0o040 != 0, status.owner == geteuid(), !isShared else { return nil }
        return "the file's group can read \(path); run: chmod 600 \(path)"
    }

    /// Whether a group was given to a file so that its members read it: root's files have root's group otherwise, and
    /// Debian has one for the keys of certificates.
    private static func isMeant(group: gid_t, of owner: uid_t) -> Bool {
        owner == 0 && group != 0 || getgrnam("ssl-cert")?.pointee.gr_gid == group
    }
}
