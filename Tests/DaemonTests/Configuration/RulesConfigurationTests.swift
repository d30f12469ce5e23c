import Controller
import Daemon
import Settings
import TestSupport
import Testing

/// The section `rules:`.
struct RulesConfigurationTests {
    private func warnings(_ zone: String) throws -> [ConfigurationError] {
        let folder = try ScratchFolder()
        return try ConfigurationLoader.load(
            file: folder.write("t.yaml", "rules:\n  time_zone: \(zone)\n"),
            environment: [:],
            schema: .program
        ).allWarnings
    }

    @Test func `a time zone that this machine does not know is warned of, and ends no start`() throws {
        let found = try warnings("Nowhere/Atlantis")
        #expect(found.map(\.path) == ["rules.time_zone"])
        #expect(found.first?.message.hasPrefix("rules go by the time zone of this machine: ") == true)
        #expect(found.first?.message.contains("Nowhere/Atlantis") == true)
        #expect(try warnings("UTC").isEmpty)
    }

    @Test func `a time zone that this machine does not know raises an alert`() {
        var rules = RulesConfiguration()
        let database = TimeZoneDatabase([:])
        #expect(rules.timeZoneAlert(in: database) == nil)
        rules.timeZone = "UTC"
        #expect(rules.timeZoneAlert(in: database) == nil)
        rules.timeZone = "Nowhere/Atlantis"
        let alert = rules.timeZoneAlert(in: database)
        guard case .alertRaised("time-zone", .warning, let message)? = alert else {
            Issue.record("no alert is raised")
            return
        }
        #expect(message.contains("Nowhere/Atlantis"), "\(message)")
        #expect(message.hasSuffix("Correct it, and reload.") && !message.contains("?."), "\(message)")
    }
}
