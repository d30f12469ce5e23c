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
        #expect(
            alert?.message
                == "the broker at broker:1883 sent an invalid MQTT packet: CONNACK with the unknown property 0x7f"
        )
        #expect(refusals.intervalPassed().events.isEmpty)
        #expect(refusals.intervalPassed().events == [.alertCleared(BrokerRefusals.link)])
        #expect(refusals.intervalPassed().events.isEmpty)
    }

    @Test func `a broker that is only away is no alert`() {
        var refusals = BrokerRefusals()
        for error in [
            MQTTError.unreachable(address: "a", reason: "Connection refused"),
            .lost(address: "a", reason: "x"),
            .endedByBroker(address: "a", code: 0x89, reason: "Server busy"),
            .endedByBroker(address: "a", code: 0x8B, reason: "Server shutting down"),
            .endedByBroker(address: "a", code: 0x98, reason: "Administrative action"),
            // The alert for this one is not about the broker.
            .endedByBroker(address: "a", code: 0x8E, reason: "Session taken over"),
        ] {
            #expect(refusals.disconnected(error) == [.alertCleared(BrokerRefusals.publications)])
        }
    }

    @Test func `refused publications are one cause each, and sent again until they are taken`() {
        var refusals = BrokerRefusals()
        func refuse(_ topics: [String: String]) -> [String: String] {
            refusals.refused(topics) { _ in true }
        }
        #expect(refuse(["b": "Not authorized", "a": "Not authorized"]) == ["Not authorized": "a"])
        #expect(refuse(["c": "Not authorized", "d": "Quota"]) == ["Quota": "d"])
        let alert = raised(refusals.publicationsEvent)
        #expect(alert?.id == BrokerRefusals.publications)
        #expect(alert?.message.contains("a, b, c and 1 more: Not authorized") == true)
        #expect(refusals.intervalPassed().retry == ["a", "b", "c", "d"])
        // Refused again: the same cause is not told again.
        #expect(refuse(["a": "Not authorized"]) == [:])
        let second = refusals.intervalPassed()
        #expect(second.retry == ["a"])
        #expect(second.events.isEmpty)
        let third = refusals.intervalPassed()
        #expect(third.retry.isEmpty)
        #expect(third.events == [.alertCleared(BrokerRefusals.publications)])
        #expect(refuse(["a": "Not authorized"]) == ["Not authorized": "a"])
    }

    @Test func `what cannot be sent again is an alert until the link ends, and promises nothing`() {
        var refusals = BrokerRefusals()
        func refuse(_ topic: String) -> [String: String] {
            refusals.refused([topic: "Not authorized"]) { !$0.hasPrefix("event/") }
        }
        #expect(refuse("event/zone") == ["Not authorized": "event/zone"])
        #expect(raised(refusals.publicationsEvent)?.message.contains("cannot be sent again") == true)
        for _ in 0..<3 {
            let interval = refusals.intervalPassed()
            #expect(interval.retry.isEmpty)
            #expect(interval.events.isEmpty)
        }
        #expect(refuse("event/zone") == [:])
        #expect(refuse("state") == [:])
        #expect(refusals.intervalPassed().retry == ["state"])
        // The state is taken by now.
        let left = refusals.intervalPassed().events
        #expect(raised(left.last)?.message.contains("event/zone: Not authorized") == true)
        #expect(
            refusals.disconnected(.lost(address: "a", reason: "x")) == [
                .alertCleared(BrokerRefusals.publications)
            ]
        )
        #expect(refusals.publicationsEvent == .alertCleared(BrokerRefusals.publications))
    }

    @Test func `what is too large is an alert that names the missing devices and the limits`() {
        var refusals = BrokerRefusals()
        let topics = [
            "ha/device/lamp/config": BrokerRefusals.tooLarge, "t/n/things/lamp": BrokerRefusals.tooLarge,
        ]
        _ = refusals.refused(topics, devices: ["ha/device/lamp/config": "Table lamp"]) {
            !$0.hasPrefix("ha/")
        }
        let message = raised(refusals.publicationsEvent)?.message
        #expect(message?.contains("Home Assistant does not get the devices Table lamp.") == true)
        #expect(message?.contains("max_packet_size") == true)
        #expect(message?.contains("acl") == false)
        // The announcement is not tried again on this link, so its alert stays.
        #expect(refusals.intervalPassed().retry == ["t/n/things/lamp"])
        _ = refusals.intervalPassed()
        #expect(raised(refusals.publicationsEvent)?.message.contains("Table lamp") == true)
        _ = refusals.disconnected(.lost(address: "a", reason: "x"))
        #expect(refusals.publicationsEvent == .alertCleared(BrokerRefusals.publications))
    }

    @Test func `what the broker ended links for is an alert that points to its log`() {
        var refusals = BrokerRefusals()
        let reason =
            "\(MQTTPublishError.endedLinks) 3 links right after this was sent: Protocol error (code 130)"
        _ = refusals.refused(["t/n/state": reason]) { _ in true }
        let message = raised(refusals.publicationsEvent)?.message
        #expect(message?.contains("t/n/state: it ended 3 links") == true)
        #expect(message?.contains("The broker's log says why") == true)
        #expect(message?.contains("max_packet_size") == false)
    }

    @Test func `topics that may not be read are an alert that names them`() {
        let refusals = BrokerRefusals()
        #expect(
            refusals.connected(session([])) == [
                .alertCleared(BrokerRefusals.subscriptions), .alertCleared(BrokerRefusals.limits),
            ]
        )
        let alert = raised(refusals.connected(session(["x/set", "y/set"])).first)
        #expect(alert?.id == BrokerRefusals.subscriptions)
        #expect(alert?.message.contains("x/set, y/set") == true)
    }

    @Test func `what the broker cannot do is an alert that says what does not work`() {
        let session = MQTTSession(
            version: .v5,
            maximumQoS: .atMostOnce,
            hasRetained: false,
            hasWildcards: false,
            will: .weakest,
            refusedFilters: ["x/+/set"]
        )
        let events = BrokerRefusals().connected(session)
        let limits = raised(events.last)
        #expect(limits?.id == BrokerRefusals.limits)
        for words in ["discovery", "availability", "QoS 0", "last will"] {
            #expect(limits?.message.contains(words) == true, "\(words)")
        }
        #expect(
            BrokerRefusals().connected(self.session(["x/+/info"]), optional: ["x/+/info"]).first
                == .alertCleared(BrokerRefusals.subscriptions)
        )
        // Other rights would not help.
        #expect(raised(events.first)?.message.contains("acl") == false)
    }
}
