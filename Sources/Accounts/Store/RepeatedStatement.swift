import GRDB
import GRDBSQLite
import JSON

/// A statement that returns no rows, for what happens with every command.
struct RepeatedStatement {
    private let database: Database
    private let statement: Statement
    private var values: BoundValues

    init(_ sql: String, _ database: Database) throws {
        self.database = database
        statement = try database.cachedStatement(sql: sql)
        values = BoundValues(statement.sqliteStatement)
    }

    /// - Parameter add: Adds the values in order; what is not added is NULL.
    mutating func run(_ add: (inout BoundValues) -> Void) throws {
        values.removeAll()
        add(&values)
        try values.whileBound {
            let code = sqlite3_step(statement.sqliteStatement)
            guard code == SQLITE_DONE else {
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code),
                    message: database.lastErrorMessage,
                    sql: statement.sql
                )
            }
        }
    }
}

/// The values of a statement, added one after the other.
///
/// SQLite reads the texts where they are, in one list of bytes, and so need not copy each of them.
struct BoundValues {
    private let statement: OpaquePointer
    private var place: Int32 = 0
    /// Each text with a zero after it, so that an empty one has an address too: without one NULL would be bound.
    private var bytes: [UInt8] = []
    private var texts: [(place: Int32, range: Range<Int>)] = []

    fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

    mutating func add(_ text: String?) {
        place += 1
        guard var text else { return }
        let start = bytes.count
        text.withUTF8 { bytes.append(contentsOf: $0) }
        texts.append((place, start..<bytes.count))
        bytes.append(0)
    }

    /// Adds a text of compact JSON.
    mutating func addJSON(_ write: (inout JSONBuffer) -> Void) {
        place += 1
        var json = JSONBuffer()
        write(&json)
        let start = bytes.count
        json.withUnsafeBytes { bytes.append(contentsOf: $0) }
        texts.append((place, start..<bytes.count))
        bytes.append(0)
    }

    mutating func add(_ number: Int64?) {
        place += 1
        if let number { sqlite3_bind_int64(statement, place, number) }
    }

    mutating func add(_ number: Double?) {
        place += 1
        if let number { sqlite3_bind_double(statement, place, number) }
    }

    mutating func addNull() { place += 1 }

    fileprivate mutating func removeAll() {
        place = 0
        bytes.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
    }

    /// Runs a body while the texts are bound; afterwards the statement has no values.
    fileprivate func whileBound(_ body: () throws -> Void) throws {
        try bytes.withUnsafeBufferPointer {
            try $0.withMemoryRebound(to: CChar.self) { bytes in
                for (place, range) in texts {
                    let text = bytes[range]
                    // No destructor: the bytes stay where they are until the bindings are cleared.
                    sqlite3_bind_text(
                        statement,
                        place,
                        UnsafeBufferPointer(rebasing: text).baseAddress,
                        Int32(clamping: text.count),
                        nil
                    )
                }
                defer {
                    sqlite3_reset(statement)
                    sqlite3_clear_bindings(statement)
                }
                try body()
            }
        }
    }
}
