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
            in the list until "trilateral forget" clears it. SEEN is when a node last published its health. ALERTS has their \
            number and the first one; --json has more of them, and "trilateral get alerts --node NAME" all. Exits with 0 if all \
            nodes are online and healthy, with 1 if one is offline, has a problem or its health is unknown, or if the list is \
            not complete, with 69 if there is no node or no broker, and with 77 if the broker does not let this user read the \
            status of nodes. \
            Examples: trilateral fleet --mqtt broker.lan:1883; trilateral fleet --json.
            """
    )

    @OptionGroup var broker: BrokerAddress

    @Option(help: ArgumentHelp("How long to wait for the broker.", valueName: "seconds"))
    var timeout = 10.0

    @Flag(help: "Print one line of JSON: the nodes, and whether these are all.")
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

    /// Everything that the broker keeps of a fleet: first which nodes there are, then some nodes after the others.
    ///
    /// - Throws: When there is no link, or the status of nodes may not be read.
    /// - Returns: `nil` when nobody reads the output any more.
    fileprivate func retained(
        _ fleet: Fleet,
        base: String,
        within limit: Duration
    ) async throws(VerbError) -> Fleet? {
        let status = fleet.statusFilter
        // Nobody reads this topic. The client sends it when all subscriptions are answered.
        let mark = "\(base)/fleet/end"
        let result = await run(filters: [status], timeout: limit, output: .output) {
            visit -> Result<Fleet?, VerbError> in
            var fleet = fleet
            /// The nodes that are read now, and those that come after them; `nil` until it is known which there are.
            var reading: [String] = []
            var rest: ArraySlice<String>?
            var subscription: MQTTSubscription?
            var (isLinked, isBusy) = (false, false)
            var failure = VerbError("the broker did not answer within \(limit.inSeconds)", .unavailable)
            visit.awaitAcknowledgement(of: mark)
            for await event in visit.events {
                switch event {
                case .link(.connected(let session)):
                    isLinked = true
                    guard session.refusedFilters.contains(status) else { continue }
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
                case .acknowledged where rest == nil || !fleet.isComplete(reading), .woken where isBusy:
                    isBusy = false
                    visit.wake(after: Self.silence)
                case .acknowledged, .woken:
                    let left = rest ?? fleet.names[...]
                    reading = Array(left.prefix(Fleet.batch))
                    rest = left.dropFirst(reading.count)
                    subscription?.cancel()
                    if reading.isEmpty { return .success(fleet) }
                    subscription = visit.subscribe(fleet.topics(of: reading))
                    visit.awaitAcknowledgement(of: mark)
                case .deadline:
                    guard fleet.isEmpty else {
                        fleet.stop(after: limit)
                        return .success(fleet)
                    }
                    let reason =
                        "the broker did not hand over everything within \(limit.inSeconds); see --timeout"
                    return .failure(isLinked ? VerbError(reason, .unavailable) : failure)
                case .signal: return .success(nil)
                case .link(.refused), .link(.drained): break
                }
            }
            return .failure(failure)
        }
        return try result.get()
    }
}
