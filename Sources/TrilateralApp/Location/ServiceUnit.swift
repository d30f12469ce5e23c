import Foundation

/// What the installed systemd unit says of the service: its user, its folders and its environment.
///
/// - Source: systemd.unit(5), "Unit File Load Path"; systemd.exec(5).
package struct ServiceUnit: Sendable, Hashable {
    /// `nil` for root, or with ``isDynamic`` for a user who only exists while the service runs.
    package var user: String?
    package var group: String?
    package var supplementaryGroups: [String] = []
    package var isDynamic = false
    /// The folders that systemd makes for the service, and those that it may write besides.
    package var writableFolders: [String] = []
    /// Whether everything else is read-only for it.
    package var isStrict = false
    /// Whether it sees no home folders.
    package var hidesHomes = false
    package var environment: [String: String] = [:]
    /// The files that the service may open; `nil` if the unit does not say, and systemd grants many.
    package var openFiles: Int?
    /// The files that systemd reads for it as root, by the name of the credential.
    package var credentials: [String: String] = [:]
    /// The arguments of the program.
    package var arguments: [String] = []

    /// As contrib/systemd has it, for a machine without the unit.
    package static let standard = ServiceUnit([
        """
        [Service]
        DynamicUser=yes
        StateDirectory=trilateral
        ProtectSystem=strict
        ProtectHome=yes
        """
    ])

    private static let name = "trilateral.service"
    /// The first file counts; drop-ins of all folders do.
    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]

    /// The unit of this machine; `nil` if there is none.
    package static func installed(in folders: [String] = folders) -> ServiceUnit? {
        guard
            let main = folders.map({ "\($0)/\(name)" }).compactMap({
                try? String(contentsOfFile: $0, encoding: .utf8)
            }).first
        else { return nil }
        var dropIns: [String: String] = [:]
        for folder in folders.reversed() {
            let place = "\(folder)/\(name).d"
            for file in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            where file.hasSuffix(".conf") {
                dropIns[file] = try? String(contentsOfFile: "\(place)/\(file)", encoding: .utf8)
            }
        }
        let texts = [main] + dropIns.sorted { $0.key < $1.key }.map(\.value)
        return ServiceUnit(texts)
    }

    /// - Parameter texts: The unit, and its drop-ins in their order.
    package init(_ texts: [String]) {
        for text in texts {
            var section = ""
            let joined = text.replacing("\\\n", with: " ")
            for line in joined.split(separator: "\n") {
                let line = line.trimmingCharacters(in: .whitespaces)
                if line.hasPrefix("#") || line.hasPrefix(";") { continue }
                if line.hasPrefix("[") {
                    section = line
                } else if section == "[Service]", let equals = line.firstIndex(of: "=") {
                    let key = line[..<equals].trimmingCharacters(in: .whitespaces)
                    let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
                    take(key, value)
                }
            }
        }
    }

    private mutating func take(_ key: String, _ value: String) {
        let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
        func isOn(_ words: [String]) -> Bool { words.contains(value.lowercased()) }
        switch key {
        case "User": user = value.isEmpty ? nil : value
        case "Group": group = value.isEmpty ? nil : value
        case "SupplementaryGroups": supplementaryGroups = value.isEmpty ? [] : supplementaryGroups + words
        case "DynamicUser": isDynamic = isOn(["yes", "true", "on", "1"])
        case "ProtectSystem": isStrict = value == "strict"
        case "ProtectHome": hidesHomes = isOn(["yes", "true", "on", "1", "tmpfs"])
        case "StateDirectory": writableFolders += words.map { "/var/lib/" + Self.folder($0) }
        case "CacheDirectory": writableFolders += words.map { "/var/cache/" + Self.folder($0) }
        case "LogsDirectory": writableFolders += words.map { "/var/log/" + Self.folder($0) }
        case "RuntimeDirectory": writableFolders += words.map { "/run/" + Self.folder($0) }
        case "ReadWritePaths": writableFolders += words.map { String($0.drop { "-+".contains($0) }) }
        case "LimitNOFILE":
            // The daemon raises the first one, as far as the second.
            openFiles = value.split(separator: ":").last.flatMap { Int($0) }
        case "Environment":
            if value.isEmpty { environment = [:] }
            for word in Self.unquoted(value) {
                let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { continue }
                environment[String(pair[0])] = String(pair[1])
            }
        case "LoadCredential", "LoadCredentialEncrypted":
            let pair = value.split(separator: ":", maxSplits: 1).map(String.init)
            if value.isEmpty { credentials = [:] }
            if pair.count == 2 { credentials[pair[0]] = pair[1] }
        case "ExecStart": if !value.isEmpty { arguments = Self.unquoted(value) } else { arguments = [] }
        default: break
        }
    }

    /// A folder may have a name of its own: `trilateral:other`.
    private static func folder(_ word: String) -> String { String(word.prefix { $0 != ":" }) }

    /// Words, of which some are in quotes.
    private static func unquoted(_ value: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in value {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
            } else if quote == nil, character.isWhitespace {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// The configuration file that it reads.
    package var configurationFile: String {
        let option = arguments.firstIndex { $0 == "--config" || $0.hasPrefix("--config=") }
        guard let option else { return Self.standardConfiguration }
        if let equals = arguments[option].firstIndex(of: "=") {
            return String(arguments[option][arguments[option].index(after: equals)...])
        }
        return arguments.dropFirst(option + 1).first ?? Self.standardConfiguration
    }

    package static let standardConfiguration = "/etc/trilateral/trilateral.yaml"

    /// The variables of the configuration; credentials stand for the files that systemd reads.
    package var variables: [String: String] {
        environment.filter { $0.key.hasPrefix("TRILATERAL_") }.mapValues { value in
            for start in ["%d/", "${CREDENTIALS_DIRECTORY}/", "/run/credentials/\(Self.name)/"]
            where value.hasPrefix(start) {
                return credentials[String(value.dropFirst(start.count))] ?? value
            }
            return value
        }
    }

    /// The file with the broker's password that systemd hands to the service; `nil` if the unit names none.
    package var passwordFile: String? { variables["TRILATERAL_MQTT_PASSWORD_FILE"] }
}
