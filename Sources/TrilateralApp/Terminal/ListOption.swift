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
