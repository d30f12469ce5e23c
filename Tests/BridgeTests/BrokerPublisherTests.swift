import Bridge
import Controller
import JSON
import Logging
import MQTT
import Messages
import Testing
import Threading

struct BrokerPublisherTests {
    /// A client with room for some messages, and a limit on their size.
    private final class Client: Sendable {
        let sent = Locked<[MQTTMessage]>([])
        let room: Int
        let maximumBytes: Int
        /// A topic for which the broker ends links.
        let deadly: String?

        init(room: Int = .max, maximumBytes: Int = .max, deadly: String? = nil) {
            (self.room, self.maximumBytes, self.deadly) = (room, maximumBytes, deadly)
        }

        func publish(_ message: MQTTMessage) -> MQTTPublishOutcome {
            sent.withLock { sent in
                guard message.payload.count <= maximumBytes else {
                    return .refused(.tooLarge(topic: message.topic, bytes: message.payload.count))
                }
                guard message.topic != deadly else {
                    return .refused(
                        .refusedByBroker(topic: message.topic, code: 130, reason: "it ended 3 links")
                    )
                }
                guard sent.count < room else { return .refused(.queueFull(limit: room)) }
                sent.append(message)
                return .queued
            }
        }

        var topics: [String] { sent.withLock { $0.map(\.topic) } }
    }

    private static let topics = Topics(root: "t/n")

    private func publisher(_ client: Client, seconds: @escaping @Sendable () -> Double = { 0 })
        -> BrokerPublisher
    {
        BrokerPublisher(
            latency: PositionLatency(topic: Self.topics.devicePosition, seconds: seconds),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            handOver: { client.publish($0) }
        )
    }

    private func message(_ tail: String, _ payload: String = "1") -> MQTTMessage {
        MQTTMessage(
            topic: "t/n/\(tail)",
            payload: Array(payload.utf8),
            qos: .atLeastOnce,
            isRetained: true
        )
    }

    private func event(_ sequence: Int) -> ChangeEvent {
        ChangeEvent(
            topic: .zone,
            type: "enter",
            sequence: sequence,
            at: Flat.moment(0),
            cause: ChangeEvent.Cause("sensor")
        )
    }

    @Test func `retained topics wait for a link, events do not`() {
        let client = Client()
        var publisher = publisher(client)
        publisher.retained.set(message("zone"))
        publisher.flush(at: 0)
        publisher.publish(event(1), epoch: "1", on: Self.topics)
        #expect(client.topics == [])
        #expect(publisher.droppedMessages == 0, "nobody could have waited for it")
        publisher.linkUp()
        publisher.flush(at: 0)
        publisher.publish(event(2), epoch: "1", on: Self.topics)
        #expect(client.topics == ["t/n/zone", "t/n/event/zone"])
    }

    @Test func `an event with a further topic is published there, too`() throws {
        let client = Client()
        var publisher = publisher(client)
        publisher.linkUp()
        var fired = event(1)
        (fired.topic, fired.type, fired.furtherTopic) = (.rule, "fired", "rules/night/fired")
        publisher.publish(fired, epoch: "1", on: Self.topics)
        #expect(client.topics == ["t/n/event/rule", "t/n/rules/night/fired"])
        let sent = client.sent.withLock { $0 }
        #expect(sent.first?.payload == sent.last?.payload && sent.allSatisfy { !$0.isRetained })
    }

    @Test func `a full client gets the rest when it has room again`() {
        let client = Client(room: 1)
        var publisher = publisher(client)
        publisher.linkUp()
        publisher.retained.set(message("a"))
        publisher.retained.set(message("b"))
        publisher.flush(at: 0)
        #expect(!publisher.canSend)
        client.sent.withLock { $0.removeAll() }
        publisher.flush(at: 0)
        #expect(client.topics == [])
        publisher.drained()
        publisher.flush(at: 0)
        #expect(client.topics == ["t/n/b"])
        #expect(publisher.retained.isSent)
    }

    @Test func `every link sends everything again, a lost one sends nothing`() {
        let client = Client()
        var publisher = publisher(client)
        publisher.linkUp()
        publisher.retained.set(message("a"))
        publisher.flush(at: 0)
        publisher.linkDown()
        publisher.retained.set(message("b"))
        publisher.flush(at: 0)
        #expect(client.topics == ["t/n/a"])
        publisher.linkUp()
        publisher.flush(at: 0)
        #expect(client.topics == ["t/n/a", "t/n/a", "t/n/b"])
    }

    @Test func `a topic for which the broker ended links is a refusal, and the others are sent`() {
        let client = Client(deadly: "t/n/state")
        var publisher = publisher(client)
        publisher.linkUp()
        for tail in ["info", "state", "zone"] { publisher.retained.set(message(tail)) }
        publisher.flush(at: 0)
        #expect(client.topics.sorted() == ["t/n/info", "t/n/zone"])
        let refusals = publisher.drainRefusals()
        #expect(refusals == ["t/n/state": "it ended 3 links (code 130)"])
    }

    @Test func `an answer goes to both topics, and one that is too large becomes a refusal`() throws {
        let client = Client(maximumBytes: 1000)
        var publisher = publisher(client)
        publisher.linkUp()
        var inbox = CommandInbox(root: "t/n", commands: .tested) { _ in nil }
        var command = message("request/ping", "")
        command.isRetained = false
        command.properties.responseTopic = "replies/me"
        command.properties.correlationData = [7]
        guard case .handle(let ping)? = inbox.receive(command).first else {
            Issue.record("not a command")
            return
        }
        var answer = Answer(ticket: ping.ticket, tx: 1, subject: .verb("ping"))
        answer.data = .string(String(repeating: "a", count: 2000))
        publisher.publish(inbox.reply(with: answer), on: Self.topics)
        #expect(client.topics == ["t/n/response/ping", "replies/me"])
        for message in client.sent.withLock({ $0 }) {
            let body = try JSONValue(parsing: message.payload)
            #expect(body["error"]?["code"] == "too_large" && body["tx"] == 1)
        }
        #expect(client.sent.withLock { $0.last?.properties.correlationData } == [7])
        #expect(publisher.droppedMessages == 0)
    }

    @Test func `the latency of a position is measured when it is published`() {
        let client = Client()
        var publisher = publisher(client, seconds: { 2.5 })
        publisher.linkUp()
        var state = Flat.state
        state.fix?.heardAt = 2
        publisher.observe(StateSnapshot(state: state, changes: [.position]))
        publisher.retained.set(message("device/position"))
        publisher.flush(at: 0)
        publisher.retained.resend("t/n/device/position")
        publisher.flush(at: 0)
        #expect(publisher.latency.histogram.count == 1)
        #expect(abs((publisher.latency.histogram.quantile(0.5) ?? 0) - 0.5) < 0.05)
    }
}
