import Bridge
import Controller
import MQTT
import Testing

struct BrokerRefusalsTests {
    private func session(_ refused: [String]) -> MQTTSession {
        MQTTSession(version: .v5, refusedFilters: refused)
    }

    private func raised(_ event: ControllerEvent?) -> (id: String, message: String)? {
        guard case .alertRaised(let id, _, let message) = event else { return nil }
        return (id, message)
    }

    @Test func `a refused link is an alert with its reason, until a link has lasted`() {
        var refusals = BrokerRefusals()
        let error = MQTTError.malformed(
            address: "broker:1883",
            what: "CONNACK with the unknown property 0x7f"
        )
        let alert = raised(refusals.disconnected(error).last)
        #expect(alert?.id == BrokerRefusals.link)
        #expect(alert?.message == "broker:1883 sent what is not MQTT: CONNACK with the unknown property 0x7f")
        #expect(refusals.intervalPassed().events.isEmpty)
        #expect(refusals.intervalPassed().events == [.alertCleared(BrokerRefusals.link)])
        #expect(refusals.intervalPassed().events.isEmpty)
    }

    @Test func `a broker that is only away is no alert`() {
        var refusals = BrokerRefusals()
        for error in [
            MQTTError.unreachable(address: "a", reason: "Connection refused"),
            .lost(address: "a", reason: "x"),
        ] {
            #expect(refusals.disconnected(error) == [.alertCleared(BrokerRefusals.publications)])
        }
    }

    @Test func `refused publications are one cause each, and sent again until they are taken`() {
        var refusals = BrokerRefusals()
        #expect(refusals.refused(["b": "Not authorized", "a": "Not authorized"]) == ["Not authorized": "a"])
        #expect(refusals.refused(["c": "Not authorized", "d": "Quota"]) == ["Quota": "d"])
        let alert = raised(refusals.publicationsEvent)
        #expect(alert?.id == BrokerRefusals.publications)
        #expect(alert?.message.contains("a, b, c and 1 more: Not authorized") == true)
        #expect(refusals.intervalPassed().retry == ["a", "b", "c", "d"])
        // Refused again: the same cause is not told again.
        #expect(refusals.refused(["a": "Not authorized"]) == [:])
        let second = refusals.intervalPassed()
        #expect(second.retry == ["a"])
        #expect(second.events.isEmpty)
        let third = refusals.intervalPassed()
        #expect(third.retry.isEmpty)
        #expect(third.events == [.alertCleared(BrokerRefusals.publications)])
        #expect(refusals.refused(["a": "Not authorized"]) == ["Not authorized": "a"])
    }

    @Test func `topics that may not be read are an alert that names them`() {
        let refusals = BrokerRefusals()
        #expect(refusals.connected(session([])) == .alertCleared(BrokerRefusals.subscriptions))
        let alert = raised(refusals.connected(session(["x/set", "y/set"])))
        #expect(alert?.id == BrokerRefusals.subscriptions)
        #expect(alert?.message.contains("x/set, y/set") == true)
    }
}
