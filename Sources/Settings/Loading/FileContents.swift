package import Foundation
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

    /// Reads a whole file.
    ///
    /// - Parameter path: A pipe must be written to within a minute.
    package static func read(_ path: String, upTo limit: Int) -> Result<FileContents, FileError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failure(FileError(message: "cannot be read: \(systemMessage(errno))"))
        }
        defer { close(descriptor) }
        return read(descriptor, upTo: limit, patience: patience).flatMap { contents in
            // A named pipe that nobody writes to ends at once.
            let isPipe = lseek(descriptor, 0, SEEK_CUR) < 0 && errno == ESPIPE
            return contents.bytes.isEmpty && isPipe
                ? .failure(FileError(message: "is a pipe that nobody writes to")) : .success(contents)
        }
    }

    /// Reads a file that a person names: `-` is standard input.
    package static func readInput(_ path: String, upTo limit: Int) -> Result<FileContents, FileError> {
        path == "-" ? read(STDIN_FILENO, upTo: limit, patience: -1) : read(path, upTo: limit)
    }

    private static func read(
        _ descriptor: Int32,
        upTo limit: Int,
        patience: Int32
    ) -> Result<FileContents, FileError> {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
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
        return of(bytes)
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
            return .failure(FileError(message: "is not UTF-8 text", isAboutContents: true))
        }
        return .success(text)
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
        guard let rights = rights(of: path) else { return nil }
        let isShared = isMeant(group: rights.group, of: rights.owner)
        let mode = isShared && rights.mode & 0o040 != 0 ? "640" : "600"
        if rights.mode & 0o004 != 0 {
            return "everybody on this machine can read \(path); run: chmod \(mode) \(path)"
        }
        // If the file has another owner, its group may read it, because this program may be in that group.
        guard rights.mode & 0o040 != 0, rights.owner == geteuid(), !isShared else { return nil }
        return "the file's group can read \(path); run: chmod 600 \(path)"
    }

    /// Whether a group was given to a file so that its members read it: root's files have root's group otherwise, and
    /// Debian has one for the keys of certificates.
    private static func isMeant(group: gid_t, of owner: uid_t) -> Bool {
        owner == 0 && group != 0 || getgrnam("ssl-cert")?.pointee.gr_gid == group
    }

    /// Whether there is a regular file, symbolic links followed; `nil` if there is nothing, or it cannot be seen.
    static func isFile(_ path: String) -> Bool? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return (attributes?[.type] as? FileAttributeType).map { $0 == .typeRegular }
    }

    /// The mode bits, the owner and the group of a file or folder, symbolic links followed.
    package static func rights(of path: String) -> (mode: Int, owner: uid_t, group: gid_t)? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let mode = attributes[.posixPermissions] as? NSNumber,
            let owner = attributes[.ownerAccountID] as? NSNumber,
            let group = attributes[.groupOwnerAccountID] as? NSNumber
        else { return nil }
        return (mode.intValue, owner.uint32Value, group.uint32Value)
    }
}

/// The system's own words for an error number.
package func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}

/// The system's message for a file that could not be written.
package func systemMessage(of error: any Error) -> String {
    let cause = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? any Error
    return (cause as? POSIXError).map { systemMessage($0.code.rawValue) } ?? error.localizedDescription
}

extension Secret {
    /// The text of a password file, without the line break at its end.
    package static func load(_ path: String) -> Result<(secret: Secret, warning: String?), FileError> {
        FileContents.read(path, upTo: 65535).flatMap(\.words).flatMap { text in
            var text = text
            while text.last?.isNewline == true { text.removeLast() }
            guard !text.isEmpty else { return .failure(FileError(message: "is empty")) }
            return .success((Secret(text), FileContents.openness(of: path)))
        }
    }

    /// The token in a file, which can be sent as Bearer.
    package static func loadToken(_ path: String) -> Result<(secret: Secret, warning: String?), FileError> {
        load(path).flatMap { found in
            // It becomes a line of a request.
            found.secret.isBearerToken
                ? .success(found)
                : .failure(FileError(message: "must hold only a token: letters, digits, and any of -._~+/="))
        }
    }

    /// - Source: RFC 6750, section 2.1, except that `=` may stand anywhere.
    private var isBearerToken: Bool {
        reveal().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+/=".contains($0)) }
    }
}
