import JSON
import Logging
import MQTT
import TestSupport

/// Somebody on the broker who hears everything of one daemon, and commands it.
actor Visitor {
    let root: String
    nonisolated let client: MQTTClient
    /// Everything below the root, in order; answers to ``ask(_:_:)`` are not among it.
    private(set) var heard: [MQTTMessage] = []
    private var byTopic: [String: [MQTTMessage]] = [:]
    private var answers: [[UInt8]: [JSONValue]] = [:]
    private var questions: UInt32 = 0
    private let replies: String

    struct NotHeard: Error, CustomStringConvertible {
        let topic: String
        let last: String?

        var description: String { "\(topic) did not say what was awaited; the last: \(last ?? "nothing")" }
    }

    /// - Parameter user: The name at the broker, below which answers come.
    init(root: String, client: MQTTClient, user: String? = nil) {
        self.root = root
        self.client = client
        replies = "replies/\(user.map { "\($0)/" } ?? "")\(UInt64.random(in: .min ... .max))"
    }

    /// Subscribes; call it once.
    nonisolated func listen() -> AsyncStream<MQTTMessage> {
        client.subscribe(["\(root)/#", "\(replies)/#"], qos: .atLeastOnce)
    }

    func hear(_ message: MQTTMessage) {
        if message.topic.hasPrefix(replies) {
            guard let key = message.properties.correlationData else { return }
            answers[key, default: []].append((try? JSONValue(parsing: message.payload)) ?? .null)
        } else {
            heard.append(message)
            byTopic[message.topic, default: []].append(message)
        }
    }

    /// Forgets everything.
    func forget() {
        heard.removeAll()
        byTopic.removeAll()
    }

    // MARK: What was heard

    /// All that was said on a topic below the root, as text.
    func said(on tail: String) -> [String] { byTopic["\(root)/\(tail)"]?.map(\.text) ?? [] }

    func messages(on tail: String) -> [MQTTMessage] { byTopic["\(root)/\(tail)"] ?? [] }

    /// What a topic holds, as far as was heard; `nil` for nothing.
    func text(_ tail: String) -> String? { said(on: tail).last.flatMap { $0.isEmpty ? nil : $0 } }

    func json(_ tail: String) -> JSONValue? { text(tail).flatMap { try? JSONValue(parsing: $0) } }

    /// All objects that were said on a topic.
    func objects(on tail: String) -> [JSONValue] { said(on: tail).compactMap { try? JSONValue(parsing: $0) } }

    /// What the daemon said, in operation: without the commands that others gave it.
    var told: [MQTTMessage] {
        heard.filter { message in
            let levels = message.topic.dropFirst(root.count + 1).split(separator: "/")
            return levels.first == "response"
                || !levels.contains { ["set", "run", "action", "get", "request", "raw"].contains($0) }
                    && !(levels.last == "command" && levels.first != "edge")
        }
    }

    /// The events of all kinds, in order.
    var events: [JSONValue] {
        heard.filter { $0.topic.hasPrefix("\(root)/event/") }.compactMap {
            try? JSONValue(parsing: $0.payload)
        }
    }

    /// The events but for the calls of the lifecycle, which come whenever the displays have been waited for.
    var eventsWithoutCalls: [JSONValue] { events.filter { $0["call"] == nil } }

    /// Waits until a topic holds this text, empty for nothing.
    func awaits(_ tail: String, _ text: String, within limit: Duration = .seconds(30)) async throws {
        guard await eventually(within: limit, { said(on: tail).last == text }) else {
            throw NotHeard(topic: tail, last: said(on: tail).last)
        }
    }

    /// Waits until the last object on a topic is as wanted.
    @discardableResult
    func awaits(
        _ tail: String,
        within limit: Duration = .seconds(30),
        _ condition: (JSONValue) -> Bool = { _ in true }
    ) async throws -> JSONValue {
        var found: JSONValue?
        let isFound = await eventually(within: limit) {
            found = json(tail)
            return found.map(condition) ?? false
        }
        guard isFound, let found else { throw NotHeard(topic: tail, last: said(on: tail).last) }
        return found
    }

    /// Waits for the next event of a type.
    @discardableResult
    func awaitsEvent(_ topic: String, _ type: String, after count: Int = 0) async throws -> JSONValue {
        var found: JSONValue?
        let isFound = await eventually {
            found =
                objects(on: "event/\(topic)").filter { $0["event_type"]?.string == type }.dropFirst(count)
                .first
            return found != nil
        }
        guard isFound, let found else {
            throw NotHeard(topic: "event/\(topic)", last: text("event/\(topic)"))
        }
        return found
    }

    /// Waits until a daemon that the body starts has said that it is there, and all that it has to say.
    func whileStarting(_ body: () async throws -> Void) async throws {
        forget()
        try await body()
        try await awaitsEvent("bridge", "started")
        try await awaits("status", "online")
        try await awaits("device") { $0["id"]?.string != nil }
        try await awaits("state") { $0["device"]?["id"]?.string != nil }
    }

    // MARK: Commands

    /// Says something, without waiting for anything.
    nonisolated func say(_ tail: String, _ payload: String, isRetained: Bool = false) {
        say(absolute: "\(root)/\(tail)", payload, isRetained: isRetained)
    }

    /// Publishes outside the daemon's own tree.
    nonisolated func say(absolute topic: String, _ payload: String, isRetained: Bool = false) {
        client.publish(
            MQTTMessage(
                topic: topic,
                payload: Array(payload.utf8),
                qos: .atLeastOnce,
                isRetained: isRetained
            )
        )
    }

    /// Sends a command and returns its answer from the response topic.
    @discardableResult
    func ask(_ tail: String, _ payload: String = "", within limit: Duration = .seconds(30)) async throws
        -> JSONValue
    {
        questions += 1
        let key = Array("\(questions)".utf8)
        var message = MQTTMessage(topic: "\(root)/\(tail)", payload: Array(payload.utf8), qos: .atLeastOnce)
        message.properties.responseTopic = "\(replies)/\(questions)"
        message.properties.correlationData = key
        client.publish(message)
        guard await eventually(within: limit, { answers[key] != nil }), let answer = answers[key]?.first
        else {
            throw NotHeard(topic: "the answer to \(tail)", last: nil)
        }
        return answer
    }

    /// All answers that came for the questions so far, by question.
    var answerCounts: [Int] { answers.values.map(\.count) }
}

extension MQTTMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension JSONValue {
    /// `ok`, or the code of the refusal.
    var outcome: String {
        self["status"]?.string == "ok" ? "ok" : self["error"]?["code"]?.string ?? "\(self)"
    }
}

/// Runs the body with a visitor that is connected, unless it is not to wait for that.
func withVisitor<Result: Sendable>(
    to root: String,
    port: Int,
    waits: Bool = true,
    _ change: (inout MQTTConfiguration) -> Void = { _ in },
    _ body: (Visitor) async throws -> Result
) async throws -> Result {
    var configuration = MQTTConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = port
    configuration.reconnectMinimumSeconds = 0.02
    configuration.reconnectMaximumSeconds = 0.2
    change(&configuration)
    let client = MQTTClient(configuration, logger: .silent)
    let visitor = Visitor(root: root, client: client, user: configuration.username)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        let messages = visitor.listen()
        group.addTask { for await message in messages { await visitor.hear(message) } }
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        if waits { for await event in client.links { if case .connected = event { break } } }
        return try await body(visitor)
    }
}
