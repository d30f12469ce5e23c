import ArgumentParser
import JSON
import MQTT

/// `trilateral fleet`: the daemons on a broker, and how each is.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "List the daemons on a broker, with version, health and alerts.",
        discussion: """
            Reads what the daemons below the base have published, and asks none of them. A node that is gone for good stays \
            in the list until "trilateral forget" clears it. SEEN is when a node last published its health. Exits with 0 if \
            all nodes are online and healthy, with 1 if one is offline or has an alert, and with 69 if there is none. \
            Examples: trilateral fleet --mqtt broker.lan:1883; trilateral fleet --json.
            """
    )

    @OptionGroup var broker: BrokerAddress

    @Option(help: ArgumentHelp("How long to wait for the broker.", valueName: "seconds"))
    var timeout = 10.0

    @Flag(help: "Print one line of JSON: a list of nodes.")
    var json = false

    func validate() throws {
        guard (0.1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be 0.1 to 3600 seconds.")
        }
    }

    func run() async throws {
        let (link, base) = try broker.broker(settings())
        guard let fleet = try await read(link, base: base) else { return }
        try StandardOutput.print(
            lines: json ? [fleet.json.text] : fleet.lines(columns: Terminal.output.columns)
        )
        if fleet.isEmpty {
            throw VerbError("the broker at \(link.address) keeps no node under \(base)/", .unavailable)
        }
        if !fleet.isWell { throw ExitCode.failure }
    }

    /// The broker that the user names, or else that of the daemons here, if they have the same one.
    private func settings() throws -> BrokerSettings {
        let groups = broker.daemonsByBroker(node: nil)
        if groups.count > 1 {
            throw VerbError(DaemonLocator.question(groups.flatMap(\.self), option: "--mqtt"), .usage)
        }
        return try groups.first?.first.map { try broker.settings(of: $0) } ?? broker.settings()
    }

    /// - Returns: `nil` when nobody reads the output any more.
    private func read(_ link: MQTTConfiguration, base: String) async throws(VerbError) -> Fleet? {
        let fleet = Fleet(base: base, time: .ofThisMachine)
        let limit = Duration.milliseconds(Int64(timeout * 1000))
        var link = link
        link.maximumPayload = Fleet.largestMessage
        return try await BrokerSession(link).retained(fleet, base: base, within: limit)
    }
}

extension BrokerSession {
    /// After the broker's acknowledgement of a message that was sent behind the subscriptions, nothing more comes from those
    /// that handle packets in their order; others get so long after the last message.
    private static let silence = Duration.milliseconds(200)

    /// Everything that the broker keeps of a fleet.
    ///
    /// - Throws: When there is no link, or the status of nodes may not be read.
    /// - Returns: `nil` when nobody reads the output any more.
    fileprivate func retained(
        _ fleet: Fleet,
        base: String,
        within limit: Duration
    ) async throws(VerbError) -> Fleet? {
        let result = await run(filters: fleet.filters, timeout: limit, output: .output) {
            visit -> Result<Fleet?, VerbError> in
            var fleet = fleet
            var (isLinked, isBusy) = (false, false)
            var failure = VerbError("the broker did not answer within \(limit.inSeconds)", .unavailable)
            // Nobody reads this topic. The client sends it when all subscriptions are answered.
            visit.awaitAcknowledgement(of: "\(base)/fleet/end")
            for await event in visit.events {
                switch event {
                case .link(.connected(let session)):
                    isLinked = true
                    guard let status = fleet.filters.first(where: session.refusedFilters.contains) else {
                        continue
                    }
                    let reason = "the broker does not let this user read \(status)"
                    return .failure(VerbError(reason, .noPermission))
                case .link(.disconnected(let error)):
                    isLinked = false
                    failure = VerbError(error)
                    if error.isFinal { return .failure(failure) }
                case .message(let message):
                    // Of many nodes there is always one that publishes its health just now.
                    isBusy = isBusy || message.isRetained
                    fleet.receive(message)
                case .acknowledged, .woken:
                    guard isBusy || event.isAcknowledgement else { return .success(fleet) }
                    isBusy = false
                    visit.wake(after: Self.silence)
                case .deadline: return isLinked ? .success(fleet) : .failure(failure)
                case .signal: return .success(nil)
                case .link(.refused), .link(.drained): break
                }
            }
            return .failure(failure)
        }
        return try result.get()
    }
}

extension BrokerSession.Event {
    fileprivate var isAcknowledgement: Bool {
        if case .acknowledged = self { true } else { false }
    }
}
