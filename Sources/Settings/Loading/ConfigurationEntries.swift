import Text

/// A list whose entries have keys of their own.
package struct ConfigurationEntries<Record: Sendable>: Sendable {
    typealias Issue = ConfigurationValueError.Issue

    private static var maximumEntries: Int { 1000 }

    /// A value that is wrong in an entry: the field, with `[2]` for the second of several values, and a sentence.
    package typealias Mistake = (field: String, message: String)

    private let fields: [ConfigurationField<Record>]
    private let mistakes: @Sendable (Record) -> [Mistake]
    private let empty: @Sendable (_ number: Int) -> Record

    /// - Parameters:
    ///   - fields: In the order of decoding: fields that decide which others are legal come first.
    ///   - mistakes: What the rules of the list would find in an entry by itself. It is asked for an entry that has another
    ///     mistake already, which the rules do not see.
    ///   - empty: An entry without keys; entries count from 1.
    package init(
        _ fields: [ConfigurationField<Record>],
        mistakes: @escaping @Sendable (Record) -> [Mistake] = { _ in [] },
        empty: @escaping @Sendable (_ number: Int) -> Record
    ) {
        (self.fields, self.mistakes, self.empty) = (fields, mistakes, empty)
    }

    /// The valid entries, and what is wrong with the others.
    func decode(_ input: ConfigurationInput) -> (records: [Record], issues: [Issue]) {
        switch input {
        case .null: return ([], [])
        case .scalar:
            let message = "must be a list of entries with keys; it can be given in the file only"
            return ([], [Issue(message: message)])
        case .mapping: return ([], [Issue(message: "must be a list (is a section)")])
        case .list(let elements):
            guard elements.count <= Self.maximumEntries else {
                let message = "must have at most \(Self.maximumEntries) entries (has \(elements.count))"
                return ([], [Issue(message: message)])
            }
            var records: [Record] = []
            var issues: [Issue] = []
            for (index, element) in elements.enumerated() {
                var record = empty(index + 1)
                let found = decode(element.value, into: &record)
                if found.isEmpty { records.append(record) }
                issues += found.map {
                    let message = "entry \(index + 1): \($0.message)"
                    return Issue(message: message, place: $0.place ?? element.place)
                }
            }
            return (records, issues)
        }
    }

    func encode(_ records: [Record]) -> ConfigurationInput {
        .list(
            records.map { record in
                let members = fields.map { ConfigurationInput.Member(key: $0.name, value: $0.encode(record)) }
                return .init(value: .mapping(members.filter { $0.value != .null }))
            }
        )
    }

    private func decode(_ input: ConfigurationInput, into record: inout Record) -> [Issue] {
        guard case .mapping(let members) = input else {
            return [Issue(message: "must be keys with values (is \(input.description))")]
        }
        var issues: [Issue] = []
        var wrong: Set<String> = []
        for field in fields {
            let matches = members.filter { $0.key == field.name }
            if matches.count > 1 {
                let message = "\(field.name): stands \(matches.count) times"
                issues.append(Issue(message: message, place: matches[1].place))
            }
            guard let member = matches.first else { continue }
            let found = field.store(member.value, &record)
            if !found.isEmpty { wrong.insert(field.name) }
            issues += found.map {
                Issue(message: "\(field.name): \($0.message)", place: $0.place ?? member.place)
            }
        }
        let legal = fields.filter { $0.isLegal(record) }
        for field in legal where field.isNeeded(record) {
            if !members.contains(where: { $0.key == field.name }) {
                issues.append(Issue(message: "needs \(field.name)"))
                wrong.insert(field.name)
            }
        }
        let names = legal.map(\.name)
        for member in members where !names.contains(member.key) && !wrong.contains(member.key) {
            let hint = NearestName.hint(for: member.key, among: names)
            let message =
                "unknown key \(QuotedValue.of(member.key))"
                + (hint.isEmpty ? "; legal here: " + names.joined(separator: ", ") : hint)
            issues.append(Issue(message: message, place: member.place))
        }
        guard !issues.isEmpty else { return [] }
        for mistake in mistakes(record) {
            let name = String(mistake.field.prefix { $0 != "[" })
            guard !wrong.contains(name) else { continue }
            let place = members.first { $0.key == name }?.place
            let message = mistake.field.isEmpty ? mistake.message : "\(mistake.field): \(mistake.message)"
            issues.append(Issue(message: message, place: place))
        }
        return issues
    }
}
