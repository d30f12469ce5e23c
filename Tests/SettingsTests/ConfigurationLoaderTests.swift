import Foundation
import MQTT
import SeededRandom
import Settings
import TestSupport
import Testing

struct ConfigurationLoaderTests {
    private func load(_ yaml: String, _ environment: [String: String] = [:]) throws -> LoadedConfiguration {
        let folder = try ScratchFolder()
        return try ConfigurationLoader.load(
            file: try folder.write("t.yaml", yaml),
            environment: environment,
            schema: .example
        )
    }

    /// The problems of a text, each as `line:column: path: message` or `VARIABLE: path: message`.
    private func problems(_ yaml: String, _ environment: [String: String] = [:]) throws -> [String] {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", yaml)
        do throws(ConfigurationErrors) {
            _ = try ConfigurationLoader.load(file: file, environment: environment, schema: .example)
            return []
        } catch {
            return error.problems.map {
                "\($0)".replacing(file + ":", with: "").replacing(file, with: "FILE")
            }
        }
    }

    @Test(arguments: [
        "flare: {remote: {url: 'http://anna:hunter2@host:1234'}}", "mqtt: {host: 'mqtt://anna:hunter2@host'}",
        "mqtt: {host: 'anna:hunter2@host'}",
        "flare: {server: {allowed_origins: ['http://anna:hunter2@host']}}",
        "sensors: {gps: {gpsd: 'anna:hunter2@host:2947'}}", "mqtt: {host: 'http://anna:hun@ter2@host'}",
    ])
    func `credentials in an address are refused and not shown`(yaml: String) throws {
        let problems = try problems(yaml)
        #expect(problems.count == 1)
        #expect(
            problems.allSatisfy { !$0.contains("ter2") && !$0.contains("anna") && $0.contains("***@host") }
        )
    }

    @Test func `a station's URL is stored with it, so TLS may be set without one`() throws {
        let tls = "ca_file: /ca, certificate_file: /c, key_file: /k"
        #expect(try problems("flare: {mode: remote, remote: {serial: shop, \(tls)}}").isEmpty)
    }

    @Test func `nothing at all gives the defaults`() throws {
        #expect(
            try ConfigurationLoader.load(file: nil, environment: [:], schema: .example).values
                == TrilateralConfiguration()
        )
        #expect(try load("").values == TrilateralConfiguration())
        #expect(try load("# only words\n").values == TrilateralConfiguration())
        #expect(try load("mqtt:\nsensors:\n  beacons:\n").values == TrilateralConfiguration())
    }

    @Test func `values are read from the file`() throws {
        let values = try load(
            """
            mqtt: {host: broker.example, port: 8883, version: 3.1.1, username: 1234, keepalive_seconds: 5}
            flare:
              server:
                listen: "[::1]:0"
                allowed_hosts: [a.example, b.example]
            sensors:
              beacons:
                uuid: F7826DA6-4FA2-4E98-8024-BC5B71E0893E
              replay: {speed: 2.5}
            """
        ).values
        #expect(values.mqtt.host == "broker.example")
        #expect(values.mqtt.port == 8883)
        #expect(values.mqtt.protocolVersion == .v311)
        #expect(values.mqtt.username == "1234")
        #expect(values.flare.listen == HostAndPort(host: "::1", port: 0))
        #expect(values.flare.allowedHosts == ["a.example", "b.example"])
        #expect(values.example.uuid == "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
        #expect(values.sensors.replaySpeed == 2.5)
    }

    @Test func `the variables that Kubernetes makes for services are warned of, and others are refused`()
        throws
    {
        let theirs = [
            "TRILATERAL_SERVICE_HOST": "10.0.0.1", "TRILATERAL_SERVICE_PORT": "1234",
            "TRILATERAL_SERVICE_PORT_HTTP": "1234", "TRILATERAL_PORT": "tcp://10.0.0.1:1234",
            "TRILATERAL_PORT_1234_TCP": "tcp://10.0.0.1:1234", "TRILATERAL_PORT_1234_TCP_PROTO": "tcp",
            "TRILATERAL_PORT_1234_TCP_PORT": "1234", "TRILATERAL_PORT_1234_TCP_ADDR": "10.0.0.1",
            "TRILATERAL_WEB_SERVICE_HOST": "10.0.0.2", "TRILATERAL_FLARE_REMOTE_PORT": "tcp://10.0.0.3:80",
            "TRILATERAL_MQTT_PORT": "tcp://10.0.0.4:1883",
        ]
        let loaded = try load("", theirs)
        #expect(loaded.warnings.count == theirs.count)
        #expect(loaded.values.mqtt.port == 1883)
        #expect(try load("", ["TRILATERAL_MQTT_PORT": "1884"]).values.mqtt.port == 1884)
        for variable in ["TRILATERAL_MQT_PORT", "TRILATERAL_PORT", "TRILATERAL_SERVICE"] {
            #expect(try problems("", [variable: "1234"]).count == 1, "\(variable)")
        }
    }

    @Test func `a discovery prefix of more bytes than a topic should have is refused`() throws {
        #expect(try problems("discovery: {prefix: \(String(repeating: "a", count: 201))}").count == 1)
        #expect(try problems("discovery: {prefix: \(String(repeating: "a", count: 200))}").isEmpty)
    }

    @Test(arguments: [
        ("mqtt: {keepalive_seconds: 0}", "1:8: mqtt.keepalive_seconds: must be 5 to 3600 (is 0)"),
        ("mqtt: {keepalive_seconds: 3601}", "1:8: mqtt.keepalive_seconds: must be 5 to 3600 (is 3601)"),
        ("mqtt: {port: abc}", "1:8: mqtt.port: must be a whole number (is \"abc\")"),
        ("mqtt: {port: 1.5}", "1:8: mqtt.port: must be a whole number (is 1.5)"),
        (
            "mqtt: {port: 99999999999999999999}",
            "1:8: mqtt.port: must be a whole number (is 99999999999999999999)"
        ),
        (
            "mqtt:\n  port: \"1883\"",
            "2:3: mqtt.port: must be a whole number (is the text \"1883\"; leave the quotes out)"
        ),
        ("mqtt: {port: [1]}", "1:8: mqtt.port: must be a whole number (is a list)"),
        ("mqtt: {port: }", "1:8: mqtt.port: must be a whole number (is empty)"),
        (
            "mqtt: {reconnect_min_seconds: .inf}",
            "1:8: mqtt.reconnect_min_seconds: must be a number (is \".inf\")"
        ),
        ("mqtt: {reconnect_min_seconds: 0}", "1:8: mqtt.reconnect_min_seconds: must be 0.1 to 60 (is 0)"),
        ("mqtt: {host: }", "1:8: mqtt.host: must be a host name or address without a port (is empty)"),
        (
            "mqtt: {host: {a: 1}}",
            "1:8: mqtt.host: must be a host name or address without a port (is a section)"
        ),
        ("mqtt: {version: 4}", "1:8: mqtt.version: must be auto, 5 or 3.1.1 (is 4)"),
        ("mqtt: {tls: {enabled: yes}}", "1:14: mqtt.tls.enabled: must be true or false (is \"yes\")"),
        ("mqtt: 5", "1:1: mqtt: must be a section with keys below it (is 5)"),
        ("mqtt: {node: Küche}", "1:8: mqtt.node: must be 1 to 48 of a-z, 0-9 and hyphens (is \"Küche\")"),
        (
            "mqtt: {base: a//////////////////////////////////////////////////////b}",
            "1:8: mqtt.base: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"a//////////////////////////////////////////////////////b\")"
        ),
        (
            "discovery: {prefix: 'ha/#'}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"ha/#\")"
        ),
        (
            "discovery: {prefix: 'ha/+/x'}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"ha/+/x\")"
        ),
        (
            "discovery: {prefix: ''}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"\")"
        ),
        (
            "discovery: {prefix: '$SYS'}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"$SYS\")"
        ),
        (
            "discovery: {prefix: '/ha'}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"/ha\")"
        ),
        (
            "discovery: {prefix: 'ha/'}",
            "1:13: discovery.prefix: must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it (is \"ha/\")"
        ),
        ("discovery: {things: x}", "1:13: discovery.things: must be all, zone, nearby or none (is \"x\")"),
        ("discovery: {enabled: 1}", "1:13: discovery.enabled: must be true or false (is 1)"),
        ("flare: {mode: remoter}", "1:9: flare.mode: must be embedded or remote (is \"remoter\")"),
        (
            "flare: {mode: remote}",
            "1:9: flare.mode: remote needs flare.remote.url or flare.remote.serial as well"
        ),
        (
            "flare: {remote: {url: 'http://flare', ca_file: /ca}}",
            "1:39: flare.remote.ca_file: has no effect unless flare.remote.url begins with https://"
        ),
        (
            "flare: {remote: {url: 'https://flare', certificate_file: /c}}",
            "1:40: flare.remote.certificate_file: needs flare.remote.key_file as well"
        ),
        ("flare: {remote: {protocol: 5}}", "1:18: flare.remote.protocol: must be auto, 3 or 4 (is 5)"),
        (
            "flare: {server: {listen: 1234}}",
            "1:18: flare.server.listen: must be HOST:PORT with a port of 0 to 65535 (is 1234)"
        ),
        (
            "flare: {server: {allowed_origins: [https://a, b]}}",
            "1:47: flare.server.allowed_origins: entry 2: must be an origin such as https://name:8080, without user name, password and path (is \"b\")"
        ),
        ("mqtt: {hots: a}", "1:8: mqtt.hots: unknown key \"hots\"; did you mean \"host\"?"),
        (
            "sensors: {beacons: {uid: 1}}",
            "1:21: sensors.beacons.uid: unknown key \"uid\"; did you mean \"uuid\"?"
        ),
        ("mqqt: {host: a}", "1:1: mqqt: unknown key \"mqqt\"; did you mean \"mqtt\"?"),
        (
            "log: {zzzzzzz: 1}",
            "1:7: log.zzzzzzz: unknown key \"zzzzzzz\"; legal here: file, file_level, format, level"
        ),
        (
            "mqtt: {password: geheim}",
            "1:8: mqtt.password: must not stand in the file: use mqtt.password_file, or the variable "
                + "TRILATERAL_MQTT_PASSWORD"
        ),
        ("log:\n  level: info\n  level: debug", "3:3: log.level: stands again (first in line 2)"),
        ("log:\n  \"level\": info\n  level: debug", "3:3: log.level: stands again (first in line 2)"),
        (
            "mqtt:\n  tls: {enabled: true, certificate_file: c}",
            "2:24: mqtt.tls.certificate_file: needs mqtt.tls.key_file as well"
        ),
        (
            "mqtt:\n  tls: {enabled: true, key_file: c}",
            "2:24: mqtt.tls.key_file: needs mqtt.tls.certificate_file as well"
        ),
        (
            "mqtt:\n  tls: {ca_file: c}",
            "2:9: mqtt.tls.ca_file: has no effect while mqtt.tls.enabled is false"
        ),
        (
            "mqtt:\n  reconnect_min_seconds: 9\n  reconnect_max_seconds: 2",
            "3:3: mqtt.reconnect_max_seconds: must be at least mqtt.reconnect_min_seconds (is 2, and that is 9)"
        ),
        ("[1, 2]", "1:1: the file must consist of sections such as mqtt:; leave the dashes out"),
        ("just words", "1:1: the file must consist of sections such as mqtt:"),
    ])
    func `a problem has its location and names what is legal`(yaml: String, problem: String) throws {
        #expect(try problems(yaml) == [problem])
    }

    @Test(arguments: [
        ("mqtt:\n  host: a\n\tport: 1", "3:1: a tab; YAML indents with spaces"),
        ("mqtt:\n\thost: a", "2:1: a tab; YAML indents with spaces"),
        ("mqtt:\r\n  \thost: a", "2:3: a tab; YAML indents with spaces"),
        ("mqtt:\n  host: \"a\n  port: 1", "2:9: the quote that begins here is not closed"),
        (
            "mqtt:\n  host: 'it's'",
            "2:13: text behind a value that has ended; is a quote missing, or one too many?"
        ),
        ("mqtt:\n  host: a\n port: 1", "3:2: the indentation fits no line above"),
        ("mqtt:\n  host: a\n    port: 1", "3:9: the indentation fits no line above"),
        (" mqtt:\n  host: a\nlog:\n  level: info", "3:1: the indentation fits no line above"),
        (
            "mqtt:\n  host:a",
            "1:1: mqtt: must be a section with keys below it (is \"host:a\"); "
                + "a colon needs a space behind it"
        ),
        ("mqtt:\n  host:a\n\n  # b: c\n  port: 1", "2:3: a colon needs a space behind it"),
        ("mqtt:\n  port: 1\n  host:a\n  base: b", "3:3: a colon needs a space behind it"),
        ("mqtt:\n  host a\n  port: 1", "2:3: a key without a colon; write KEY: VALUE"),
        (
            "mqtt:\n  - host: a",
            "1:1: mqtt: must be a section with keys below it (is a list); leave the dashes out"
        ),
        ("mqtt:\n  host: a\n  - port", "3:3: a list entry (-) where a key is expected"),
        ("mqtt:\n  host: a: b", "2:10: a value with a colon and a space in it needs quotes"),
        ("mqtt:\n  base: @a", "2:9: \"@\" cannot begin a value; put quotes around it"),
        ("mqtt:\n  base: *a", "2:9: a value that begins with * needs quotes"),
        (
            "a: [b\n c: \"",
            "2:3: a comma or the closing ] of the list or section that begins in line 1 is missing"
        ),
        ("mqtt:\n  host: a\n---\nlog:", "3:1: a second document (---); a file holds one"),
        ("# ü\nmqtt:\n  host: \u{1}", "3:1: a control character; leave it out"),
    ])
    func `a mistake in YAML is told in words that say what to change`(yaml: String, problem: String) throws {
        #expect(try problems(yaml) == [problem])
    }

    @Test func `a file that is not YAML is the only problem, whatever the environment says`() throws {
        let environment = [
            "TRILATERAL_MQTT_RECONNECT_MIN_SECONDS": "30", "TRILATERAL_MQTT_RECONNECT_MAX_SECONDS": "5",
        ]
        #expect(try problems("", environment).count == 1)
        let problems = try problems("mqtt: [", environment)
        #expect(problems.count == 1)
        #expect(problems.first?.contains("a closing bracket is missing") == true)
    }

    @Test func `all problems are reported at once, in order`() throws {
        let yaml = """
            mqtt:
              keepalive_seconds: 0
              hots: x
              port: 1
              port: 2
            sensors:
              replay: {speed: 0}
            sensors:
              gps: {enabled: maybe}
            """
        let environment = ["TRILATERAL_MQTT_PORT": "x", "TRILATERAL_MQTT_HOTS": "y", "PATH": "/bin"]
        #expect(
            try problems(yaml, environment) == [
                "2:3: mqtt.keepalive_seconds: must be 5 to 3600 (is 0)",
                "3:3: mqtt.hots: unknown key \"hots\"; did you mean \"host\"?",
                "5:3: mqtt.port: stands again (first in line 4)",
                "7:12: sensors.replay.speed: must be 0.01 to 1000 (is 0)",
                "8:1: sensors: stands again (first in line 6)",
                "9:9: sensors.gps.enabled: must be true or false (is \"maybe\")",
                "TRILATERAL_MQTT_HOTS: unknown variable; did you mean TRILATERAL_MQTT_HOST?",
                "TRILATERAL_MQTT_PORT: mqtt.port: must be a whole number (is \"x\")",
            ]
        )
    }

    @Test func `the report names the command, counts, and indents`() {
        let problem = ConfigurationError(.variable("V"), "a.b", "is bad")
        #expect(
            ConfigurationErrors([problem, problem]).report(by: "check")
                == "trilateral check: config: 2 problems\n  V: a.b: is bad\n  V: a.b: is bad"
        )
    }

    @Test func `the environment wins over the file`() throws {
        let loaded = try load(
            "mqtt: {host: a, username: u}\nflare: {server: {allowed_hosts: [x]}}",
            [
                "TRILATERAL_MQTT_HOST": "b", "TRILATERAL_MQTT_USERNAME": "",
                "TRILATERAL_FLARE_SERVER_ALLOWED_HOSTS": "y, z", "TRILATERAL_LOG_LEVEL": "debug",
            ]
        )
        #expect(loaded.values.mqtt.host == "b")
        #expect(loaded.values.mqtt.username == nil)
        #expect(loaded.values.flare.allowedHosts == ["y", "z"])
        #expect(loaded.values.log.level == .debug)
        #expect(loaded.origins["mqtt.host"] == .variable("TRILATERAL_MQTT_HOST"))
    }

    @Test func `files are sought beside the configuration, those of variables are not`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "mqtt: {tls: {enabled: true, ca_file: ca.pem}}")
        #expect(
            try ConfigurationLoader.load(file: file, environment: [:], schema: .example).values.mqtt.tls
                .caFile
                == folder.path + "/ca.pem"
        )
        let variables = ["TRILATERAL_MQTT_TLS_CA_FILE": "ca.pem"]
        #expect(
            try ConfigurationLoader.load(file: file, environment: variables, schema: .example).values.mqtt.tls
                .caFile
                == "ca.pem"
        )
    }

    @Test func `a file that cannot be read is one problem`() throws {
        let folder = try ScratchFolder()
        let path = folder.path
        for file in [path, path + "/none.yaml"] {
            let errors = #expect(throws: ConfigurationErrors.self) {
                try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
            }
            #expect(errors?.problems.first?.description.hasPrefix(file + ": cannot be read: ") == true)
        }
        let binary = path + "/binary.yaml"
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: binary))
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: binary, environment: [:], schema: .example)
        }
    }

    @Test func `the user's file is found before the machine's`() throws {
        let folder = try ScratchFolder()
        let environment = ["XDG_CONFIG_HOME": folder.path]
        try FileManager.default.createDirectory(
            atPath: folder.path + "/trilateral",
            withIntermediateDirectories: false
        )
        let file = try folder.write("trilateral/trilateral.yaml", "")
        #expect(ConfigurationLoader.standardFile(environment: environment) == file)
    }

    @Test func `damaged files never trap`() throws {
        var generator = SplitMix64(seed: 7)
        let alphabet = Array("mqtt: {}[]\"'\n\n  port1&*!|>-#,?\u{E000}é\t".unicodeScalars)
        let folder = try ScratchFolder()
        for _ in 0..<400 {
            var text = "mqtt:\n  port: 1\n"
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                if let scalar = alphabet.randomElement(using: &generator) {
                    text.unicodeScalars.append(scalar)
                }
            }
            let file = try folder.write("t.yaml", text)
            do throws(ConfigurationErrors) {
                _ = try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
        for nesting in ["[", "{a: ", "- ", "? "] {
            let file = try folder.write("t.yaml", String(repeating: nesting, count: 20_000))
            #expect(throws: ConfigurationErrors.self) {
                try ConfigurationLoader.load(file: file, environment: [:], schema: .example)
            }
        }
    }
}
