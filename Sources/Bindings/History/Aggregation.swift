package import JSON
import Text
package import Things

/// One figure that a grouped query asks of each group, such as the mean of a field.
///
/// - Source: contrib/contract/bindings.md, "Aggregations".
package struct Aggregation: Sendable, Hashable {
    package enum Function: String, Sendable, Hashable, CaseIterable {
        case max = "MAX"
        case min = "MIN"
        case sum = "SUM"
        case mean = "MEAN"
        case count = "COUNT"
    }

    /// What the values of a field are; a whole number is a decimal, too.
    package enum FieldType: String, Sendable, Hashable, CaseIterable {
        case integer = "INTEGER"
        case decimal = "DECIMAL"
        case boolean = "BOOLEAN"
        case object = "OBJECT"
        case array = "ARRAY"
    }

    package let function: Function
    package let field: String
    /// Values of other types are skipped; `nil` counts all that are not null.
    package let type: FieldType?
    /// What the result is called.
    package let name: String

    /// How many a query may have.
    package static let limit = 50
    /// Bytes of a result's name.
    private static let longestName = 200
}

// MARK: - Reading

extension Aggregation {
    /// Reads an aggregation as requests have it.
    ///
    /// - Parameter path: Where it is in the request, for refusals.
    package init(_ json: JSONValue, at path: String = "aggregation") throws(Refusal) {
        let object = try ReceivedObject(
            json,
            at: path,
            known: ["type", "field", "fieldType", "putAggregationInto"]
        )
        function = try object.word("type", as: Function.self)
        let type = try object.word("fieldType", as: FieldType.self)
        self.type = type
        field = try Self.name("field", "the name of a field", StateClause.longestField, in: object)
        name = try Self.name("putAggregationInto", "a name for the result", Self.longestName, in: object)
        guard function == .count || type == .integer || type == .decimal else {
            let rest = "must be INTEGER or DECIMAL with \(function.rawValue), is \(type.rawValue)"
            throw object.refusal(.invalidValue, of: "fieldType", rest)
        }
    }

    private static func name(
        _ member: String,
        _ meaning: String,
        _ longest: Int,
        in object: ReceivedObject
    ) throws(Refusal) -> String {
        let legal = "\(meaning), of 1 to \(longest) bytes"
        let name = try object.text(member, legal)
        guard 1...longest ~= name.utf8.count else { throw object.invalid(member, .string(name), legal) }
        return name
    }

    /// Reads an aggregation as arguments have it: `mean:temperature`, whose result is called `mean_temperature`.
    package init(argument: String) throws(Refusal) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        let functions = Function.allCases.map { $0.rawValue.lowercased() }
        let legal =
            "a function and a field, such as mean:temperature; functions are \(QuotedValue.list(functions))"
        guard let word = parts.first, let function = Function(rawValue: word.uppercased()),
            let field = parts.dropFirst().first, 1...StateClause.longestField ~= field.utf8.count
        else {
            throw Refusal(.invalidValue, "agg must be \(legal); is \(QuotedValue.of(argument))", field: "agg")
        }
        self.function = function
        self.field = field
        type = function == .count ? nil : .decimal
        name = "\(function.rawValue.lowercased())_\(field)"
    }
}

// MARK: - Results

extension Aggregation {
    /// A result, and when the sample was reported that has it, for the least and the greatest value.
    package struct Result: Sendable, Hashable {
        package let value: JSONValue
        package let at: Int64?
    }

    /// The result of a group; null when there are no such values, or when the sum is beyond the range of a double.
    package func result(in sums: GroupSums) -> Result {
        let sum = sums[field] ?? FieldSum()
        switch function {
        case .count: return Result(value: JSONValue(count(in: sum)), at: nil)
        case .sum: return Result(value: total(of: sum), at: nil)
        case .mean: return Result(value: mean(of: sum), at: nil)
        case .min: return extreme(sum.integers.least, type == .decimal ? sum.decimals.least : nil, <)
        case .max: return extreme(sum.integers.greatest, type == .decimal ? sum.decimals.greatest : nil, >)
        }
    }

    private func count(in sum: FieldSum) -> Int {
        switch type {
        case .integer: sum.integers.count
        case .decimal: Count.sum(sum.integers.count, sum.decimals.count)
        case .boolean: sum.booleans
        case .object: sum.objects
        case .array: sum.arrays
        case nil: sum.count
        }
    }

    private func total(of sum: FieldSum) -> JSONValue {
        guard count(in: sum) > 0 else { return .null }
        guard type == .decimal, sum.decimals.count > 0 else {
            let total = sum.integers.total
            // Beyond 64 bits the nearest decimal.
            return Int(exactly: total).map { JSONValue($0) } ?? .number(Double(total))
        }
        return decimals(of: sum).value.map { .number($0) } ?? .null
    }

    private func mean(of sum: FieldSum) -> JSONValue {
        let count = count(in: sum)
        guard type == .decimal, sum.decimals.count > 0 else {
            return count > 0 ? .number(sum.integers.decimal / Double(count)) : .null
        }
        return decimals(of: sum).mean(of: count).map { .number($0) } ?? .null
    }

    private func decimals(of sum: FieldSum) -> DecimalSum {
        var total = sum.decimals.total
        if sum.integers.count > 0 { total.add(sum.integers.decimal) }
        return total
    }

    private func extreme(
        _ integer: Extreme<Int64>?,
        _ decimal: Extreme<Double>?,
        _ precedes: (Double, Double) -> Bool
    ) -> Result {
        guard let integer else {
            return Result(value: decimal.map { .number($0.value) } ?? .null, at: decimal?.at)
        }
        if let decimal, precedes(decimal.value, Double(integer.value)) {
            return Result(value: .number(decimal.value), at: decimal.at)
        }
        return Result(value: JSONValue(Int(integer.value)), at: integer.at)
    }
}
