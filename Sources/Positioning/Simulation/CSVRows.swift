import JSON

/// A problem in a CSV file.
package struct CSVError: Error, Sendable, Hashable {
    /// From 1; `nil` when it concerns the whole file.
    package let line: Int?
    /// What is wrong and what is legal.
    package let message: String

    package init(line: Int?, _ message: String) {
        self.line = line
        self.message = message
    }
}

/// A row of a CSV file: names and numbers between commas, without quotes.
struct CSVRow {
    let line: Int
    private let columns: [String]
    private let fields: [String]

    private static let longestLine = 1_000

    /// Reads row by row; empty lines are skipped, and lines may end with CR LF.
    ///
    /// - Parameters:
    ///   - columns: The required header, in this order.
    ///   - more: With what the header may go on, in this order.
    ///   - isNamed: Whether the first column is a name that no other row has.
    static func read(
        _ bytes: [UInt8],
        columns: [String],
        more: [String] = [],
        atMost limit: Int,
        isNamed: Bool = false,
        _ body: (CSVRow) throws(CSVError) -> Void
    ) throws(CSVError) {
        var rest = ByteOrderMark.skipped(in: bytes)
        var line = 0
        var rows = -1
        var lineOfName: [String: Int] = [:]
        var header = columns
        while !rest.isEmpty {
            line += 1
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            var content = rest[rest.startIndex..<end]
            rest = end < rest.endIndex ? rest[(end + 1)...] : []
            if content.last == UInt8(ascii: "\r") { content = content.dropLast() }
            guard !content.allSatisfy({ $0 == UInt8(ascii: " ") }) else { continue }
            guard content.count <= longestLine, let text = String(validating: content, as: UTF8.self) else {
                throw CSVError(line: line, "must be UTF-8 text of at most \(longestLine) bytes")
            }
            let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
            rows += 1
            if rows == 0 {
                guard fields.starts(with: columns), more.starts(with: fields.dropFirst(columns.count)) else {
                    let legal = columns.joined(separator: ",")
                    let rest = more.isEmpty ? "" : ", and may go on with \(more.joined(separator: ","))"
                    throw CSVError(
                        line: line,
                        "the first line must be \(legal)\(rest) (is \"\(text.prefix(80))\")"
                    )
                }
                header = fields
                continue
            }
            guard rows <= limit else { throw CSVError(line: nil, "has more than \(limit) rows") }
            guard fields.count == header.count else {
                throw CSVError(line: line, "must have \(header.count) fields (has \(fields.count))")
            }
            let row = CSVRow(line: line, columns: header, fields: fields)
            if isNamed {
                let name = try row.name(0)
                if let other = lineOfName.updateValue(line, forKey: name) {
                    throw CSVError(line: line, "\(name) is already in line \(other)")
                }
            }
            try body(row)
        }
        guard rows >= 0 else {
            throw CSVError(line: nil, "is empty; the first line must be \(columns.joined(separator: ","))")
        }
    }

    private static func trimmed(_ field: Substring) -> String {
        var field = field
        while field.first == " " { field.removeFirst() }
        while field.last == " " { field.removeLast() }
        return String(field)
    }

    /// A name of 1 to 128 bytes.
    func name(_ column: Int) throws(CSVError) -> String {
        guard !fields[column].isEmpty, fields[column].utf8.count <= 128 else {
            throw CSVError(line: line, "\(columns[column]) must be 1 to 128 bytes")
        }
        return fields[column]
    }

    func number(_ column: Int, in range: ClosedRange<Double>) throws(CSVError) -> Double {
        let text = fields[column]
        guard let number = Double(text), text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }),
            range.contains(number)
        else {
            let legal = "\(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
            throw CSVError(
                line: line,
                "\(columns[column]) must be a number from \(legal) (is \"\(text.prefix(40))\")"
            )
        }
        return number
    }

    /// A number of a column that may be missing or empty.
    func number(named column: String, in range: ClosedRange<Double>) throws(CSVError) -> Double? {
        guard let index = columns.firstIndex(of: column), !fields[index].isEmpty else { return nil }
        return try number(index, in: range)
    }

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }
}
