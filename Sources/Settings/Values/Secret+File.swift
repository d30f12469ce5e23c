package import OperatingSystem
package import Text

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
