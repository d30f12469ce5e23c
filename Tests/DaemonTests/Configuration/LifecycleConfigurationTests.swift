import Controller
import Daemon
import JSON
import Settings
import TestSupport
import Testing

struct LifecycleConfigurationTests {
    private func loaded(_ text: String) throws -> Result<LoadedConfiguration, ConfigurationErrors> {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", text)
        do throws(ConfigurationErrors) {
            return .success(try ConfigurationLoader.load(file: file, environment: [:], schema: .program))
        } catch {
            return .failure(error)
        }
    }

    @Test func `the defaults are those of the lifecycle itself`() throws {
        let settings = try loaded("mqtt: {base: t}\n").get().values.lifecycle
        #expect(settings == Lifecycle.Settings())
    }

    @Test func `every key reaches the lifecycle`() throws {
        let text = """
            lifecycle:
              active_when: display
              ceiling: limited
              sensors: {background: [gps], grace_seconds: 5}
              allow: {control: [FULL]}
              audio: {attenuated_gain: 0.5}
              languages:
                - tag: de-DE
                  app_name: Dreiseit
                - {tag: en, app_name: Trilateral, short_app_name: Tri, spoken_name: try}
            """
        let settings = try loaded(text).get().values.lifecycle
        #expect(settings.activeWhen == .display && settings.ceiling == .limited)
        #expect(settings.backgroundSensors == [.gps] && settings.sensorGraceSeconds == 5)
        #expect(settings.controlLevels == [.active] && settings.attenuatedGain == 0.5)
        #expect(
            settings.languages == [
                .init(tag: "de-DE", appName: "Dreiseit"),
                .init(tag: "en", appName: "Trilateral", shortAppName: "Tri", spokenName: "try"),
            ]
        )
        let names: JSONObject = [
            "language": "de-DE", "app_name": "Dreiseit", "short_app_name": "Dreiseit",
            "spoken_name": "Dreiseit",
        ]
        #expect(settings.languages.first?.members == names)
    }

    @Test(arguments: [
        ("ceiling: DISCONNECTED", "FULL, LIMITED, BACKGROUND or NONE"),
        ("active_when: always", "near or display"), ("allow: {control: [HIGH]}", "entry 1"),
        ("sensors: {background: [sonar]}", "gps, beacons, cmx or compass"),
        ("audio: {attenuated_gain: 2}", "0 to 1"), ("languages: [{app_name: x}]", "tag"),
        ("languages: [{tag: \"d e\"}]", "language tag"),
    ])
    func `a wrong value is named with what is legal`(line: String, words: String) throws {
        guard case .failure(let errors) = try loaded("lifecycle:\n  \(line)\n") else {
            Issue.record("\(line) was accepted")
            return
        }
        #expect(errors.problems.contains { $0.message.contains(words) }, "\(errors.problems)")
    }
}
