import Controller
import Daemon
import MQTT
import Messages
import Testing
import Threading

/// Displays on the broker, as events for the controller.
struct BrokerDisplaysTests {
    /// The displays, the events they have sent, and a wait that the test ends.
    private final class Hall: Sendable {
        let displays: BrokerDisplays
        let sent = Locked<[String]>([])
        let refused = Locked<[String]>([])
        let (waits, wait) = AsyncStream.makeStream(of: Void.self)

        init() throws {
            let loop = try LoopExecutor()
            displays = BrokerDisplays(
                on: loop,
                topics: Topics(root: "t/n"),
                sleep: { [waits] _ in
                    for await _ in waits { return }
                    throw CancellationError()
                },
                onRefused: { [refused] why in refused.withLock { $0.append(why) } },
                send: { [sent] event in
                    guard case .slice(let own) = event,
                        case .displayChanged(let id, let presence)? = own.value as? Lifecycle.Event
                    else { return }
                    sent.withLock { $0.append("\(id) \(presence.rawValue)") }
                }
            )
        }

        func says(_ id: String, _ payload: String) async {
            let topic = "t/n/display/\(id)/presence"
            await displays.receive(MQTTMessage(topic: topic, payload: Array(payload.utf8)))
        }

        var heard: [String] { sent.withLock { $0 } }
    }

    @Test func `each change of a display is sent, and gone only if it was there`() async throws {
        let hall = try Hall()
        await hall.says("a", "gone")
        await hall.says("a", "visible")
        await hall.says("a", "hidden")
        await hall.says("a", "")
        #expect(hall.heard == ["mqtt/a visible", "mqtt/a hidden", "mqtt/a gone"])
    }

    @Test func `an invalid presence or id is refused and not sent`() async throws {
        let hall = try Hall()
        await hall.says("a", "maybe")
        await hall.says(String(repeating: "x", count: 65), "visible")
        await hall.says("", "visible")
        #expect(hall.heard == [])
        let refused = hall.refused.withLock { $0 }
        #expect(refused.count == 3)
        #expect(refused.first?.contains(#"("a" sent "maybe")"#) == true)
        #expect(refused.last?.contains(#""t/n/display//presence""#) == true)
    }

    @Test func `after a connection a display that the broker does not name is gone`() async throws {
        let hall = try Hall()
        await hall.says("a", "visible")
        await hall.says("b", "visible")
        await hall.displays.brokerChanged(isUp: false)
        await hall.displays.brokerChanged(isUp: true)
        await hall.says("b", "visible")
        hall.wait.yield()
        while hall.heard.count < 4 { await Task.yield() }
        #expect(hall.heard == ["mqtt/a visible", "mqtt/b visible", "mqtt/b visible", "mqtt/a gone"])
    }

    @Test func `a display that the broker names before it counts as connected stays`() async throws {
        let hall = try Hall()
        // At the start, and again after an interruption.
        await hall.says("a", "visible")
        await hall.displays.brokerChanged(isUp: true)
        hall.wait.yield()
        await hall.displays.brokerChanged(isUp: false)
        await hall.says("a", "visible")
        await hall.displays.brokerChanged(isUp: true)
        hall.wait.finish()
        await hall.says("a", "hidden")
        #expect(hall.heard == ["mqtt/a visible", "mqtt/a visible", "mqtt/a hidden"])
    }

    @Test func `a connection that is lost again leaves the displays as they were`() async throws {
        let hall = try Hall()
        await hall.says("a", "visible")
        await hall.displays.brokerChanged(isUp: true)
        await hall.displays.brokerChanged(isUp: false)
        hall.wait.finish()
        await hall.says("a", "hidden")
        #expect(hall.heard == ["mqtt/a visible", "mqtt/a hidden"])
    }
}
