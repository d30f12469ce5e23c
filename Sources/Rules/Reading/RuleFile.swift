import JSON
import Things

/// A file of rules in any forms.
///
/// It is a rule, a list of rules, or an object with lists: `rules`, `triggers`, `schedules`, `automations`,
/// `notifications`; AMAP's `locations` and `beacons` beside them are what its automations mean. All of it
/// counts, or nothing: if there is an error, there are no entries.
/// - Source: contrib/contract/rules.md, "Faces", `rule import`.
package struct RuleFile: Sendable {
    package struct Entry: Sendable, Hashable {
        /// Where it begins.
        package let position: FilePosition
        package let rule: ReadRule
        /// Where it is in the JSON of the file, such as `rules[0]`; empty for the only one.
        fileprivate let path: String
    }

    /// In the order of the file; none if there is an error.
    package let entries: [Entry]
    /// In the order of the file.
    package let problems: [RuleProblem]

    /// Where the values of the file are; `nil` for what is no JSON.
    private let positions: JSONPositions?

    package var isUsable: Bool { !problems.contains { $0.severity == .error } }

    /// - Parameters:
    ///   - file: Its name, for problems.
    ///   - bytes: JSON.
    ///   - thing: What is meant where a rule names no thing.
    package init(_ file: String, json bytes: [UInt8], thing: String? = nil) {
        var reading = Reading(file: file, bytes: bytes, reader: RuleReader(thing: thing))
        reading.read()
        problems = reading.problems.sorted { $0.position < $1.position }
        entries = reading.hasError ? [] : reading.entries
        positions = reading.positions
    }

    /// Where a member of a rule is, such as `then[1].target`, or what of it is there.
    package func position(of field: String, in entry: Entry) -> FilePosition {
        positions?.position(of: entry.path.isEmpty ? field : "\(entry.path).\(field)") ?? entry.position
    }
}

/// What is wrong in a file of rules, and where.
/// - Source: contrib/contract/profiles.md, "Problems".
package struct RuleProblem: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable, Hashable {
        case error, warning
    }

    package let file: String
    package let position: FilePosition
    package let severity: Severity
    /// A word for programs: of a ``RefusalCode``, or `unknown_key`.
    package let code: String
    package let message: String

    package init(
        file: String,
        position: FilePosition,
        severity: Severity,
        code: String,
        message: String
    ) {
        (self.file, self.position, self.severity) = (file, position, severity)
        (self.code, self.message) = (code, message)
    }

    /// `FILE:LINE:COLUMN: error|warning: CODE: MESSAGE`.
    package var description: String {
        "\(file):\(position.line):\(position.column): \(severity.rawValue): \(code): \(message)"
    }
}

// MARK: - Reading

extension RuleFile {
    /// Lists of rules in an object, each with the wrapped or bare rules of a form.
    private static let lists = ["rules", "triggers", "schedules", "automations", "notifications"]

    private struct Reading {
        let file: String
        let bytes: [UInt8]
        let reader: RuleReader
        var entries: [Entry] = []
        var problems: [RuleProblem] = []
        var hasError = false
        private(set) var positions: JSONPositions?

        mutating func read() {
            guard bytes.count <= RuleLimits.fileBytes else {
                add(
                    .tooLarge,
                    "a file has at most \(RuleLimits.fileBytes) bytes, has \(bytes.count)",
                    at: .start
                )
                return
            }
            let json: JSONValue
            do throws(JSONError) {
                json = try JSONValue(parsing: bytes)
            } catch {
                add(.badJSON, error.problem, at: JSONPositions.position(ofByte: error.offset, in: bytes))
                return
            }
            let positions = JSONPositions(bytes)
            self.positions = positions
            let rules = Self.rules(in: json)
            guard !rules.isEmpty else {
                add(.invalidValue, "the file has no rule", at: .start)
                return
            }
            guard rules.count <= RuleLimits.rules else {
                add(
                    .invalidValue,
                    "a file has at most \(RuleLimits.rules) rules, has \(rules.count)",
                    at: .start
                )
                return
            }
            let places = KnownPlaces(in: json)
            for (path, rule) in rules { read(rule, at: path, places, positions) }
        }

        private static func rules(in json: JSONValue) -> [(path: String, rule: JSONValue)] {
            if let list = json.array {
                return list.enumerated().map { ("[\($0.offset)]", $0.element) }
            }
            let found = RuleFile.lists.filter { json[$0]?.array != nil }
            guard !found.isEmpty, (try? RuleForm.recognised(json)) == nil else { return [("", json)] }
            return found.flatMap { name in
                (json[name]?.array ?? []).enumerated().map { ("\(name)[\($0.offset)]", $0.element) }
            }
        }

        private mutating func read(
            _ json: JSONValue,
            at path: String,
            _ places: KnownPlaces,
            _ positions: JSONPositions
        ) {
            func position(_ field: String?) -> FilePosition {
                guard let field else { return positions.position(of: path) }
                return positions.position(of: path.isEmpty ? field : "\(path).\(field)")
            }
            do throws(RuleRefusals) {
                let rule = try reader.readAll(json, places: places)
                entries.append(Entry(position: position(nil), rule: rule, path: path))
                for warning in rule.warnings {
                    problems.append(
                        RuleProblem(
                            file: file,
                            position: position(warning.path),
                            severity: .warning,
                            code: warning.code.rawValue,
                            message: warning.message
                        )
                    )
                }
            } catch {
                for refusal in error.all { add(refusal.code, refusal.message, at: position(refusal.field)) }
            }
        }

        private mutating func add(_ code: RefusalCode, _ message: String, at position: FilePosition) {
            hasError = true
            problems.append(
                RuleProblem(
                    file: file,
                    position: position,
                    severity: .error,
                    code: code.rawValue,
                    message: message
                )
            )
        }
    }
}
