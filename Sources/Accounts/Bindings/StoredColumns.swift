import GRDB
import JSON

/// The columns of a row, of which one that cannot be understood makes the whole row damaged.
struct StoredColumns {
    struct Damage: Error {}

    let row: Row

    init(_ row: Row) { self.row = row }

    /// - Parameter read: Returns `nil` for a text that is none of its values.
    func required<Value>(_ name: String, _ read: (String) -> Value?) throws(Damage) -> Value {
        guard let value = read(row[name]) else { throw Damage() }
        return value
    }

    /// The value of a column that may be NULL.
    func optional<Value>(_ name: String, _ read: (String) -> Value?) throws(Damage) -> Value? {
        let text: String? = row[name]
        guard let text else { return nil }
        guard let value = read(text) else { throw Damage() }
        return value
    }

    func flag(_ name: String) -> Bool {
        let number: Int64 = row[name]
        return number != 0
    }
}

extension JSONObject {
    /// Reads the stored form, compact JSON.
    init?(stored text: String) {
        guard let object = (try? JSONValue(parsing: text))?.object else { return nil }
        self = object
    }
}
