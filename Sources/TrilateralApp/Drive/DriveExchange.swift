package import Controller
package import JSON
import Messages

/// The rules of one question to a daemon and its answer, over MQTT.
///
/// A command is sent once the daemon is known to be online and our subscriptions stand; before, it would be lost.
package struct DriveExchange {
    /// What is asked.
    package enum Question: Hashable {
        /// A retained topic below `B/`.
        case state(topic: String)
        case command(CommandTopic, members: JSONObject)
    }

    package enum Event: Hashable {
        /// The link is up and the subscriptions stand, save those that were refused.
        case linked(refusedFilters: [String])
        case unlinked(reason: String)
        case message(topic: String, payload: [UInt8])
        case deadline
    }

    package enum Outcome: Hashable {
        /// What was asked for, in the form of its retained topic: JSON, or a plain word as a text.
        case state(JSONValue)
        /// The body of an answer.
        case answer(JSONValue)
        case noBroker(String)
        case notAllowed(String)
        /// The link to the broker cannot be made as it is configured; with the exit code.
        case noLink(String, status: Int32)
        case noDaemon(String)
        /// There is no such thing, although everything is in order.
        case unknown(String)
    }

    package enum Step: Hashable {
        case publish(topic: String, payload: [UInt8])
        case finish(Outcome)
    }

    private let root: String
    private let topics: Topics
    private let question: Question
    private let reading: [String]
    private let tx: JSONValue
    private let timeout: String

    private var isLinked = false
    private var wasLinked = false
    private var lastReason: String?
    private var status: String?
    private var value: JSONValue?
    /// What was retained on the topics that were to be read too, by topic below `B/`.
    package private(set) var read: JSONObject = [:]
    private var isSent = false
    private var isFinished = false

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - reading: Further topics below `B/`, or filters. What they retain is there when a command is answered, for
    ///     the broker sends it before.
    ///   - tx: A mark that nobody else uses.
    ///   - timeout: How long is waited, for messages.
    package init(
        root: String,
        question: Question,
        reading: [String] = [],
        tx: String,
        timeout: String
    ) {
        self.root = root
        topics = Topics(root: root)
        self.question = question
        self.reading = reading
        self.tx = .string(tx)
        self.timeout = timeout
    }

    /// What has to be subscribed before the link is made.
    package var filters: [String] { needed + reading.map { "\(root)/\($0)" } }

    /// What must be readable.
    private var needed: [String] {
        switch question {
        case .state(let topic): [topics.status, "\(root)/\(topic)"]
        case .command(let command, _): [topics.status, topics.response(command.subject)]
        }
    }

    package mutating func apply(_ event: Event) -> [Step] {
        guard !isFinished else { return [] }
        let steps = next(event)
        if steps.contains(where: { if case .finish = $0 { true } else { false } }) { isFinished = true }
        return steps
    }

    private mutating func next(_ event: Event) -> [Step] {
        switch event {
        case .linked(let refused):
            let missing = refused.filter { needed.contains($0) }
            guard missing.isEmpty else {
                let topics = missing.joined(separator: ", ")
                return [.finish(.notAllowed("the broker does not let this user read \(topics)"))]
            }
            isLinked = true
            wasLinked = true
            return proceed()
        case .unlinked(let reason):
            isLinked = false
            lastReason = reason
            return []
        case .message(let topic, let payload):
            return heard(topic, payload)
        case .deadline:
            return [.finish(overdue)]
        }
    }

    private mutating func heard(_ topic: String, _ payload: [UInt8]) -> [Step] {
        let text = String(decoding: payload, as: UTF8.self)
        if topic == topics.status {
            status = text
            return proceed()
        }
        switch question {
        case .state(let wanted) where topic == "\(root)/\(wanted)" && !payload.isEmpty:
            value = JSONValue(retained: payload)
            return proceed()
        case .command(let command, _) where topic == topics.response(command.subject) && isSent:
            guard let answer = try? JSONValue(parsing: payload), answer["tx"] == tx else { return [] }
            // What is asked for is told in the form in which its topic has it, however it is asked for.
            if command.subject == .get, answer["status"]?.string == "ok", let data = answer["data"] {
                return [.finish(.state(data))]
            }
            return [.finish(.answer(answer))]
        case .state, .command:
            if topic.hasPrefix("\(root)/"), !topic.hasPrefix("\(root)/response/") {
                let tail = String(topic.dropFirst(root.count + 1))
                read[tail] = payload.isEmpty ? nil : JSONValue(retained: payload)
            }
            return []
        }
    }

    private mutating func proceed() -> [Step] {
        guard isLinked, status == "online" else { return [] }
        switch question {
        case .state:
            return value.map { [.finish(.state($0))] } ?? []
        case .command(let command, let members):
            guard !isSent else { return [] }
            isSent = true
            let payload = JSONValue.object(members.merging(["tx": tx]) { _, new in new })
            return [.publish(topic: topics.command(command), payload: payload.bytes)]
        }
    }

    private var overdue: Outcome {
        guard wasLinked else { return .noBroker(lastReason ?? "the broker did not answer within \(timeout)") }
        guard isLinked else { return .noBroker(lastReason ?? "the link to the broker was lost") }
        switch status {
        case "online"?:
            if case .state(let topic) = question {
                return .noDaemon("\(root) is online, but has no \(topic)")
            }
            return .noDaemon("\(root) is online, but did not answer within \(timeout)")
        case let status?:
            return .noDaemon("no daemon is online at \(root): its status is \"\(status.prefix(40))\"")
        case nil:
            return .noDaemon("no daemon is online at \(root): there is no \(topics.status)")
        }
    }
}

extension JSONValue {
    /// What a topic holds: JSON, or else a plain word as a text.
    init(retained payload: [UInt8]) {
        self = (try? JSONValue(parsing: payload)) ?? .string(String(decoding: payload, as: UTF8.self))
    }
}
