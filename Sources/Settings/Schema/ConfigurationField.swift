/// One key of an entry, in a list whose entries have keys of their own.
package struct ConfigurationField<Record: Sendable>: Sendable {
    let name: String
    /// Whether an entry may have the key, by what was decoded of it so far, and whether it must.
    let isLegal: @Sendable (Record) -> Bool
    let isNeeded: @Sendable (Record) -> Bool
    /// Stores a value; returns what is wrong with it.
    let store: @Sendable (ConfigurationInput, inout Record) -> [ConfigurationValueError.Issue]
    let encode: @Sendable (Record) -> ConfigurationInput

    package init<Value>(
        _ name: String,
        _ target: any WritableKeyPath<Record, Value> & Sendable,
        _ type: ConfigurationType<Value>,
        isLegal: @escaping @Sendable (Record) -> Bool = { _ in true },
        isNeeded: @escaping @Sendable (Record) -> Bool = { _ in false }
    ) {
        self.name = name
        self.isLegal = isLegal
        self.isNeeded = isNeeded
        store = { input, record in
            do throws(ConfigurationValueError) {
                record[keyPath: target] = try type.decode(input)
                return []
            } catch {
                return error.issues
            }
        }
        encode = { type.encode($0[keyPath: target]) }
    }
}
