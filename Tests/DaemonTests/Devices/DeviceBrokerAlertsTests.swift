import Controller
import Daemon
import Testing

/// What the broker refuses the nodes of further devices.
struct DeviceBrokerAlertsTests {
    private func refused(_ topic: String) -> ControllerEvent {
        .alertRaised("broker-publications", .error, message: "The broker refuses \(topic).")
    }

    private func message(_ event: ControllerEvent?) -> String? {
        guard case .alertRaised("device-broker", .error, let message)? = event else { return nil }
        return message
    }

    @Test func `a device whose topics the broker refuses is named by the first node`() throws {
        var alerts = DeviceBrokerAlerts()
        let first = try #require(message(alerts.observe(refused("t/cat/status"), of: "cat")))
        #expect(first.contains("The device cat is not on the broker") && first.contains("t/cat/status"))
        #expect(alerts.observe(refused("t/cat/status"), of: "cat") == nil, "nothing is new")
        let both = try #require(message(alerts.observe(refused("t/dog/status"), of: "dog")))
        #expect(both.contains("cat, dog") && both.contains("t/cat/status"))
    }

    @Test func `the alert ends when no device is refused any more, or is listed`() {
        var alerts = DeviceBrokerAlerts()
        _ = alerts.observe(refused("t/cat/status"), of: "cat")
        _ = alerts.observe(refused("t/dog/status"), of: "dog")
        let rest = alerts.observe(.alertCleared("broker-publications"), of: "cat")
        #expect(message(rest)?.contains("The device dog") == true)
        #expect(alerts.remove("dog") == .alertCleared("device-broker"))
        #expect(alerts.remove("dog") == nil)
    }

    @Test func `other alerts of a device are its own`() {
        var alerts = DeviceBrokerAlerts()
        #expect(alerts.observe(.alertRaised("flare-load", .warning, message: "x"), of: "cat") == nil)
        #expect(alerts.observe(.alertCleared("broker-publications"), of: "cat") == nil)
    }

    @Test func `of many devices only the first are named`() {
        var alerts = DeviceBrokerAlerts()
        var last: ControllerEvent?
        for number in 1...9 { last = alerts.observe(refused("t"), of: "tag-\(number)") }
        #expect(message(last)?.contains("tag-5 and 4 more") == true)
    }
}
