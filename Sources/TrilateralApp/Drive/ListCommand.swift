import ArgumentParser
import JSON

/// `trilateral list`: what there is to watch, get and set.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the things, zones or environments of a daemon, or the daemons on the broker.",
        discussion: """
            The first column is the short name, which get, set and action take. The last one of things has their most \
            important values; on a terminal, lines are cut at its width. Examples: trilateral list; trilateral list \
            zones; trilateral list nodes --json.
            """
    )

    @Argument(help: "things, zones, environments or nodes.")
    var kind = ListReport.Kind.things

    @OptionGroup var drive: DriveOptions

    func run() async throws {
        let read = try await kind == .nodes ? nodes() : objects()
        let report = ListReport(kind, read, time: .ofThisMachine)
        try StandardOutput.print(
            lines: drive.json ? [report.json.text] : report.lines(columns: Terminal.output.columns)
        )
    }

    private func objects() async throws -> JSONObject {
        let (outcome, read) = try await drive.ask(.ping, reading: kind.filters)
        if case .answer = outcome { return read }
        try drive.report(DriveReport(outcome, asJSON: drive.json))
        return [:]
    }

    /// Of every daemon `<node>/status` and `<node>/info`.
    private func nodes() async throws -> JSONObject {
        let address = drive.broker.address
        let (link, base) = try address.broker(address.settings(node: drive.broker.node))
        let limit = Duration.milliseconds(Int64(drive.timeout * 1000))
        return try await BrokerSession(link).retained(below: base, kind.filters, within: limit) ?? [:]
    }
}

extension ListReport.Kind: ExpressibleByArgument {}
