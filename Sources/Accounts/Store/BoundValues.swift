import GRDB
import GRDBSQLite

/// The values of a statement, bound one after the other without a list of them.
struct BoundValues {
    fileprivate let statement: OpaquePointer
    private var place: Int32 = 0

    fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

    /// SQLite copies what it is given before the call returns.
    /// - Source: https://sqlite.org/c3ref/c_static.html
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    mutating func add(_ text: String?) {
        place += 1
        guard var text else { return }
        text.withUTF8 { bytes in
            // An empty text may have no address, which would bind NULL.
            guard let address = bytes.baseAddress, !bytes.isEmpty else {
                sqlite3_bind_text(statement, place, "", 0, Self.copied)
                return
            }
            address.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                _ = sqlite3_bind_text(statement, place, $0, Int32(clamping: bytes.count), Self.copied)
            }
        }
    }

    mutating func add(_ number: Int64?) {
        place += 1
        if let number { sqlite3_bind_int64(statement, place, number) }
    }

    mutating func add(_ number: Double?) {
        place += 1
        if let number { sqlite3_bind_double(statement, place, number) }
    }
}

extension Database {
    /// Runs a statement that returns no rows, for what happens with every command.
    ///
    /// - Parameter bind: Adds the values in order; what is not added is NULL.
    func run(_ sql: String, _ bind: (inout BoundValues) -> Void) throws {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        var values = BoundValues(statement)
        bind(&values)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
        }
    }
}
