import MQTT
import Settings
import TestSupport
import Testing
import Text

/// Passwords and tokens, which stand in files of their own.
struct SecretFileTests {
    @Test func `a password comes from its file or the environment, and from one of them`() throws {
        let folder = try ScratchFolder()
        _ = try folder.write("secret", "hunter2\n")
        let file = try folder.write("t.yaml", "mqtt: {username: u, password_file: secret}")
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
        #expect(loaded.values.mqtt.password?.reveal() == "hunter2")
        #expect(loaded.warnings.isEmpty)

        let variables = ["TRILATERAL_MQTT_PASSWORD": "other", "TRILATERAL_MQTT_USERNAME": "u"]
        let fromVariable = try ConfigurationLoader.load(file: nil, environment: variables, schema: .example)
        #expect(fromVariable.values.mqtt.password?.reveal() == "other")
        let both = #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: file, environment: variables, schema: .example)
        }
        #expect(both?.problems.map(\.message) == ["set either this or TRILATERAL_MQTT_PASSWORD, not both"])
        let alone = #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(
                file: nil,
                environment: ["TRILATERAL_MQTT_PASSWORD": "other"],
                schema: .example
            )
        }
        #expect(alone?.problems.map(\.message) == ["needs mqtt.username as well"])
        #expect(alone.map { "\($0)" }?.contains("other") == false)
    }

    @Test func `a password file that all can read is warned of`() throws {
        let folder = try ScratchFolder()
        _ = try folder.write("secret", "hunter2", mode: 0o644)
        let file = try folder.write("t.yaml", "mqtt: {username: u, password_file: secret}")
        let warnings = try ConfigurationLoader.load(file: file, environment: [:], schema: .example).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.message.contains("chmod 600") == true)
    }

    @Test(arguments: ["missing", "empty"])
    func `a password file without a password is a problem`(name: String) throws {
        let folder = try ScratchFolder()
        _ = try folder.write("empty", "\n")
        let file = try folder.write("t.yaml", "mqtt: {username: u, password_file: \(name)}")
        let errors = #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
        }
        #expect(errors?.problems.map(\.path) == ["mqtt.password_file"])
    }

    @Test func `a token file has one token, which is printed nowhere`() throws {
        let folder = try ScratchFolder()
        _ = try folder.write("token", "tlu_aB-_9~+/=\n", mode: 0o600)
        _ = try folder.write("lines", "tlu_a\r\nX-Other: b", mode: 0o600)
        func load(_ keys: String) throws -> LoadedConfiguration {
            let file = try folder.write("t.yaml", "flare: {mode: remote, remote: {token_file: \(keys)}}")
            return try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
        }
        let loaded = try load("token, url: \"http://a:1\"")
        #expect(loaded.values.flare.remote.token?.reveal() == "tlu_aB-_9~+/=" && loaded.warnings.isEmpty)
        #expect(!"\(loaded)".contains("tlu_"))
        for (keys, message) in [
            ("lines, url: \"http://a:1\"", "only a token"),
            ("missing, url: \"http://a:1\"", "cannot be read"),
            ("token, serial: shop", "a station's password is its token"),
        ] {
            let errors = #expect(throws: ConfigurationErrors.self) { try load(keys) }
            #expect(errors?.problems.map(\.path) == ["flare.remote.token_file"])
            #expect(errors?.problems.first?.message.contains(message) == true, "\(errors.debugDescription)")
        }
    }
}
