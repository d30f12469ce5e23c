import Things

/// The MQTT protocol of a kind of lamp.
package protocol LampDialect: Sendable {
    /// The topics of its commands.
    var commandTopics: [String] { get }
    /// The topics of its state; empty for a lamp that reports none.
    var stateTopics: [String] { get }
    /// The topics that identify the lamp: another lamp with one of them is the same lamp.
    var lampTopics: Set<String> { get }
    /// The topics that report whether it is online; it is unless one of them says otherwise. Of several in a group
    /// one says so, but which is not known: one that says online is right.
    var availabilityGroups: [[String]] { get }
    /// The longest transition that the lamp performs itself, seconds; 0 if it has none.
    var longestFade: Double { get }

    /// Parses a message on one of its topics, as far as that is possible.
    ///
    /// - Throws: If nothing of it can be read.
    func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport

    /// The messages that bring the lamp to a state.
    ///
    /// - Parameters:
    ///   - wanted: What to change; `isOn` is always set.
    ///   - lamp: The last known state of the lamp.
    ///   - seconds: Duration of the transition; at most ``longestFade``.
    func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage]

    /// The messages that request the lamp's state; empty if it cannot be requested.
    ///
    /// - Parameter wanted: Its attributes are the ones to request.
    func stateRequest(for wanted: LampState) -> [LampMessage]
}

extension LampDialect {
    package var lampTopics: Set<String> { Set(commandTopics + stateTopics) }

    package var availabilityTopics: [String] { availabilityGroups.flatMap { $0 } }
    package func stateRequest(for wanted: LampState) -> [LampMessage] { [] }

    /// All topics to subscribe to.
    package var topics: [String] { stateTopics + availabilityTopics }

    /// All topics on which messages are published.
    package var publishedTopics: [String] {
        let all = LampState(isOn: true, level: 0.5, colour: RGBColour(hex: 0xFF0000))
        let states = [all, LampState(isOn: true, level: 0.5), LampState(isOn: true), LampState(isOn: false)]
        let orders = states.flatMap {
            order($0, from: LampState(), over: nil) + order($0, from: all, over: 1)
        }
        return Set((orders + stateRequest(for: all)).map(\.topic)).sorted()
    }
}

/// The content of a lamp's message.
package enum LampReport: Sendable, Hashable {
    /// The values that could be used, and those that are open.
    case state(LampState, LampUnknowns = LampUnknowns())
    /// `nil` when this is no longer reported.
    case available(Bool?)
    /// Nothing of interest.
    case nothing
}

/// What a report mentions without a value that can be used: null, or a text where a number belongs.
package struct LampUnknowns: Sendable, Hashable {
    package var isOn = false
    package var level = false
    package var colour = false
    /// Why values could not be used; empty for null.
    package var errors: [LampMessageError] = []
}

/// A message to a lamp; never retained.
package struct LampMessage: Sendable, Hashable {
    package let topic: String
    package let payload: String

    package init(_ topic: String, _ payload: String) {
        self.topic = topic
        self.payload = payload
    }
}

/// Why a lamp's message, or a value of it, could not be used.
package struct LampMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The same for all messages with the same error.
    package let cause: String
    /// The offending part, shortened.
    package let value: String

    package init(cause: String, value: String = "") { (self.cause, self.value) = (cause, value) }

    package var description: String { value.isEmpty ? cause : "\(cause) (is \(value))" }
}
