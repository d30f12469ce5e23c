import Bridge
import Controller
import JSON
import MQTT
import Messages
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

    @Test func `health counts what the broker refused`() {
        var figures = NodeReport.Figures()
        figures.broker.refusedByBroker = 2
        let health = Self.report.health(figures, isConnected: true, at: Flat.moment(0))
        #expect(health.counters["mqtt_refused"] == 2)
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

    @Test(arguments: [(5, 180), (60, 180), (61, 183), (3600, 10800)])
    func `the health stays on the broker until two more could have come`(interval: Int, expiry: UInt32) {
        var report = Self.report
        var configuration = BridgeConfiguration()
        configuration.healthInterval = .seconds(interval)
        report.use(configuration)
        let message = report.healthMessage(NodeReport.Figures(), at: Flat.moment(0))
        #expect(message.properties.messageExpirySeconds == expiry)
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

    @Test func `a health check says what the health message says`() throws {
        var report = Self.report
        func texts(isConnected: Bool) -> [String] {
            let problems = report.problems(isConnected: isConnected)
            let health = report.health(NodeReport.Figures(), isConnected: isConnected, at: Flat.moment(0))
            #expect(health.problems == problems)
            #expect((health.json["status"] == "ok") == problems.isEmpty)
            return problems.map(\.text)
        }
        #expect(texts(isConnected: false) == ["no link to the Flare server", "no link to the broker"])
        _ = report.observe(StateSnapshot(state: Flat.state, changes: [.link]))
        #expect(texts(isConnected: true) == [])
        report.brokerProblem = "the broker does not answer"
        #expect(texts(isConnected: false) == ["no link to the broker: the broker does not answer"])
        report.brokerProblem = nil
        var state = Flat.state
        for message in ["The disk is full.", "The folder is gone."] {
            state.alerts["state-folder"] = Alert(severity: .error, message: message, since: Flat.moment(0))
            _ = report.observe(StateSnapshot(state: state, changes: [.alert("state-folder")]))
            #expect(texts(isConnected: true) == [message])
        }
    }
}
