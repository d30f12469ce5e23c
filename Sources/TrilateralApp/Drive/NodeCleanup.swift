import ArgumentParser
import Foundation
import MQTT

/// Finds and clears what a broker keeps of a node.
struct NodeCleanup {
    let link: MQTTConfiguration
    /// `<base>/<node>`.
    let root: String
    /// The first levels of Home Assistant's discovery topics.
    let discoveryPrefix: String
    /// How long the broker is waited for.
    let limit: Duration

    /// So many are cleared before the broker's word is waited for.
    private static let batch = 100
    /// A broker may hand over less than it keeps, and so is asked again so often.
    private static let passes = 10
    /// When nothing more has come for so long, all has come: no message of MQTT says so.
    private static let silence = Duration.milliseconds(400)
    /// A daemon that is said to be online gets so many silences for its answer.
    private static let patience = 5

    /// Everything that the broker keeps of the node.
    ///
    /// - Throws: When a daemon runs there, and when the broker does not let us look.
    func survey() async throws(NodeCleanupError) -> RetainedNode {
        let node = RetainedNode(
            root: root,
            discoveryPrefix: discoveryPrefix,
            mark: "forget-" + UUID().uuidString.lowercased()
        )
        let limit = limit
        let result = await BrokerSession(link).run(filters: node.filters, timeout: limit) {
            visit -> Result<RetainedNode, NodeCleanupError> in
            var node = node
            var isBusy = false
            var silences = 0
            var problem = "the broker did not answer within \(limit.inSeconds)"
            var isLinked = false
            var isLate = false
            for await event in visit.events {
                switch event {
                case .link(.connected(let session)):
                    guard session.refusedFilters.isEmpty else {
                        return .failure(.notAllowed(session.refusedFilters))
                    }
                    isLinked = true
                    visit.publish(topic: node.ping.topic, payload: node.ping.payload)
                    visit.wake(after: Self.silence)
                case .link(.disconnected(let error)):
                    isLinked = false
                    problem = "\(error)"
                    if error.isFinal { return .failure(.noLink(error)) }
                case .message(let message):
                    node.receive(message)
                    isBusy = isBusy || message.isRetained
                    if node.isAnswering { return .failure(.running(node.root)) }
                case .woken:
                    silences = isBusy ? 0 : silences + 1
                    isBusy = false
                    if isLinked, silences >= (node.isOnline ? Self.patience : 1) { return .success(node) }
                    visit.wake(after: Self.silence)
                case .deadline: isLate = true
                case .link(.refused): return .failure(.mayNotAsk(topic: node.ping.topic))
                case .link(.drained), .signal: break
                }
                if isLate, !isLinked { break }
            }
            return .failure(.noBroker(problem))
        }
        return try result.get()
    }

    /// Clears what was found, and what a further look finds.
    ///
    /// - Throws: When something is left.
    func clear(_ found: RetainedNode) async throws(NodeCleanupError) {
        var found = found
        for _ in 0..<Self.passes where !found.isEmpty {
            let problems = await publishEmpty(found.all)
            let left = try await survey()
            guard left.all != found.all else {
                throw .left(left.all, problems.first ?? "the broker does not let this user clear them")
            }
            found = left
        }
        guard found.isEmpty else { throw .left(found.all, "they were published again") }
    }

    /// - Returns: Why some could not be sent.
    private func publishEmpty(_ topics: [String]) async -> [String] {
        await BrokerSession(link).run(filters: [], timeout: nil) { visit in
            var problems: [String] = []
            var rest = topics[...]
            while !rest.isEmpty {
                problems += await visit.publishAndWait(
                    rest.prefix(Self.batch).map {
                        MQTTMessage(topic: $0, payload: [], qos: .atLeastOnce, isRetained: true)
                    },
                    timeout: limit
                )
                rest = rest.dropFirst(Self.batch)
                // What one is refused the next may be granted; without a link all would wait in vain.
                if problems.count >= Self.batch { break }
            }
            return problems
        }
    }
}

/// Why a node could not be cleared.
enum NodeCleanupError: Error, CustomStringConvertible {
    case noBroker(String)
    /// The link to the broker cannot be made as it is configured.
    case noLink(MQTTError)
    /// Filters that the broker does not let us subscribe.
    case notAllowed([String])
    /// The broker does not let us publish the question whether a daemon runs there.
    case mayNotAsk(topic: String)
    /// A daemon answers there: what is cleared would be published again.
    case running(String)
    /// The user has said no.
    case declined
    case left([String], String)

    var description: String {
        switch self {
        case .noBroker(let reason): reason
        case .noLink(let error): "\(error)"
        case .notAllowed(let filters):
            "the broker does not let this user read \(filters.joined(separator: ", "))"
        case .mayNotAsk(let topic):
            "the broker does not let this user publish to \(topic), to find out whether a daemon runs there"
        case .running(let root):
            "a daemon runs on \(root), and would publish everything again: stop it first"
        case .declined: "nothing was cleared"
        case .left(let topics, let reason):
            "\(topics.count) could not be cleared, among them \(topics.prefix(3).joined(separator: ", ")): \(reason)"
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .noBroker: .unavailable
        case .noLink(let error): ExitCode(error)
        case .notAllowed, .mayNotAsk: .noPermission
        case .running, .declined, .left: .failure
        }
    }
}
