import Daemon
import Testing

struct ServiceStatusTests {
    @Test func `the line has the links and the number of alerts`() {
        var status = ServiceStatus()
        #expect(status.line == "broker not connected, Flare server not connected, no alerts")
        status.isBrokerConnected = true
        status.isFlareConnected = true
        status.alerts = ["outbox"]
        #expect(status.line == "broker connected, Flare server connected, 1 alert: outbox")
    }

    @Test func `of many alerts it names five`() {
        var status = ServiceStatus()
        status.alerts = ["a", "b", "c", "d", "e", "f", "g"]
        #expect(status.line.hasSuffix(", 7 alerts: a, b, c, d, e and 2 more"))
    }
}
