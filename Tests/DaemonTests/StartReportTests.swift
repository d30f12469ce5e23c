import Daemon
import Flare
import Settings
import TestSupport
import Testing

struct StartReportTests {
    private func lines(_ environment: [String: String]) throws -> [String] {
        let loaded = try ConfigurationLoader.load(file: nil, environment: environment, schema: .program)
        let recorder = LogRecorder()
        StartReport(recorder.logger).begin(
            loaded.values,
            node: "kitchen",
            root: "trilateral/kitchen",
            folder: "/var/lib/trilateral"
        )
        return recorder.recorded
    }

    @Test func `a start logs version, node, broker and state folder, a line each`() throws {
        #expect(
            try lines([:]) == [
                "notice Trilateral \(ProgramInfo.currentVersion)",
                "notice node: kitchen, topics: trilateral/kitchen/#",
                "notice broker: localhost:1883", "notice state folder: /var/lib/trilateral",
            ]
        )
    }

    @Test func `the broker's user is named, its password is not`() throws {
        let lines = try lines([
            "TRILATERAL_MQTT_HOST": "::1", "TRILATERAL_MQTT_PORT": "8883",
            "TRILATERAL_MQTT_TLS_ENABLED": "true",
            "TRILATERAL_MQTT_USERNAME": "walker", "TRILATERAL_MQTT_PASSWORD": "s3cret",
        ])
        #expect(lines.contains("notice broker: [::1]:8883 with TLS as walker"))
        #expect(!lines.contains { $0.contains("s3cret") })
    }

    @Test func `a Flare server elsewhere, or one that is not open to others, is named as such`() throws {
        let remote = ["TRILATERAL_FLARE_MODE": "remote", "TRILATERAL_FLARE_REMOTE_URL": "http://flare:1234"]
        #expect(try lines(remote).contains("notice Flare server: http://flare:1234 (remote)"))
        let closed = try lines(["TRILATERAL_FLARE_SERVER_ENABLED": "false"])
        #expect(closed.contains { $0.contains("for this daemon only") })
    }
}
