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
        masks.reduce(Self.withoutUsers(text)) { $1.masked($0) }
    }

    package func masked(_ verdict: DoctorVerdict) -> DoctorVerdict {
        DoctorVerdict(
            verdict.check,
            verdict.level,
            masked(verdict.text),
            advice: verdict.advice.map { masked($0) }
        )
    }

    /// Users and passwords in addresses: `http://anna:secret@host`.
    private static func withoutUsers(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: "://") {
            result += rest[..<start.upperBound]
            rest = rest[start.upperBound...]
            let host = rest.prefix { !$0.isWhitespace && !"/?#\"'".contains($0) }
            guard let mark = host.lastIndex(of: "@") else { continue }
            result += SecretMask.mark
            rest = rest[mark...]
        }
        return result + rest
    }
}
