import Things

/// A configuration, and where each value that is not the default comes from.
package struct LoadedConfiguration: Sendable {
    package var values = TrilateralConfiguration()
    /// By key path.
    package var origins: [String: ConfigurationOrigin] = [:]
    /// What works, but should not stay as it is.
    package var warnings: [ConfigurationError] = []

    package init() {}

    /// What an entry of a list is called in ``origins``; entries count from 1.
    static func path(of entry: Int, in list: String) -> String { "\(list)[\(entry)]" }

    func origin(_ path: String) -> ConfigurationOrigin { origins[path] ?? .standard }
}

/// Reads a configuration from a file's text and the environment, and finds everything that is wrong with it.
///
/// The environment wins over the file.
struct ConfigurationReader {
    private(set) var loaded = LoadedConfiguration()
    private(set) var problems: [ConfigurationError] = []

    private static let keys = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0) })

    /// Every section, by path.
    private static let sections: Set<String> = Set(
        ConfigurationKey.all.flatMap { key in
            let parts = key.path.split(separator: ".")
            return (1..<parts.count).map { parts.prefix($0).joined(separator: ".") }
        }
    )

    /// - Parameters:
    ///   - name: The file's name, as messages show it.
    ///   - folder: Where relative file names in it begin; empty for the working folder.
    mutating func read(file name: String, text: String, folder: String) {
        let document = YAMLDocument(text) { Self.sections.contains($0) }
        var found: [(line: Int, column: Int, problem: ConfigurationError)] = document.faults.map {
            let origin = ConfigurationOrigin.file(name, line: $0.line, column: $0.column)
            return ($0.line, $0.column, ConfigurationError(origin, $0.path, $0.message))
        }
        for entry in document.entries {
            let origin = ConfigurationOrigin.file(name, line: entry.line, column: entry.column)
            let input = Self.resolved(entry.input, for: entry.path, in: folder)
            for complaint in take(input, for: entry.path, from: origin) {
                let place = complaint.place ?? FileLocation(line: entry.line, column: entry.column)
                let origin = ConfigurationOrigin.file(name, line: place.line, column: place.column)
                let problem = ConfigurationError(origin, entry.path, complaint.message)
                found.append((place.line, place.column, problem))
            }
            guard case .list(let elements) = input else { continue }
            for (index, element) in elements.enumerated() {
                guard let place = element.place else { continue }
                let origin = ConfigurationOrigin.file(name, line: place.line, column: place.column)
                loaded.origins[LoadedConfiguration.path(of: index + 1, in: entry.path)] = origin
            }
        }
        problems += found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }.map(\.problem)
    }

    private mutating func take(
        _ input: ConfigurationInput,
        for path: String,
        from origin: ConfigurationOrigin
    ) -> [ConfigurationValueError.Complaint] {
        guard let key = Self.keys[path] else { return [.init(message: Self.unknown(path))] }
        if key.isSecret {
            let message = "must not stand in the file: use \(path)_file, or the variable \(key.variable)"
            return [.init(message: message)]
        }
        let complaints = key.store(input, &loaded.values)
        if complaints.isEmpty { loaded.origins[path] = origin }
        return complaints
    }

    private static func resolved(
        _ input: ConfigurationInput,
        for path: String,
        in folder: String
    ) -> ConfigurationInput {
        guard keys[path]?.isFile == true, case .scalar(let name, let isQuoted) = input, !name.isEmpty,
            !name.hasPrefix("/"), !folder.isEmpty
        else { return input }
        return .scalar(folder + "/" + name, isQuoted: isQuoted)
    }

    /// Variables of the form `TRILATERAL_…`; file names in them begin at the working folder.
    mutating func read(environment: [String: String]) {
        let keys = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.variable, $0) })
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(ConfigurationKey.variablePrefix) {
            let origin = ConfigurationOrigin.variable(variable)
            // Also where its name is that of a key: a service called trilateral-mqtt has a port as well.
            if KubernetesVariable.matches(variable, text) {
                let message = "is of Kubernetes, not of trilateral; enableServiceLinks: false leaves it out"
                loaded.warnings.append(ConfigurationError(origin, "", message))
                continue
            }
            guard let key = keys[variable] else {
                let near = NearestName.to(variable, among: keys.keys.sorted())
                let hint =
                    near.map { "; did you mean \($0)?" } ?? "; see trilateral check --print for the keys"
                problems.append(ConfigurationError(origin, "", "unknown variable" + hint))
                continue
            }
            let input: ConfigurationInput = text.isEmpty || text == "null" ? .null : .scalar(text)
            let complaints = key.store(input, &loaded.values)
            if complaints.isEmpty { loaded.origins[key.path] = origin }
            problems += complaints.map { ConfigurationError(origin, key.path, $0.message) }
        }
    }

    private static func unknown(_ path: String) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        let parent = parts.dropLast().joined(separator: ".")
        let name = parts.last.map(String.init) ?? path
        let prefix = parent.isEmpty ? "" : parent + "."
        let siblings = (sections.union(keys.keys)).filter {
            $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(".") && keys[$0]?.isSecret != true
        }.map { String($0.dropFirst(prefix.count)) }.sorted()
        let hint = NearestName.hint(for: name, among: siblings)
        let legal = "; legal here: " + siblings.joined(separator: ", ")
        return "unknown key \(QuotedValue.of(name))" + (hint.isEmpty ? legal : hint)
    }

    /// Reads the password from its file, once everything else is known.
    mutating func readPassword() {
        let path = "mqtt.password_file"
        guard let file = loaded.values.mqtt.passwordFile, loaded.values.mqtt.password == nil else { return }
        switch Secret.load(file) {
        case .success(let found):
            loaded.values.mqtt.password = found.secret
            loaded.origins["mqtt.password"] = .wholeFile(file)
            if let warning = found.warning {
                loaded.warnings.append(ConfigurationError(loaded.origin(path), path, warning))
            }
        case .failure(let fault):
            problems.append(ConfigurationError(loaded.origin(path), path, fault.message))
        }
    }

    /// Reads the keys of beacons from their file.
    mutating func readIdentityKeys() {
        let path = "sensors.beacons.identity_keys_file"
        guard let file = loaded.values.sensors.identityKeysFile else { return }
        switch IdentityKeys.load(file) {
        case .success(let found):
            loaded.values.sensors.ephemeralBeacons = found.beacons
            if let warning = found.warning {
                loaded.warnings.append(ConfigurationError(loaded.origin(path), path, warning))
            }
        case .failure(let fault):
            problems.append(ConfigurationError(loaded.origin(path), path, fault.message))
        }
    }

    /// Checks what several keys say together, save where one of them is wrong by itself.
    mutating func checkRules() {
        let wrong = Set(problems.map(\.path))
        for rule in ConfigurationRule.all where wrong.isDisjoint(with: rule.needed) {
            for complaint in rule.complaints(loaded.values) {
                let place = complaint.entry.map { LoadedConfiguration.path(of: $0, in: rule.path) }
                let origin = place.flatMap { loaded.origins[$0] } ?? loaded.origin(rule.path)
                problems.append(ConfigurationError(origin, rule.path, complaint.message))
            }
        }
    }
}
