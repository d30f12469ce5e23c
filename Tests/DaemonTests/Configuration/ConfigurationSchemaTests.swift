import Daemon
import Foundation
import MQTT
import Settings
import TestSupport
import Testing

struct ConfigurationSchemaTests {
    /// The repository's folder, found from this file.
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let example = root.appendingPathComponent("config/trilateral.yaml").path

    @Test func `the example file is legal and holds nothing but the defaults`() throws {
        let loaded = try ConfigurationLoader.load(file: Self.example, environment: [:], schema: .program)
        #expect(loaded.values == TrilateralConfiguration())
    }

    @Test func `the example file names every key`() throws {
        let loaded = try ConfigurationLoader.load(file: Self.example, environment: [:], schema: .program)
        let expected = ConfigurationSchema.program.keys.filter { !$0.isSecret }.map(\.path)
        // The entries of lists have origins of their own.
        let named = loaded.origins.keys.filter { !$0.contains("[") }
        #expect(Set(named) == Set(expected))
    }

    @Test func `the example file equals the output of check --print without a configuration`() throws {
        let text = try String(contentsOfFile: Self.example, encoding: .utf8)
        #expect(text == ConfigurationPrinter.text(LoadedConfiguration(), schema: .program))
    }

    @Test func `every key has a path and a variable of its own`() {
        #expect(
            Set(ConfigurationSchema.program.keys.map(\.path)).count == ConfigurationSchema.program.keys.count
        )
        #expect(
            Set(ConfigurationSchema.program.keys.map(\.variable)).count
                == ConfigurationSchema.program.keys.count
        )
        #expect(ConfigurationSchema.program.keys.first?.variable == "TRILATERAL_MQTT_HOST")
    }

    @Test(arguments: ConfigurationSchema.program.keys.map(\.path))
    func `every key is explained in a sentence`(path: String) throws {
        let key = try #require(ConfigurationSchema.program.keys.first { $0.path == path })
        #expect(key.summary.last == ".")
    }

    @Test func `the printed configuration can be read again, with secrets masked`() throws {
        let environment = [
            "TRILATERAL_MQTT_USERNAME": "null: [x] \"é\"", "TRILATERAL_MQTT_PASSWORD": "hunter2",
            "TRILATERAL_MQTT_NODE": "1", "TRILATERAL_WEB_LISTEN": "[::]:80", "TRILATERAL_WEB_OPEN": "true",
            "TRILATERAL_WEB_ALLOWED_ORIGINS": "https://a.example,http://b:81",
            "TRILATERAL_SENSORS_REPLAY_SPEED": "0.25",
        ]
        let loaded = try ConfigurationLoader.load(file: nil, environment: environment, schema: .program)
        let text = ConfigurationPrinter.text(loaded, schema: .program)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("# password: *** # from TRILATERAL_MQTT_PASSWORD"))
        #expect(text.contains("node: 1  # from TRILATERAL_MQTT_NODE"))

        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", text)
        var expected = loaded.values
        expected.mqtt.password = nil
        #expect(
            try ConfigurationLoader.load(file: file, environment: [:], schema: .program).values == expected
        )
    }
}
