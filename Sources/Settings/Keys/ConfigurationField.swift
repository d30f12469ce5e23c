/// One key of an entry, in a list whose entries have keys of their own.
struct ConfigurationField<Record: Sendable>: Sendable {
    let name: String
    /// Whether an entry, as far as it is read, may have the key, and whether it must.
    let isLegal: @Sendable (Record) -> Bool
    let isNeeded: @Sendable (Record) -> Bool
    /// Stores a value; returns what is wrong with it instead, if something is.
    let store: @Sendable (ConfigurationInput, inout Record) -> [ConfigurationValueError.Complaint]
    let show: @Sendable (Record) -> ConfigurationInput

    init<Value>(
        _ name: String,
        _ target: any WritableKeyPath<Record, Value> & Sendable,
        _ form: ConfigurationType<Value>,
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
                return fault.complaints
            }
        }
        show = { form.encode($0[keyPath: target]) }
    }
}
