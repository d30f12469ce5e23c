import GRDB
import GRDBSQLite

extension Database {
    /// Runs a statement that returns no rows, for what happens with every sample.
    ///
    /// - Parameters:
    ///   - numbers: The values of its first parameters.
    ///   - bytes: The value of its last one, which is not copied.
    func run(_ sql: String, _ numbers: [Int64], _ bytes: UnsafeRawBufferPointer? = nil) throws {
        let statement = try cachedStatement(sql: sql)
        let pointer = statement.sqliteStatement
        for (index, number) in numbers.enumerated() {
            sqlite3_bind_int64(pointer, Int32(truncatingIfNeeded: index + 1), number)
        }
        if let bytes {
            let place = Int32(truncatingIfNeeded: numbers.count + 1)
            if let start = bytes.baseAddress, !bytes.isEmpty {
                // Without a destructor, as the bytes outlive the step.
                sqlite3_bind_blob64(pointer, place, start, UInt64(bytes.count), nil)
            } else {
                sqlite3_bind_zeroblob(pointer, place, 0)
            }
        }
        let code = sqlite3_step(pointer)
        // The message is gone after the reset.
        let message = lastErrorMessage
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
        }
    }

    /// The bytes in the first column of the first row; `nil` if there is none.
    func bytes(_ sql: String, _ key: Int64) throws -> [UInt8]? {
        try first(try cachedStatement(sql: sql), key) { Self.bytes($0) }
    }

    private static func bytes(_ pointer: OpaquePointer) -> [UInt8] {
        guard let start = sqlite3_column_blob(pointer, 0) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, 0))))
    }

    /// Reads rows that have bytes and a whole number.
    ///
    /// - Parameters:
    ///   - numbers: The values of the statement's parameters.
    ///   - read: Gets the bytes of the first column, and the number of the second one.
    func forEach(_ sql: String, _ numbers: [Int64], _ read: ([UInt8], Int64) throws -> Void) throws {
        let pointer = try cachedStatement(sql: sql).sqliteStatement
        for (index, number) in numbers.enumerated() {
            sqlite3_bind_int64(pointer, Int32(truncatingIfNeeded: index + 1), number)
        }
        defer { sqlite3_reset(pointer) }
        while true {
            let code = sqlite3_step(pointer)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else {
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code),
                    message: lastErrorMessage,
                    sql: sql
                )
            }
            try read(Self.bytes(pointer), sqlite3_column_int64(pointer, 1))
        }
    }

    /// The whole numbers in the first two columns of the first row; `nil` if there is none.
    func integers(_ sql: String, _ key: Int64) throws -> (Int64, Int64)? {
        try first(try cachedStatement(sql: sql), key) {
            (sqlite3_column_int64($0, 0), sqlite3_column_int64($0, 1))
        }
    }

    private func first<Result>(
        _ statement: Statement,
        _ key: Int64,
        _ read: (OpaquePointer) -> Result
    ) throws -> Result? {
        let pointer = statement.sqliteStatement
        sqlite3_bind_int64(pointer, 1, key)
        defer { sqlite3_reset(pointer) }
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return read(pointer) }
        guard code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: lastErrorMessage,
                sql: statement.sql
            )
        }
        return nil
    }
}

extension Row {
    /// A whole number in a column.
    ///
    /// - Throws: The error of a damaged file for anything else; GRDB's own reading would trap.
    func integer(_ column: Int, in range: ClosedRange<Int64>) throws -> Int64 {
        try Int64.fromDatabaseValue(self[column]).legal(in: range)
    }
}

extension Int64? {
    /// The number, if it can be right.
    ///
    /// - Throws: The error of a damaged file.
    func legal(in range: ClosedRange<Int64>) throws -> Int64 {
        guard let number = self, range.contains(number) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a number has no legal value")
        }
        return number
    }
}
