import Daemon
import Foundation
import OperatingSystem
package import Settings
import Text

/// Masks the secrets in what `trilateral doctor` prints and writes.
///
/// It knows those of the configuration, and looks for more in the file and the environment: a file with a mistake is not
/// read to its end, and the message about the mistake may quote a line.
package struct DoctorSecrets: Sendable {
    private static let words = ["password", "token", "secret", "key", "credential"]
    /// What stands behind such a word and is none.
    private static let plain: Set = ["null", "true", "false", "none", "auto"]

    private let masks: [SecretMask]

    /// - Parameters:
    ///   - text: The configuration file's, if it can be read.
    ///   - more: Secrets that are known otherwise.
    package init(
        _ configuration: TrilateralConfiguration,
        text: String = "",
        environment: [String: String] = [:],
        more: [String] = []
    ) {
        let known = KnownSecrets()
        known.use(configuration)
        let variables = environment.filter { Self.isSecret($0.key.lowercased()) }.map(\.value)
        let found = (Self.values(in: text) + variables + more).filter { !Self.isPath($0) }
        masks = [known.mask, SecretMask(passwords: found)]
    }

    /// The values in a file whose keys name a secret.
    private static func values(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            guard isSecret(line[..<colon].lowercased()) else { return nil }
            var value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if let quote = value.first, quote == "\"" || quote == "'" {
                value = String(value.dropFirst().prefix { $0 != quote })
            } else if let comment = value.range(of: " #") {
                value = value[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
            }
            // A sentence in a comment is no secret; a value that was put into one is.
            let isSentence = line.drop { $0 == " " }.hasPrefix("#") && value.contains(" ")
            return isSentence || plain.contains(value) ? nil : value
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        // The names of files are no secrets.
        words.contains { name.contains($0) } && !name.trimmingCharacters(in: .whitespaces).hasSuffix("file")
    }

    private static func isPath(_ value: String) -> Bool { value.hasPrefix("/") && access(value, F_OK) == 0 }

    package func masked(_ text: String) -> String {
        masks.reduce(Self.withoutParts(text)) { $1.masked($0) }
    }

    package func masked(_ verdict: DoctorVerdict) -> DoctorVerdict {
        DoctorVerdict(
            verdict.check,
            verdict.level,
            masked(verdict.text),
            advice: verdict.advice.map { masked($0) }
        )
    }

    /// What can be secret in addresses: `http://anna:secret@host/path?token=secret`.
    private static func withoutParts(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "://") {
            result += rest[..<start.upperBound]
            let address = rest[start.upperBound...].prefix { !$0.isWhitespace && !"\"'".contains($0) }
            result += withoutParts(address: address)
            rest = rest[address.endIndex...]
        }
        return result + rest
    }

    /// - Parameter address: What follows `://`.
    private static func withoutParts(address: Substring) -> String {
        var (address, user) = (address, "")
        let host = address.prefix { !"/?#".contains($0) }
        // No port is a word: this is a user, and a password with a slash.
        let isUser = host.lastIndex(of: ":").map { !host[$0...].dropFirst().allSatisfy(\.isNumber) } == true
        let end = host.lastIndex(of: "@") ?? (isUser ? address.lastIndex(of: "@") : nil)
        if let end { (address, user) = (address[end...], SecretMask.mark) }
        guard let query = address.firstIndex(where: { "?#".contains($0) }) else { return user + address }
        return user + address[...query] + SecretMask.mark
    }
}
