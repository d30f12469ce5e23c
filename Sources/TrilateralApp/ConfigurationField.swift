import Things

/// One key of an entry, in a list whose entries have keys of their own.
struct ConfigurationField<Record: Sendable>: Sendable {
    let name: String
    /// Whether an entry, as far as it is read, may have the key, and whether it must.
    let isLegal: @Sendable (Record) -> Bool
    let isNeeded: @Sendable (Record) -> Bool
    /// Stores a value; returns what is wrong with it instead, if something is.
    let store: @Sendable (ConfigurationInput, inout Record) -> [String]
    let show: @Sendable (Record) -> ConfigurationInput

    init<Value>(
        _ name: String,
        _ target: any WritableKeyPath<Record, Value> & Sendable,
        _ form: ConfigurationForm<Value>,
        isLegal: @escaping @Sendable (Record) -> Bool = { _ in true },
        isNeeded: @escaping @Sendable (Record) -> Bool = { _ in false }
    ) {
        self.name = name
        self.isLegal = isLegal
        self.isNeeded = isNeeded
        store = { input, record in
            switch form.decode(input) {
            case .success(let value):
                record[keyPath: target] = value
                return []
            case .failure(let fault):
                return fault.messages
            }
        }
        show = { form.encode($0[keyPath: target]) }
    }
}

extension ConfigurationForm {
    /// A list of entries with keys of their own; all that is wrong with an entry is told.
    ///
    /// - Parameters:
    ///   - fields: In the order in which they are read; what decides whether others are legal comes first.
    ///   - empty: An entry in which nothing is said.
    static func entries<Record>(
        of fields: [ConfigurationField<Record>],
        from empty: Record,
        example: [String]
    ) -> ConfigurationForm where Value == [Record] {
        let entry = ConfigurationForm<Record>("keys with values") { input in
            guard case .mapping(let members) = input else {
                let message = "must be keys with values (is \(input.description))"
                return .failure(ConfigurationFault(message: message))
            }
            var record = empty
            let messages = read(members, by: fields, into: &record)
            return messages.isEmpty ? .success(record) : .failure(ConfigurationFault(messages: messages))
        } encode: { record in
            .mapping(fields.map { .init(key: $0.name, value: $0.show(record)) }.filter { $0.value != .null })
        }
        let all = ConfigurationForm.list(entry, upTo: 1000)
        var form = ConfigurationForm(all.legal) { input in
            guard case .scalar = input else { return all.decode(input) }
            let message = "must be a list of entries with keys; it can stand in the file only"
            return .failure(ConfigurationFault(message: message))
        } encode: {
            all.encode($0)
        }
        form.example = example
        return form
    }

    private static func read<Record>(
        _ members: [ConfigurationInput.Member],
        by fields: [ConfigurationField<Record>],
        into record: inout Record
    ) -> [String] {
        var messages: [String] = []
        var wrong: Set<String> = []
        for field in fields {
            let found = members.filter { $0.key == field.name }
            if found.count > 1 { messages.append("\(field.name): stands \(found.count) times") }
            guard let member = found.first else { continue }
            let faults = field.store(member.value, &record)
            if !faults.isEmpty { wrong.insert(field.name) }
            messages += faults.map { "\(field.name): \($0)" }
        }
        let legal = fields.filter { $0.isLegal(record) }
        for field in legal where field.isNeeded(record) {
            if !members.contains(where: { $0.key == field.name }) { messages.append("needs \(field.name)") }
        }
        let names = legal.map(\.name)
        for member in members where !names.contains(member.key) && !wrong.contains(member.key) {
            let hint = NearestName.hint(for: member.key, among: names)
            let list = "; legal here: " + names.joined(separator: ", ")
            messages.append("unknown key \(Quotation.of(member.key))" + (hint.isEmpty ? list : hint))
        }
        return messages
    }
}
