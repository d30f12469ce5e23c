import Bridge
import Foundation
import MQTT
import OperatingSystem
import Settings
import TestSupport
import Testing

/// Values that are written well and could never work.
struct NeverWorkingTests {
    private func problems(_ yaml: String) throws -> [String] {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", yaml)
        return ConfigurationLoader.examine(file: file, environment: [:], schema: .example).problems.map {
            $0.origin.description.components(separatedBy: "t.yaml:").joined() + " " + $0.path + ": "
                + $0.message
        }
    }

    @Test(arguments: [
        ("mqtt: {host: '\"localhost\"'}", "mqtt.host"), ("mqtt: {host: a..b}", "mqtt.host"),
        ("mqtt: {host: <ip>}", "mqtt.host"), ("mqtt: {host: 192.168.1.300}", "mqtt.host"),
        ("mqtt: {port: -1}", "mqtt.port"), ("mqtt: {node: \"a/b\"}", "mqtt.node"),
        ("mqtt: {base: \"home/+\"}", "mqtt.base"),
        ("flare: {remote: {url: \"http://<ip>:1234\"}}", "flare.remote.url"),
        ("flare: {server: {listen: \"'127.0.0.1':1234\"}}", "flare.server.listen"),
        ("flare: {server: {allowed_hosts: [a..b]}}", "flare.server.allowed_hosts"),
        ("flare: {remote: {resolver: \"a:0\"}}", "flare.remote.resolver"),
    ])
    func `an address or a name in a form that no machine has is refused`(yaml: String, key: String) throws {
        let found = try problems(yaml)
        #expect(
            found.count == 1 && found[0].contains(" \(key): ") && found[0].contains("must be "),
            "\(found)"
        )
    }

    @Test(arguments: [
        ("mqtt:\n  username: !secret u", "2", "mqtt.username"), ("mqtt: !include broker.yaml", "1", "mqtt"),
        ("mqtt: {port: !env_var PORT}", "1", "mqtt.port"),
        ("flare: {server: {allowed_hosts: [!secret h]}}", "1", "flare.server.allowed_hosts"),
        ("!secret mqtt: {}", "1", "mqtt"),
    ])
    func `a YAML tag of another program is refused where it stands`(
        yaml: String,
        line: String,
        key: String
    ) throws {
        let found = try problems(yaml)
        let tag = found.first { $0.contains("the tag ") }
        #expect(tag?.contains(" \(key): the tag ") == true, "\(found)")
        #expect(tag?.contains("/\(line):") == true, "\(found)")
    }

    @Test func `the tags of YAML itself change nothing`() throws {
        #expect(try problems("mqtt: !!map {host: !!str broker, port: !!int 1884}") == [])
    }

    @Test func `missing files are reported with all other problems`() throws {
        let found = try problems("mqtt: {username: u, password_file: missing, port: 0, keepalive: 5}")
        #expect(found.count == 3, "\(found)")
        #expect(found.contains { $0.contains("mqtt.password_file: cannot be read") }, "\(found)")
    }

    @Test(arguments: [
        ("device: {name: <name>}", 1), ("device: {name: a <b> c}", 0), ("mqtt: {client_id: <>}", 0),
    ])
    func `a placeholder that was left is warned of`(yaml: String, count: Int) throws {
        let folder = try ScratchFolder()
        let loaded = try ConfigurationLoader.load(
            file: folder.write("t.yaml", yaml),
            environment: [:],
            schema: .example
        )
        #expect(loaded.advice.count == count, "\(loaded.advice)")
    }

    @Test func `a password file is a plain file`() throws {
        let found = try problems("mqtt: {username: u, password_file: /dev/null}")
        #expect(found.first?.contains("no plain file") == true, "\(found)")
    }

    @Test func `what a running daemon uses counts before the file, and variables before both`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "mqtt: {host: a, port: 1, base: b}")
        let loaded = try ConfigurationLoader.load(
            file: file,
            running: ["mqtt.host": "c", "mqtt.port": "2", "mqtt.username": nil, "mqtt.newer": "x"],
            environment: ["TRILATERAL_MQTT_PORT": "3"],
            schema: .example
        )
        #expect(loaded.values.mqtt.host == "c" && loaded.values.mqtt.port == 3)
        #expect(loaded.values.bridge.base == "b" && loaded.values.mqtt.username == nil)
        #expect(loaded.origin("mqtt.host") == .running)
    }
}

/// Who can read secret files.
struct FileOpennessTests {
    @Test(
        arguments: [(0o600, nil), (0o640, nil), (0o644, "chmod 640"), (0o604, "chmod 600")]
            as [(Int, String?)]
    )
    func `root's file may have a group that reads it`(mode: Int, advice: String?) throws {
        // As of a key of group ssl-cert. Another user's group is the one of all files, and warned of.
        guard geteuid() == 0 else { return }
        let folder = try ScratchFolder()
        let file = try folder.write("key", "x", mode: mode)
        #expect(chown(file, 0, 12345) == 0)
        let warning = FileContents.openness(of: file)
        if let advice { #expect(warning?.contains(advice) == true) } else { #expect(warning == nil) }
    }
}
