import Bridge
import Controller
import Flare
import MQTT
import Testing

struct NodeReportTests {
    private static var report: NodeReport {
        var configuration = BridgeConfiguration()
        (configuration.base, configuration.node) = ("t", "n")
        configuration.flareURL = "http://127.0.0.1:1234"
        return NodeReport(configuration, BridgeIdentity(epoch: "1", started: Flat.moment(0)))
    }

    private func health(_ report: NodeReport, at milliseconds: Int64 = 0) throws -> JSONValue {
        let message = report.healthMessage(NodeReport.Figures(), at: Flat.moment(milliseconds))
        #expect(message.properties.messageExpirySeconds == 180)
        return try JSONValue(parsing: message.payload)
    }

    @Test func `info names the node and where its Flare server answers`() throws {
        var report = Self.report
        report.setFlareURL("http://10.0.0.2:8080")
        let message = report.infoMessage
        let info = try JSONValue(parsing: message.payload)
        #expect(message.topic == "t/n/info" && message.isRetained && message.qos == .atLeastOnce)
        #expect(info["flare"]?["url"] == "http://10.0.0.2:8080")
        #expect(info["epoch"] == "1")
    }

    @Test func `the health is degraded while a link is down or an alert is open`() throws {
        var report = Self.report
        #expect(try health(report)["status"] == "degraded")
        #expect(report.observe(StateSnapshot(state: Flat.state, changes: [.link])) == true)
        #expect(try health(report)["status"] == "ok")
        #expect(report.setLink("gpsd", isUp: false) == true)
        #expect(try health(report)["status"] == "degraded")
        #expect(report.setLink("gpsd", isUp: nil) == true)
        var state = Flat.state
        state.alerts["x"] = Alert(severity: .warning, message: "m", since: Flat.moment(0))
        #expect(report.observe(StateSnapshot(state: state, changes: [])) == true)
        #expect(try health(report, at: 5000)["uptime_s"] == 5)
        #expect(try health(report)["alerts"] == 1)
    }

    @Test func `links that are there from the start are down until they say otherwise`() throws {
        var configuration = BridgeConfiguration()
        configuration.links = ["station"]
        let report = NodeReport(configuration, BridgeIdentity(epoch: "1", started: Flat.moment(0)))
        #expect(report.links == ["flare": false, "station": false])
    }

    @Test func `what changes nothing in the health is not reported as a change`() {
        var report = Self.report
        _ = report.observe(StateSnapshot(state: Flat.state, changes: [.link]))
        #expect(report.observe(StateSnapshot(state: Flat.state, changes: [.zone])) == false)
        _ = report.setLink("gpsd", isUp: true)
        #expect(report.setLink("gpsd", isUp: true) == false)
    }

    @Test func `a health check names the links that are down`() {
        var report = Self.report
        #expect(report.problems(isConnected: false).count == 2)
        _ = report.observe(StateSnapshot(state: Flat.state, changes: [.link]))
        #expect(report.problems(isConnected: true).isEmpty)
    }
}
