import ArgumentParser
import JSON
import MQTT

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
        let filters = kind.filters.map { "\(base)/\($0)" }
        let result = await BrokerSession(link).run(filters: filters, timeout: limit) {
            visit -> Result<JSONObject, VerbError> in
            var read: JSONObject = [:]
            var isBusy = false
            var reason = "the broker at \(link.address) did not answer within \(limit.inSeconds)"
            for await event in visit.events {
                switch event {
                // What is retained comes at once; nothing says when that was all, so a silence has to.
                case .link(.connected): visit.wake(after: .milliseconds(400))
                case .woken where isBusy:
                    isBusy = false
                    visit.wake(after: .milliseconds(200))
                case .link(.disconnected(let error)) where error.isFinal: return .failure(VerbError(error))
                case .link(.disconnected(let error)): reason = "\(error)"
                case .message(let message):
                    isBusy = true
                    let text = String(decoding: message.payload, as: UTF8.self)
                    read[String(message.topic.dropFirst(base.count + 1))] =
                        text.isEmpty ? nil : (try? JSONValue(parsing: text)) ?? .string(text)
                case .woken: return .success(read)
                case .deadline: return .failure(VerbError(reason, .unavailable))
                case .link(.refused), .link(.drained), .signal: break
                }
            }
            return .failure(VerbError(reason, .unavailable))
        }
        return try result.get()
    }
}

extension ListReport.Kind: ExpressibleByArgument {}
