import MQTT
import Receivers
import Sensing
import Testing
import Threading

@Suite struct ReceiverMessagesTests {
    private let messages = ReceiverMessages()
    private static let payload = #"{"id":"phone:anna","rssi@1m":-65,"rssi":-71.33}"#

    init() { messages.use(topic: "espresense", device: "phone:anna") }

    private func read(
        _ topic: String,
        _ payload: String = payload,
        isRetained: Bool = false,
        at now: Double
    ) -> ReceiverMessages.Received {
        let message = MQTTMessage(
            topic: "espresense/\(topic)",
            payload: Array(payload.utf8),
            isRetained: isRetained
        )
        return messages.read(message, at: now)
    }

    @Test func `a report is read, and says whether it is about the own device`() throws {
        guard case .report(let report, let id) = read("devices/phone:anna/kitchen", at: 5).reading else {
            Issue.record("no report")
            return
        }
        #expect(report.receiver == "kitchen" && report.rssi == -71.33 && messages.isOwn(id))
        guard case .report(_, let other) = read("devices/phone:bob/kitchen", at: 6).reading else {
            Issue.record("no report")
            return
        }
        #expect(!messages.isOwn(other))
    }

    @Test(arguments: [
        ("devices/phone:anna/kitchen", "", false), ("devices/phone:anna/kitchen", payload, true),
        ("rooms/kitchen/status", "online", true), ("rooms/kitchen/telemetry", #"{"uptime":5}"#, false),
        ("rooms/kitchen/absorption", "3", false),
    ])
    func `what is cleared, old, or about the receiver itself is no reading`(
        _ topic: String,
        _ payload: String,
        _ isRetained: Bool
    ) {
        #expect(read(topic, payload, isRetained: isRetained, at: 5).reading == .nothing)
    }

    @Test func `a message that comes twice counts once`() {
        guard case .report = read("devices/phone:anna/kitchen", at: 5).reading else {
            Issue.record("no report")
            return
        }
        #expect(read("devices/phone:anna/kitchen", at: 5.1).reading == .nothing)
    }

    @Test func `a silent receiver is an alert that names it, until it is heard again`() {
        messages.record(linkIsUp: true, at: 0)
        #expect(messages.expect(["kitchen", "hall"], at: 0).isEmpty)
        _ = read("rooms/kitchen/telemetry", #"{"uptime":5}"#, at: 30)
        _ = read("devices/phone:anna/hall", at: 40)
        #expect(messages.advance(to: 89).isEmpty && messages.alerts.silent == nil)
        #expect(messages.advance(to: 91) == [.silent("kitchen")])
        #expect(messages.alerts.silent?.contains("kitchen") == true)
        #expect(read("devices/phone:anna/kitchen", at: 95).changes == [.returned("kitchen")])
        #expect(messages.alerts.silent == nil)
    }

    @Test func `a receiver of which only the broker remembers a status is not missed`() {
        messages.record(linkIsUp: true, at: 0)
        #expect(read("rooms/attic/status", "offline", isRetained: true, at: 1).changes.isEmpty)
        #expect(messages.advance(to: 100).isEmpty && messages.receivers.isEmpty)
    }

    @Test func `nobody is missed without a device or a link`() {
        messages.record(linkIsUp: false, at: 0)
        _ = messages.expect(["kitchen"], at: 0)
        #expect(messages.advance(to: 500).isEmpty)
        messages.use(topic: "espresense", device: nil)
        messages.record(linkIsUp: true, at: 500)
        #expect(messages.expect(["kitchen"], at: 500).isEmpty && messages.advance(to: 900).isEmpty)
    }

    @Test func `a receiver most of whose messages are refused is an alert with the reason`() {
        for second in 0..<20 {
            let received = read("devices/phone:anna/kitchen", #"{"rssi":"loud"}"#, at: Double(second))
            guard case .refused(let error) = received.reading else {
                Issue.record("not refused")
                return
            }
            #expect(error.description.contains("rssi must be a number"))
        }
        #expect(messages.alerts.unusable?.contains("kitchen") == true)
        for second in 20..<60 { _ = read("devices/phone:anna/kitchen", at: Double(second)) }
        #expect(messages.alerts.unusable == nil)
    }

    @Test func `reports about all devices are read, and passed on, only while somebody looks for one`() {
        let (isLooking, heard) = (Locked(false), Locked<[ReceiverMessages.Heard]>([]))
        messages.listen(
            .init(isRecording: { isLooking.withLock { $0 } }) { packet in heard.withLock { $0.append(packet) }
            }
        )
        #expect(messages.reportFilters == ["espresense/devices/phone:anna/+"])
        _ = read("devices/tile:1/kitchen", at: 1)
        #expect(heard.withLock { $0 }.isEmpty)
        isLooking.withLock { $0 = true }
        #expect(messages.reportFilters == ["espresense/devices/+/+"])
        _ = read("devices/tile:1/kitchen", #"{"rssi":-60,"mac":"4b8467a62927"}"#, at: 3)
        #expect(heard.withLock { $0 }.map { "\($0.id) \($0.receiver)" } == ["tile:1 kitchen"])
        #expect(heard.withLock { $0 }.map(\.bits) == [0x4B84_67A6_2927], "by it a key may know the device")
    }

    @Test func `receivers are missed for other devices, too`() {
        messages.use(topic: "espresense", device: nil)
        messages.watch(true)
        messages.record(linkIsUp: true, at: 0)
        #expect(messages.statusFilters.count == 2 && messages.expect(["kitchen"], at: 0).isEmpty)
        #expect(messages.advance(to: 61) == [.silent("kitchen")])
    }

    /// What ``ReceiverMessages`` of a daemon without a device of its own has, whose list has others.
    private func missing(_ receivers: String...) {
        messages.use(topic: "espresense", device: nil)
        messages.watch(true)
        messages.record(linkIsUp: true, at: 0)
        _ = messages.expect(receivers, at: 0)
    }

    @Test func `a receiver that reports about other devices is not silent`() {
        missing("kitchen")
        messages.record(reportBy: "kitchen", problem: nil, at: 30)
        #expect(messages.advance(to: 61) == [.appeared("kitchen")])
        #expect(messages.advance(to: 91) == [.silent("kitchen")])
        messages.record(reportBy: "kitchen", problem: nil, at: 95)
        #expect(messages.alerts.silent == nil)
        #expect(messages.advance(to: 96) == [.returned("kitchen")])
        #expect(messages.advance(to: 97).isEmpty, "each change is returned once")
    }

    @Test func `a receiver most of whose reports about other devices are refused is an alert`() {
        missing("kitchen")
        for second in 0..<20 {
            messages.record(reportBy: "kitchen", problem: ReportError("rssi is missing"), at: Double(second))
        }
        #expect(messages.alerts.unusable?.contains("rssi is missing") == true)
        for second in 20..<40 { messages.record(reportBy: "kitchen", problem: nil, at: Double(second)) }
        #expect(messages.alerts.unusable == nil)
    }

    @Test func `who needs no receivers any more misses none, and later begins with a new minute`() {
        missing("kitchen")
        _ = messages.advance(to: 61)
        #expect(messages.alerts.silent != nil)
        messages.watch(false)
        #expect(messages.alerts.silent == nil && messages.advance(to: 500).isEmpty)
        messages.record(reportBy: "kitchen", problem: nil, at: 510)
        #expect(messages.receivers.isEmpty, "nobody reads what it says")
        messages.watch(true)
        #expect(messages.advance(to: 600).isEmpty)
        #expect(messages.advance(to: 661) == [.silent("kitchen")])
    }
}
