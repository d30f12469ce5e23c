import ArgumentParser
import JSON
import Messages
import Settings

/// `trilateral list`: what there is to watch, get and set.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the things, zones or environments of a daemon, or the daemons on the broker.",
        discussion: """
            The first column is the short name, which get, set and action take. The last one of things has their most \
            important values; on a terminal, lines are cut at its width. If several daemons run here, nodes asks the broker \
            of each, without --node and --mqtt; "unknown" is who runs here and whose broker does not answer. Examples: \
            trilateral list; trilateral list zones; trilateral list nodes --json.
            """
    )

    @Argument(help: "things, zones, environments or nodes.")
    var kind = ListReport.Kind.things

    @OptionGroup var drive: DriveOptions

    func run() async throws {
        guard kind == .nodes else {
            return try show([ListReport(kind, try await objects(), time: .ofThisMachine)])
        }
        let (reports, error) = try await nodes()
        try show(reports)
        if let error { throw error }
    }

    private func show(_ reports: [ListReport]) throws {
        try StandardOutput.print(
            lines: drive.json ? [reports.json.text] : reports.lines(columns: Terminal.output.columns)
        )
    }

    private func objects() async throws -> JSONObject {
        let (outcome, read) = try await drive.ask(.ping, reading: kind.filters)
        if case .answer = outcome { return read }
        try drive.report(DriveReport(outcome, asJSON: drive.json))
        return [:]
    }

    /// The nodes of the broker, or of each that a daemon here has, if there are several.
    ///
    /// - Returns: What was read, and why something is missing in it.
    private func nodes() async throws -> (reports: [ListReport], error: VerbError?) {
        let (address, time) = (drive.broker.address, LocalTime.ofThisMachine)
        let groups = address.daemonsByBroker(node: drive.broker.node)
        guard groups.count > 1 else {
            let settings =
                try groups.first?.first.map { try address.settings(of: $0) }
                ?? address.settings(node: drive.broker.node)
            return ([ListReport(.nodes, try await nodes(settings), time: time)], nil)
        }
        var failure: VerbError?
        var reports: [ListReport] = []
        for daemons in groups {
            guard let first = daemons.first else { continue }
            var read: JSONObject = [:]
            do {
                read = try await nodes(address.settings(of: first))
            } catch let error as VerbError {
                // Of those that run here, only that is known.
                for daemon in daemons { read[Topics(root: daemon.node).status] = "unknown" }
                if let failure { StandardError.report(failure.message) }
                failure = error
            }
            reports.append(ListReport(.nodes, read, of: first.brokerAddress.description, time: time))
        }
        return (reports, failure)
    }

    /// Of every daemon `<node>/status` and `<node>/info`.
    private func nodes(_ settings: BrokerSettings) async throws -> JSONObject {
        let (link, base) = try drive.broker.address.broker(settings)
        let limit = Duration.milliseconds(Int64(drive.timeout * 1000))
        return try await BrokerSession(link).retained(below: base, kind.filters, within: limit) ?? [:]
    }
}

extension ListReport.Kind: ExpressibleByArgument {}
