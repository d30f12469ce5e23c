import Bridge
import Controller
import Flare
import MQTT
import Testing

struct MapRendererTests {
    /// A page with its store, and a broker that takes everything.
    private struct Desk {
        var page: MapRenderer
        var store = RetainedTopicStore()

        init(interval: Duration = .seconds(5)) { page = MapRenderer(topic: "t/n/map", interval: interval) }

        /// The picture that is sent at a time, if one is.
        mutating func send(at now: Int64) -> MQTTMessage? {
            page.render(into: &store, at: now)
            let due = store.due(at: now)
            let message = due.first.map { store[$0] }
            for slot in due { store.recordSent(slot, at: now) }
            return message
        }

        mutating func show(_ x: Double) {
            var state = Flat.state
            state.device?.position = Point3D(x: x, y: 0)
            page.observe(StateSnapshot(state: state, changes: Flat.model.union(Flat.view)))
        }

        mutating func sendAfterShowing(_ x: Double, at now: Int64) -> MQTTMessage? {
            show(x)
            return send(at: now)
        }
    }

    @Test func `it is a retained SVG`() throws {
        var desk = Desk()
        desk.show(0)
        let sent = desk.send(at: 0)
        let message = try #require(sent)
        #expect(message.topic == "t/n/map")
        #expect(message.isRetained && message.qos == .atMostOnce)
        #expect(message.properties.contentType == "image/svg+xml")
        let text = String(decoding: message.payload, as: UTF8.self)
        #expect(text.hasPrefix("<svg ") && text.contains(">Lamp</text>"))
    }

    @Test func `however much changes, there is one in the interval, and the last change is shown`() {
        var desk = Desk()
        var times: [Int64] = []
        var last: MQTTMessage?
        for now in stride(from: Int64(0), to: 20_000, by: 100) {
            desk.show(Double(now) / 1000)
            if let message = desk.send(at: now) {
                times.append(now)
                last = message
            }
        }
        #expect(times == [0, 5000, 10_000, 15_000])
        #expect(desk.page.nextDue == 20_000)
        let final = desk.send(at: 20_000)
        #expect(final != nil && final != last)
        #expect(desk.page.nextDue == nil)
        let unchanged = desk.send(at: 60_000)
        #expect(unchanged == nil)
    }

    @Test func `what changes nothing in the picture sends nothing`() {
        var desk = Desk()
        desk.show(0)
        let (first, second) = (desk.send(at: 0), desk.sendAfterShowing(0, at: 10_000))
        #expect(first != nil && second == nil)
    }

    @Test func `before the place was read the picture of an earlier run stays`() {
        var desk = Desk()
        var state = Flat.state
        state.isPlaceKnown = false
        desk.page.observe(StateSnapshot(state: state, changes: Flat.view))
        let (first, second) = (desk.send(at: 0), desk.sendAfterShowing(0, at: 1))
        #expect(first == nil && second != nil)
    }

    @Test func `a server without any environment has a picture that says so`() {
        var desk = Desk()
        var state = ControllerState(epoch: "1")
        state.alerts["no-environment"] = Alert(severity: .warning, message: "none", since: Flat.moment(0))
        desk.page.observe(StateSnapshot(state: state, changes: [.alert("no-environment")]))
        let text = desk.send(at: 0).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(text?.contains("Nothing here") == true)
    }
}
