import Bridge
import Controller
import JSON
import MQTT
import Messages
import Text

/// The retained topics of rules.
///
/// A rule that is told again without a change is not published again: the store sends differences only.
/// - Source: contrib/contract/rules.md, "MQTT".
struct RuleTopics: TopicRenderer {
    private let topics: Topics
    /// Whether the rules of this run are known.
    ///
    /// If they cannot be read, topics of earlier runs stay.
    private(set) var isSettled = false
    /// By topic; an empty payload clears it.
    private var waiting: [String: [UInt8]] = [:]

    init(_ topics: Topics) { self.topics = topics }

    mutating func observe(_ snapshot: StateSnapshot) {
        let slugs = snapshot.changes.compactMap { $0.part(of: RulesSlice.ruleChanges) }
        guard !slugs.isEmpty || !isSettled else { return }
        let rules = snapshot.state.slices[RulesSlice.self]
        if rules.isLoaded { isSettled = true }
        for slug in slugs {
            let json = rules.number(of: slug).flatMap { rules.json(ofRule: $0) }
            waiting[topics.rule(slug)] = json.map { SecretMask.tokens.masked(.object($0)).bytes } ?? []
        }
    }

    mutating func render(into store: inout RetainedTopicStore, at now: Int64) {
        guard !waiting.isEmpty else { return }
        for (topic, payload) in waiting.sorted(by: { $0.key < $1.key }) {
            store.set(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true))
        }
        waiting = [:]
    }

    var nextDue: Int64? { nil }

    func isExpected(_ topic: String) -> Bool { waiting[topic].map { !$0.isEmpty } ?? false }
}
