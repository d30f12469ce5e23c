import Things

/// A list whose entries have keys of their own.
struct ConfigurationEntries<Record: Sendable>: Sendable {
    typealias Complaint = ConfigurationValueError.Complaint

    private static var mostEntries: Int { 1000 }

    private let fields: [ConfigurationField<Record>]
    private let empty: @Sendable (_ number: Int) -> Record

    /// - Parameters:
    ///   - fields: In the order in which they are read; what decides whether others are legal comes first.
    ///   - empty: An entry in which nothing is said; entries count from 1.
    init(_ fields: [ConfigurationField<Record>], empty: @escaping @Sendable (_ number: Int) -> Record) {
        self.fields = fields
        self.empty = empty
    }

    /// The entries that are right, and all that is wrong with the others.
    func read(_ input: ConfigurationInput) -> (records: [Record], complaints: [Complaint]) {
        switch input {
        case .null: return ([], [])
        case .scalar:
            let message = "must be a list of entries with keys; it can be given in the file only"
            return ([], [Complaint(message: message)])
        case .mapping: return ([], [Complaint(message: "must be a list (is a section)")])
        case .list(let elements):
            guard elements.count <= Self.mostEntries else {
                let message = "must have at most \(Self.mostEntries) entries (has \(elements.count))"
                return ([], [Complaint(message: message)])
            }
            var records: [Record] = []
            var complaints: [Complaint] = []
            for (index, element) in elements.enumerated() {
                var record = empty(index + 1)
                let faults = read(element.value, into: &record)
                if faults.isEmpty { records.append(record) }
                complaints += faults.map {
                    let message = "entry \(index + 1): \($0.message)"
                    return Complaint(message: message, place: $0.place ?? element.place)
                }
            }
            return (records, complaints)
        }
    }

    func show(_ records: [Record]) -> ConfigurationInput {
        .list(
            records.map { record in
                let members = fields.map { ConfigurationInput.Member(key: $0.name, value: $0.show(record)) }
                return .init(value: .mapping(members.filter { $0.value != .null }))
            }
        )
    }

    private func read(_ input: ConfigurationInput, into record: inout Record) -> [Complaint] {
        guard case .mapping(let members) = input else {
            return [Complaint(message: "must be keys with values (is \(input.description))")]
        }
        var complaints: [Complaint] = []
        var wrong: Set<String> = []
        for field in fields {
            let found = members.filter { $0.key == field.name }
            if found.count > 1 {
                let message = "\(field.name): stands \(found.count) times"
                complaints.append(Complaint(message: message, place: found[1].place))
            }
            guard let member = found.first else { continue }
            let faults = field.store(member.value, &record)
            if !faults.isEmpty { wrong.insert(field.name) }
            complaints += faults.map {
                Complaint(message: "\(field.name): \($0.message)", place: $0.place ?? member.place)
            }
        }
        let legal = fields.filter { $0.isLegal(record) }
        for field in legal where field.isNeeded(record) {
            if !members.contains(where: { $0.key == field.name }) {
                complaints.append(Complaint(message: "needs \(field.name)"))
            }
        }
        let names = legal.map(\.name)
        for member in members where !names.contains(member.key) && !wrong.contains(member.key) {
            let hint = NearestName.hint(for: member.key, among: names)
            let message =
                "unknown key \(QuotedValue.of(member.key))"
                + (hint.isEmpty ? "; legal here: " + names.joined(separator: ", ") : hint)
            complaints.append(Complaint(message: message, place: member.place))
        }
        return complaints
    }
}
