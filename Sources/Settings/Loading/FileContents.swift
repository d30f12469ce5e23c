package import Foundation

/// Why a file cannot be read, as a sentence.
package struct FileError: Error {
    package let message: String

    package init(message: String) { self.message = message }
}

/// Bytes of a file.
package struct FileContents {
    package let bytes: [UInt8]

    /// Reads a whole file of limited size.
    package static func read(_ path: String, upTo limit: Int) -> Result<FileContents, FileError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failure(FileError(message: "cannot be read: \(systemMessage(errno))"))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // A pipe whose writer has not written yet.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&wanted, 1, -1)
                continue
            }
            guard count >= 0 else {
                return .failure(FileError(message: "cannot be read: \(systemMessage(errno))"))
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= limit else {
                return .failure(FileError(message: "is larger than \(limit) bytes"))
            }
        }
        return .success(FileContents(bytes: bytes))
    }

    /// A warning for the owner of a secret file that others can read; `nil` if nobody else can.
    package static func openness(of path: String) -> String? {
        otherReaders(of: path).map { "\($0) can read \(path); run: chmod 600 \(path)" }
    }

    /// Who besides the owner can read a file; `nil` if nobody can.
    ///
    /// If the file has another owner, its group may read it, because this program may be in that group.
    private static func otherReaders(of path: String) -> String? {
        guard let rights = rights(of: path) else { return nil }
        if rights.mode & 0o004 != 0 { return "everybody on this machine" }
        return rights.mode & 0o040 != 0 && rights.owner == geteuid() ? "the file's group" : nil
    }

    /// The mode bits and the owner of a file or folder, symbolic links followed.
    package static func rights(of path: String) -> (mode: Int, owner: uid_t)? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let mode = attributes[.posixPermissions] as? NSNumber,
            let owner = attributes[.ownerAccountID] as? NSNumber
        else { return nil }
        return (mode.intValue, owner.uint32Value)
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
        FileContents.read(path, upTo: 65535).flatMap { file in
            guard var text = String(validating: file.bytes, as: UTF8.self) else {
                return .failure(FileError(message: "holds no text (UTF-8)"))
            }
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
