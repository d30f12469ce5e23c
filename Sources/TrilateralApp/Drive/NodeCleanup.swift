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
    func survey() async throws(VerbError) -> RetainedNode {
        let node = RetainedNode(
            root: root,
            discoveryPrefix: discoveryPrefix,
            mark: "forget-" + UUID().uuidString.lowercased()
        )
        let limit = limit
        let result = await BrokerSession(link).run(filters: node.filters, timeout: limit) {
            visit -> Result<RetainedNode, VerbError> in
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
                        let filters = session.refusedFilters.joined(separator: ", ")
                        let reason = "the broker does not let this user read \(filters)"
                        return .failure(VerbError(reason, .noPermission))
                    }
                    isLinked = true
                    visit.publish(topic: node.ping.topic, payload: node.ping.payload)
                    visit.wake(after: Self.silence)
                case .link(.disconnected(let error)):
                    isLinked = false
                    problem = "\(error)"
                    if error.isFinal { return .failure(VerbError(error)) }
                case .message(let message):
                    node.receive(message)
                    isBusy = isBusy || message.isRetained
                    if node.isAnswering {
                        let reason =
                            "a daemon runs on \(node.root), and would publish everything again: stop it first"
                        return .failure(VerbError(reason, .failure))
                    }
                case .woken:
                    silences = isBusy ? 0 : silences + 1
                    isBusy = false
                    if isLinked, silences >= (node.isOnline ? Self.patience : 1) { return .success(node) }
                    visit.wake(after: Self.silence)
                case .deadline: isLate = true
                case .link(.refused):
                    let reason =
                        "the broker does not let this user publish to \(node.ping.topic), to find out whether a daemon runs there"
                    return .failure(VerbError(reason, .noPermission))
                case .link(.drained), .signal, .acknowledged: break
                }
                if isLate, !isLinked { break }
            }
            return .failure(VerbError(problem, .unavailable))
        }
        return try result.get()
    }

    /// Clears what was found, and what a further look finds.
    ///
    /// - Throws: When something is left.
    func clear(_ found: RetainedNode) async throws(VerbError) {
        var found = found
        for _ in 0..<Self.passes where !found.isEmpty {
            let problems = await publishEmpty(found.all)
            let left = try await survey()
            guard left.all != found.all else {
                throw Self.left(left, problems.first ?? "the broker does not let this user clear them")
            }
            found = left
        }
        guard found.isEmpty else { throw Self.left(found, "they were published again") }
    }

    private static func left(_ node: RetainedNode, _ reason: String) -> VerbError {
        let topics = node.all
        return VerbError(
            "\(topics.count) could not be cleared, among them \(topics.prefix(3).joined(separator: ", ")): \(reason)",
            .failure
        )
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
