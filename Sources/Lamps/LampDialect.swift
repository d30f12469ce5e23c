import Things

/// How a kind of lamp is spoken to over MQTT, and how it answers.
package protocol LampDialect: Sendable {
    /// Where the lamp takes its orders.
    var commandTopics: [String] { get }
    /// Where it tells what it is like; empty for a lamp that never does.
    var stateTopics: [String] { get }
    /// The topics that are this lamp's alone: what shares one of them with it is the same lamp.
    var lampTopics: Set<String> { get }
    /// Where is told whether it can be reached; it is while all of them say so, or nothing.
    var availabilityTopics: [String] { get }
    /// The longest change that the lamp spreads over a time by itself, seconds; 0 if it cannot.
    var longestFade: Double { get }

    /// What a message on one of its topics says.
    func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport

    /// What is to be published so that the lamp becomes as wanted.
    ///
    /// - Parameters:
    ///   - wanted: What is to change, with `isOn` always.
    ///   - lamp: What the lamp was last known to be like.
    ///   - seconds: Over which time; at most ``longestFade``.
    func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage]

    /// What is to be published so that the lamp tells what it is like; empty if it cannot be asked.
    ///
    /// - Parameter wanted: Says with what it has which attributes matter.
    func question(about wanted: LampState) -> [LampMessage]
}

extension LampDialect {
    package var lampTopics: Set<String> { Set(commandTopics + stateTopics) }

    /// Everything that has to be heard.
    package var topics: [String] { stateTopics + availabilityTopics }

    /// Every topic on which something is ever published.
    package var publishedTopics: [String] {
        let all = LampState(isOn: true, level: 0.5, colour: RGBColour(hex: 0xFF0000))
        let states = [all, LampState(isOn: true, level: 0.5), LampState(isOn: true), LampState(isOn: false)]
        let orders = states.flatMap {
            order($0, from: LampState(), over: nil) + order($0, from: all, over: 1)
        }
        return Set((orders + question(about: all)).map(\.topic)).sorted()
    }
}

/// What a message of a lamp says.
package enum LampReport: Sendable, Hashable {
    case state(LampState)
    case available(Bool)
    /// Nothing that concerns us.
    case nothing
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

/// Why a message of a lamp was not understood.
package struct LampMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The same for all messages that are wrong in the same way.
    package let cause: String
    /// The offending part, shortened.
    package let value: String

    package init(cause: String, value: String) {
        self.cause = cause
        self.value = value
    }

    package var description: String { value.isEmpty ? cause : "\(cause) (is \(value))" }
}
