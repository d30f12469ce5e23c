import MQTT
import Text
import Things

/// Where the senders of commands may have answers published (response topics of MQTT 5).
///
/// The daemon publishes there with its own rights, and the broker does not tell what the sender may write. So only
/// topics count that are set aside for answers.
package struct ResponseTopics: Sendable, Hashable {
    /// Most bytes of correlation data; clients send an identifier of some 16 bytes.
    static let maximumCorrelation = 1024

    private let filters: [String]
    /// Never a response topic, whatever the filters say: an answer there would be a state, a command or an announcement.
    private let reserved: [String]

    /// - Parameters:
    ///   - filters: As configured.
    ///   - reserved: The first levels of topics that mean something to others.
    package init(_ filters: [String] = BridgeConfiguration().responseTopics, reserved: [String] = []) {
        (self.filters, self.reserved) = (filters, reserved)
    }

    package func contains(_ topic: String) -> Bool {
        TopicRules.isPublic(topic) && !reserved.contains { topic == $0 || topic.hasPrefix($0 + "/") }
            && filters.contains { TopicRules.matches(topic, filter: $0) }
    }

    /// - Returns: `nil` if the sender names none.
    /// - Throws: `not_allowed` for a topic that is not set aside for answers, or has a token in it.
    func address(
        of message: MQTTMessage,
        _ route: CommandRoute
    ) throws(Refusal) -> CommandRoute.Address? {
        guard !message.properties.isEmpty, let topic = message.properties.responseTopic, !topic.isEmpty
        else { return nil }
        let correlation = message.properties.correlationData
        if let bytes = correlation?.count, bytes > Self.maximumCorrelation {
            throw Refusal(
                .tooLarge,
                "the correlation data has \(bytes) bytes; at most \(Self.maximumCorrelation) are allowed"
            )
        }
        let hasToken =
            SecretMask.tokens.finds(in: topic)
            || correlation?.withUnsafeBytes { SecretMask.tokens.finds(in: $0) } ?? false
        guard !hasToken else {
            throw Refusal(.notAllowed, "there is a token in the response topic or the correlation data")
        }
        guard TopicRules.isPublic(topic) else {
            throw Refusal(
                .notAllowed,
                """
                answers cannot be published on the response topic \(QuotedValue.of(topic)): it must have at most \
                \(TopicRules.maximumSlashes) slashes and no + or #, and must not begin with $
                """
            )
        }
        let legal: String
        if let own = route.userResponses {
            let level = topic.dropFirst(own.count)
            if topic.hasPrefix(own), !level.isEmpty, !level.contains("/") {
                return CommandRoute.Address(topic: topic, correlation: correlation)
            }
            legal = own + "+"
        } else {
            if contains(topic) {
                return CommandRoute.Address(topic: topic, correlation: correlation)
            }
            legal = filters.isEmpty ? "none" : QuotedValue.list(filters)
        }
        throw Refusal(
            .notAllowed,
            """
            answers are not published on the response topic \(QuotedValue.of(topic)); legal: \(legal)\
            \(route.user == nil ? " (mqtt.response_topics)" : "")
            """
        )
    }
}
