package import OperatingSystem
import Text

/// A configuration and the origin of each value that is not the default.
package struct LoadedConfiguration: Sendable {
    package var values = TrilateralConfiguration()
    /// By key path.
    package var origins: [String: ConfigurationOrigin] = [:]
    /// What is in the files that the values name, by key path.
    package var files: [String: [FileFingerprint]] = [:]
    /// The file that was read, as it was named; `nil` without a file.
    package var file: String?
    /// What the file holds; `nil` without a file.
    package var text: String?
    /// Why the file itself is not in use; `nil` if it is.
    package var refusal: ConfigurationRefusal?
    /// What works but should be changed.
    package var warnings: [ConfigurationError] = []
    /// What a profile file should say otherwise; it is read as if it did.
    package var profileWarnings: [ConfigurationError] = []
    /// What is legal, and hardly meant.
    package var advice: [ConfigurationError] = []

    package init() {}

    /// What a daemon logs: all that should change.
    package var allWarnings: [ConfigurationError] { warnings + profileWarnings + advice }

    /// The key of a list entry in ``origins``; entries count from 1.
    static func path(of entry: Int, in list: String) -> String { "\(list)[\(entry)]" }

    package func origin(_ path: String) -> ConfigurationOrigin { origins[path] ?? .standard }
}

/// Why a file is not in use, and what is in its place.
package struct ConfigurationRefusal: Sendable, Hashable {
    package let problems: [ConfigurationError]
    /// The version of the program that has accepted what is in use.
    package let version: String

    package init(_ problems: [ConfigurationError], accepted version: String) {
        (self.problems, self.version) = (problems, version)
    }
}

extension ConfigurationRefusal: CustomStringConvertible {
    package var description: String {
        let list = problems.inOrder.map(\.description).joined(separator: "; ")
        return "\(list). Until it is mended, the one counts that version \(version) accepted"
    }
}

/// Reads a configuration from a file's text and the environment, and collects every problem.
///
/// The environment takes precedence over the file.
struct ConfigurationReader {
    var loaded = LoadedConfiguration()
    var problems: [ConfigurationError] = []

    private let schema: ConfigurationSchema

    init(_ schema: ConfigurationSchema) { self.schema = schema }

    /// - Parameters:
    ///   - name: The file's name, as messages show it.
    ///   - folder: The base of relative file names in it; empty for the working folder.
    mutating func read(file name: String, text: String, folder: String) {
        let document = YAMLDocument(text) { [schema] in schema.sections.contains($0) }
        var found: [(line: Int, column: Int, problem: ConfigurationError)] = document.errors.map {
            let origin = ConfigurationOrigin.file(name, line: $0.line, column: $0.column)
            return ($0.line, $0.column, ConfigurationError(origin, $0.path, $0.message))
        }
        for entry in document.entries {
            let origin = ConfigurationOrigin.file(name, line: entry.line, column: entry.column)
            let input = resolved(entry.input, for: entry.path, in: folder)
            for issue in store(input, for: entry.path, from: origin) {
                let place = issue.place ?? FileLocation(line: entry.line, column: entry.column)
                let origin = ConfigurationOrigin.file(name, line: place.line, column: place.column)
                let problem = ConfigurationError(origin, entry.path, issue.message)
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

    private mutating func store(
        _ input: ConfigurationInput,
        for path: String,
        from origin: ConfigurationOrigin
    ) -> [ConfigurationValueError.Issue] {
        guard let key = schema.key(path) else { return [.init(message: unknown(path))] }
        if key.isSecret {
            let message = "must not stand in the file: use \(path)_file, or the variable \(key.variable)"
            return [.init(message: message)]
        }
        let issues = key.store(input, &loaded.values)
        if issues.isEmpty { loaded.origins[path] = origin }
        return issues
    }

    private func resolved(
        _ input: ConfigurationInput,
        for path: String,
        in folder: String
    ) -> ConfigurationInput {
        guard schema.key(path)?.isFile == true, !folder.isEmpty else { return input }
        switch input {
        case .scalar(let name, let isQuoted) where !name.isEmpty && !name.hasPrefix("/"):
            return .scalar(folder + "/" + name, isQuoted: isQuoted)
        case .list(let elements):
            return .list(
                elements.map { .init(value: resolved($0.value, for: path, in: folder), place: $0.place) }
            )
        default: return input
        }
    }

    /// Variables of the form `TRILATERAL_…`; file names in them are relative to the working folder.
    mutating func read(environment: [String: String]) {
        let keys = Dictionary(uniqueKeysWithValues: schema.keys.map { ($0.variable, $0) })
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(ConfigurationKey.variablePrefix) {
            let origin = ConfigurationOrigin.variable(variable)
            // Even if the name is that of a key: a service called trilateral-mqtt has a port as well.
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
            let issues = key.store(input, &loaded.values)
            if issues.isEmpty { loaded.origins[key.path] = origin }
            problems += issues.map { ConfigurationError(origin, key.path, $0.message) }
        }
    }

    /// Values that a running daemon uses; one of another version may have keys that are unknown here.
    mutating func read(running: [String: String?]) {
        for (path, text) in running.sorted(by: { $0.key < $1.key }) {
            guard let key = schema.key(path), !key.isSecret else { continue }
            let issues = key.store(text.map { .scalar($0) } ?? .null, &loaded.values)
            if issues.isEmpty, text != nil { loaded.origins[path] = .running }
        }
    }

    private func unknown(_ path: String) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        let parent = parts.dropLast().joined(separator: ".")
        let name = parts.last.map(String.init) ?? path
        let prefix = parent.isEmpty ? "" : parent + "."
        let siblings = schema.sections.union(schema.keys.map(\.path)).filter {
            $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(".")
                && schema.key($0)?.isSecret != true
        }.map { String($0.dropFirst(prefix.count)) }.sorted()
        let hint = NearestName.hint(for: name, among: siblings)
        let legal = "; legal here: " + siblings.joined(separator: ", ")
        return "unknown key \(QuotedValue.of(name))" + (hint.isEmpty ? legal : hint)
    }

    /// Reads the files that the configuration names.
    mutating func readFiles() {
        for file in schema.files {
            let found = schema.load(file, into: &loaded)
            problems += found.problems
            loaded.warnings += found.warnings
        }
    }

    /// Checks what several keys must agree on, unless one of them is invalid by itself.
    ///
    /// A file that could not be read as a whole leaves every key unknown.
    /// - Parameter unknown: Keys that profile files may set, if these were not read.
    mutating func checkRules(except unknown: Set<String> = []) {
        guard !problems.contains(where: \.path.isEmpty) else { return }
        let invalid = unknown.union(problems.map(\.path))
        problems += broken(schema.rules, invalid)
        loaded.advice += broken(schema.advice, invalid)
        for key in schema.keys where !key.isSecret && loaded.origins[key.path] != nil {
            guard let word = key.encode(loaded.values).placeholder else { continue }
            let message = "\(QuotedValue.of(word)) looks like a placeholder; put the real value there"
            loaded.advice.append(ConfigurationError(loaded.origin(key.path), key.path, message))
        }
    }

    private func broken(_ rules: [ConfigurationRule], _ invalid: Set<String>) -> [ConfigurationError] {
        rules.filter { invalid.isDisjoint(with: $0.needed) }.flatMap { rule in
            rule.issues(loaded.values).map { issue in
                let entry = issue.entry.map { LoadedConfiguration.path(of: $0, in: rule.path) }
                let origin = entry.flatMap { loaded.origins[$0] } ?? loaded.origin(rule.path)
                return ConfigurationError(origin, rule.path, issue.message)
            }
        }
    }
}

extension ConfigurationInput {
    /// A text in angle brackets, such as the `<token>` of an example.
    fileprivate var placeholder: String? {
        switch self {
        case .scalar(let text, _): text.hasPrefix("<") && text.hasSuffix(">") && text.count > 2 ? text : nil
        case .list(let elements): elements.compactMap(\.value.placeholder).first
        case .mapping(let members): members.compactMap(\.value.placeholder).first
        case .null: nil
        }
    }
}
