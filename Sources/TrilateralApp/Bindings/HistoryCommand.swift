import ArgumentParser
import Bindings
import Foundation
import JSON
import Logging
import People
import Text
import Things

/// `trilateral history`: what a thing has reported.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print the states of a thing that has a history, the oldest first, as CSV.",
        discussion: """
            Without --group the columns are ts and state. With it there is a line for each interval of the thing in which \
            it has reported: from, to, count, and a column for each --agg. With --json, a line of JSON for each.
            """
    )

    @OptionGroup var thing: BindingArgument

    @Option(help: ArgumentHelp("From then on; without it, the last day.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Until then; without it, until now.", valueName: "time"))
    var to: String?

    @Flag(help: "A line for each interval.")
    var group = false

    @Option(
        help: ArgumentHelp(
            "A figure of each interval: max, min, sum, mean or count of a field, such as mean:temperature. Can be given several times.",
            valueName: "function:field"
        )
    )
    var agg: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var people: AdministrationOption

    /// The most groups of one run: two years of minutes.
    private static let mostPieces = 20_000

    func validate() throws {
        if !agg.isEmpty, !group { throw ValidationError("--agg needs --group; give both") }
    }

    func run() async throws {
        let aggregations = try agg.map { argument throws(VerbError) in
            do throws(Refusal) {
                return try Aggregation(argument: argument)
            } catch {
                throw VerbError(error, options: ["agg": "--agg"])
            }
        }
        let to = try Self.time(to, "--to") ?? Int64(Date().timeIntervalSince1970 * 1000)
        let from = try Self.time(from, "--from") ?? to - HistoryRequest.usualLength
        guard from <= to else { throw VerbError("--from must be at most --to", .dataError) }
        if group {
            try await printGroups(from...to, aggregations)
        } else {
            try await printStates(from...to)
        }
    }

    private static func time(_ text: String?, _ option: String) throws(VerbError) -> Int64? {
        guard let text else { return nil }
        guard let time = CivilTime(text) else {
            throw VerbError(
                "\(option) must be a time like \(CivilTime.legalForms) (is \(QuotedValue.of(text)))",
                .dataError
            )
        }
        return time.milliseconds
    }

    private func ask(
        _ times: ClosedRange<Int64>,
        _ others: [String: JSONValue?]
    ) async throws -> JSONValue {
        let range: [String: JSONValue?] = [
            "from": .string("\(times.lowerBound)"), "to": .string("\(times.upperBound)"),
        ]
        return try await people.ask(
            .post,
            thing.path("history"),
            body: range.merging(others) { $1 },
            needsDaemon: true
        )
    }

    // MARK: States

    private func printStates(_ times: ClosedRange<Int64>) async throws {
        var truncation = Truncation()
        var key: JSONValue?
        repeat {
            let page = try await ask(times, ["paginationKey": key])
            if key == nil, !json { try StandardOutput.print("ts,state") }
            truncation.warn(of: page, from: times.lowerBound)
            let lines = (page["results"]?.array ?? []).compactMap(\.object).map {
                json ? $0.description : Self.line($0)
            }
            if !lines.isEmpty { try StandardOutput.print(lines: lines) }
            key = page["nextPaginationKey"]
        } while key != nil
    }

    private static func line(_ sample: JSONObject) -> String {
        var state = sample
        let at = state.removeValue(forKey: HistoryAnswer.created)?.integer ?? 0
        return CommaSeparated.line(["\(CivilTime(milliseconds: Int64(at)))", state.description])
    }

    // MARK: Groups

    private func printGroups(_ times: ClosedRange<Int64>, _ aggregations: [Aggregation]) async throws {
        let known = try await people.ask(.get, thing.path(), needsDaemon: true)
        let others: [String: JSONValue?] = ["group": "1", "agg": .array(agg.map { .string($0) })]
        // What has no interval is refused by the daemon, which says why.
        let interval = known["interval"]?.string.flatMap { GroupInterval($0) }
        let pieces = interval?.pieces(of: times, most: Self.mostPieces) ?? [times]
        if let last = pieces.last, last.upperBound < times.upperBound {
            throw VerbError(
                "the range has more than \(Self.mostPieces) times \(GroupInterval.limit) intervals; give a later --from",
                .dataError
            )
        }
        var truncation = Truncation()
        // The fields of which no group has a value.
        var (empty, hasGroups) = (Set(aggregations.map(\.field)), false)
        var isFirst = true
        for piece in pieces {
            let answer = try await ask(piece, others)
            truncation.warn(of: answer, from: times.lowerBound)
            if isFirst, !json {
                try StandardOutput.print(
                    CommaSeparated.line(["from", "to", "count"] + aggregations.map(\.name))
                )
            }
            isFirst = false
            let rows = answer["rows"]?.array ?? []
            for row in rows {
                hasGroups = true
                for (aggregation, value) in zip(aggregations, row["values"]?.array ?? [])
                where !value.isNull && (aggregation.function != .count || value != 0) {
                    empty.remove(aggregation.field)
                }
            }
            let lines = rows.map { row in
                json ? Self.object(row, aggregations).text : Self.line(row, aggregations)
            }
            if !lines.isEmpty { try StandardOutput.print(lines: lines) }
        }
        guard hasGroups else { return }
        for field in empty.sorted() {
            let kinds = Set(aggregations.filter { $0.field == field }.map(\.function))
            let what = kinds == [.count] ? "value" : "number"
            StandardError.report(
                "warning: the field \(QuotedValue.of(field)) had no \(what) in that time",
                as: .warning
            )
        }
    }

    private static func line(_ row: JSONValue, _ aggregations: [Aggregation]) -> String {
        let times = ["from", "to"].map { member in
            CivilTime(milliseconds: Int64(row[member]?.integer ?? 0)).shortText
        }
        let figures = zip(aggregations, row["values"]?.array ?? []).map { aggregation, value in
            switch aggregation.function {
            case .mean, .sum: Self.rounded(value)
            case .max, .min, .count: value
            }
        }
        return CommaSeparated.line(times + ([row["count"] ?? .null] + figures).map(ListOption.text))
    }

    /// What was worked out, without the last digits of a sum of binary fractions: 103.9, not 103.89999999999999.
    ///
    /// Whole numbers are exact, and stay as they are.
    private static func rounded(_ value: JSONValue) -> JSONValue {
        guard case .number(let number) = value, number.isFinite, number != number.rounded() else {
            return value
        }
        return Double(String(format: "%.12g", number)).map { .number($0) } ?? value
    }

    /// A group with each figure by its name.
    private static func object(_ row: JSONValue, _ aggregations: [Aggregation]) -> JSONValue {
        var members = row.object ?? [:]
        let values = members.removeValue(forKey: "values")?.array ?? []
        for (aggregation, value) in zip(aggregations, values) { members[aggregation.name] = value }
        return .object(members)
    }
}

/// Says once that older samples are gone.
private struct Truncation {
    private var isSaid = false

    mutating func warn(of answer: JSONValue, from start: Int64) {
        guard !isSaid, let time = answer["truncated_before"]?.integer, Int64(time) > start else { return }
        isSaid = true
        let text = CivilTime(milliseconds: Int64(time)).shortText
        StandardError.report("warning: what was reported before \(text) is not all kept", as: .warning)
    }
}

/// Values on a line, as spreadsheets read them.
///
/// - Source: RFC 4180, 2.
enum CommaSeparated {
    static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

    private static func field(_ text: String) -> String {
        // By scalars: \r\n is one character.
        let special = ",\"\r\n".unicodeScalars
        guard text.unicodeScalars.contains(where: { special.contains($0) }) else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }
}
