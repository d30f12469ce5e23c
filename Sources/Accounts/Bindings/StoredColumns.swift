import GRDB
import JSON

/// The columns of a row, of which one that cannot be understood makes the whole row damaged.
struct StoredColumns {
    struct Damage: Error {
        let column: String
    }

    let row: Row

    init(_ row: Row) { self.row = row }

    /// A value as it is stored, which is not NULL.
    ///
    /// Where a damaged file has another type, this is damage, while a plain `row[name]` ends the program.
    func value<Value: DatabaseValueConvertible>(_ name: String) throws(Damage) -> Value {
        guard let value: Value = try valueIfPresent(name) else { throw Damage(column: name) }
        return value
    }

    /// A value as it is stored; `nil` for NULL.
    func valueIfPresent<Value: DatabaseValueConvertible>(_ name: String) throws(Damage) -> Value? {
        let stored: DatabaseValue = row[name]
        guard !stored.isNull else { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw Damage(column: name) }
        return value
    }

    /// - Parameter read: Returns `nil` for a text that is none of its values.
    func required<Value>(_ name: String, _ read: (String) -> Value?) throws(Damage) -> Value {
        guard let value = read(try self.value(name)) else { throw Damage(column: name) }
        return value
    }

    /// The value of a column that may be NULL.
    func optional<Value>(_ name: String, _ read: (String) -> Value?) throws(Damage) -> Value? {
        guard let text: String = try valueIfPresent(name) else { return nil }
        guard let value = read(text) else { throw Damage(column: name) }
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
