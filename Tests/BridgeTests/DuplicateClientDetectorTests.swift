import Bridge
import Controller
import MQTT
import Testing

struct DuplicateClientDetectorTests {
    private var detector = DuplicateClientDetector(clientID: "porch", steadyMilliseconds: 90_000)
    private static let taken = MQTTError.endedByBroker(address: "b", code: 0x8E, reason: "Session taken over")
    private static let lost = MQTTError.lost(address: "b", reason: "the other side closed the connection")

    private func message(_ events: [ControllerEvent]) -> String? {
        guard case .alertRaised(DuplicateClientDetector.alert, .error, let message)? = events.first else {
            return nil
        }
        return message
    }

    /// A link that begins and ends at these times, milliseconds.
    private mutating func link(_ start: Int64, _ end: Int64, _ error: MQTTError = lost, isIdle: Bool = true)
        -> [ControllerEvent]
    {
        detector.connected(at: start)
        return detector.disconnected(error, isIdle: isIdle, at: end)
    }

    @Test mutating func `a session that another client takes over is an alert that names the client id`() {
        let alert = message(link(0, 600_000, Self.taken))
        #expect(alert?.contains(#"client id "porch""#) == true)
        #expect(detector.isContested)
    }

    @Test
    mutating func
        `the third link that is closed soon after it was made is an alert without a reason code too`()
    {
        #expect(link(0, 1000) == [])
        #expect(!detector.isContested)
        #expect(link(2000, 4000) == [])
        #expect(detector.isContested)
        let alert = message(link(8000, 70_000))
        #expect(alert?.contains(#"client id "porch""#) == true)
        #expect(alert?.contains("last 3 links") == true)
    }

    @Test mutating func `a broker that is restarted again and again is no alert`() {
        for round in 0..<10 {
            let start = Int64(round) * 5000
            #expect(link(start, start + 1000) == [])
            let gone = MQTTError.unreachable(address: "b", reason: "Connection refused")
            #expect(detector.disconnected(gone, isIdle: true, at: start + 2000) == [])
        }
    }

    @Test mutating func `links that last are no alert when they are lost, and neither are those that we end`()
    {
        for round in 0..<5 {
            let start = Int64(round) * 200_000
            #expect(link(start, start + 100_000) == [])
            #expect(link(start + 100_001, start + 100_002, .reconfigured(address: "b")) == [])
        }
    }

    @Test mutating func `the alert ends once a link lasts longer than another client would wait`() {
        _ = link(0, 1000, Self.taken)
        detector.connected(at: 2000)
        #expect(detector.check(at: 91_999) == [])
        #expect(detector.isContested)
        #expect(detector.check(at: 92_000) == [.alertCleared(DuplicateClientDetector.alert)])
        #expect(!detector.isContested)
        #expect(detector.check(at: 93_000) == [])
    }

    @Test mutating func `links that only end while messages wait are no other client's work`() {
        for start in [Int64(0), 2000] { #expect(link(start, start + 1000, isIdle: false) == []) }
        let third = link(4000, 5000, isIdle: false)
        guard case .alertRaised(DuplicateClientDetector.closings, .error, let text)? = third.first else {
            return #expect(Bool(false), "\(third)")
        }
        #expect(text.contains("max_packet_size") && !text.contains("porch"))
        // Now one ends without any reason of ours.
        let fourth = link(6000, 7000)
        #expect(fourth.first == .alertCleared(DuplicateClientDetector.closings))
        #expect(message(Array(fourth.dropFirst()))?.contains("last 4 links") == true)
        detector.connected(at: 8000)
        #expect(detector.check(at: 98_000) == [.alertCleared(DuplicateClientDetector.alert)])
    }

    @Test func `a random client id is nobody else's`() {
        var detector = DuplicateClientDetector(clientID: "", steadyMilliseconds: 90_000)
        var events: [ControllerEvent] = []
        for start in [Int64(0), 1000, 2000] {
            detector.connected(at: start)
            events += detector.disconnected(Self.lost, isIdle: true, at: start + 1)
        }
        guard case .alertRaised(DuplicateClientDetector.closings, _, _)? = events.first else {
            return #expect(Bool(false), "\(events)")
        }
    }
}
