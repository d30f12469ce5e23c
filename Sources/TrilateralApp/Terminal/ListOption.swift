import ArgumentParser
import JSON

/// A list that a verb prints: a table, or JSON.
struct ListOption: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// - Parameters:
    ///   - columns: The members of a row, in order.
    ///   - header: Above the columns, if not their names.
    func write(_ rows: JSONValue, _ columns: [String], header: [String]? = nil) throws(OutputError) {
        if json { return try StandardOutput.print(rows.text) }
        try StandardOutput.print(
            TextTable(
                header: header ?? columns.map { $0.uppercased() },
                rows: (rows.array ?? []).map { row in columns.map { Self.text(row[$0] ?? .null) } }
            )
        )
    }

    /// Prints one row, with a line for each member that has a value.
    ///
    /// - Parameter first: The members that come before all others, in order.
    func write(record: JSONValue, _ first: [String]) throws(OutputError) {
        if json { return try StandardOutput.print(record.text) }
        let members = record.object ?? [:]
        let names = first + members.keys.filter { !first.contains($0) }
        let rows = names.map { [$0, Self.text(members[$0] ?? .null)] }
        try StandardOutput.print(TextTable(rows: rows.filter { $0.last?.isEmpty == false }))
    }

    /// A value as one word.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .bool(let value): value ? "yes" : "no"
        case .array(let values): values.map(text).joined(separator: ",")
        case .number, .numeral, .object: value.text
        }
    }
}
