import Daemon
import Foundation
import OperatingSystem
import Settings
import TestSupport
import Testing

/// What another configuration restarts.
struct NodeChangesTests {
    /// By the beginning of a key's path, the longest first; `nil` for another daemon.
    ///
    /// A new section must be added here.
    private static let table: [String: [String]?] = [
        "mqtt": ["the link to the broker"], "mqtt.username": ["people", "the link to the broker"],
        "mqtt.base": nil, "mqtt.node": nil, "mqtt.response_topics": [], "mqtt.rates": [],
        "mqtt.health_interval_seconds": [],
        "discovery": ["discovery"], "discovery.prefix": ["discovery", "people"],
        "flare": nil, "flare.server.access": [], "flare.server.trusted_networks": [],
        "flare.server.steady": [],
        "profiles": [], "profiles.language": ["discovery"], "profiles.modules": ["kiosk"],
        "controller": [], "presence": [], "device": [], "lifecycle": [], "log": [],
        "sensors": ["bluetooth", "compass and gps", "readings", "sensors"], "sensors.cmx": [],
        "positioning": ["bluetooth", "compass and gps", "readings", "sensors"],
        "people": ["people"], "people.proxy": ["kiosk", "people"],
        "web": ["kiosk"],
        "map": ["map"], "map.style": ["kiosk", "map"], "frames": ["frames"], "control": ["control"],
        "resolver": ["resolver"], "station": ["station"], "links": ["lamps"],
    ]

    /// Lists that only a file can have.
    private static let lists = ["links", "profiles.things", "lifecycle.languages", "flare.servers"]

    private static let values = [
        "true", "false", "1", "2", "3", "7", "77", "1500", "0.5", "a.example", "127.0.0.1:77",
        "http://a.example", "https://a.example", "10.0.0.0/8", "a/b", "/tmp/none", "word", "none", "auto",
        "5",
        "polling", "debug", "json", "centroid", "zone", "server", "near", "display", "LIMITED", "dark",
        "token",
        "remote", "full", "verified", "Remote-User", "en-US", "gps", "true", "magnetic", "11:22:33:44:55:66",
        "00112233-4455-6677-8899-aabbccddeeff", "0.05", "peer", "iio", "mqtt", "1, 0, 0; 0, 1, 0; 0, 0, 1",
    ]

    private static func plan(_ loaded: LoadedConfiguration) throws -> NodePlan {
        var plan = DaemonPlan(
            configuration: loaded.values,
            folder: try StateFolder(named: NSTemporaryDirectory(), environment: [:]),
            read: { .failure(ConfigurationErrors([])) },
            setLogLevel: { _ in },
            droppedLogLines: { 0 }
        )
        plan.files = loaded.files
        return NodePlan(plan)
    }

    private static func changes(_ loaded: LoadedConfiguration, hasFailedSource: Bool = false) throws
        -> NodeChanges?
    {
        let standard = try ConfigurationLoader.load(file: nil, environment: [:], schema: .program)
        var new = loaded
        new.files.merge(standard.files) { named, _ in named }
        return NodeChanges(from: try plan(standard), to: try plan(new), hasFailedSource: hasFailedSource)
    }

    /// A configuration in which one key has another value, whatever else it would need.
    private static func other(_ key: ConfigurationKey) -> LoadedConfiguration? {
        let standard = TrilateralConfiguration()
        return values.lazy.map { value in
            ConfigurationLoader.examine(
                file: nil,
                environment: [key.variable: value],
                schema: .program,
                readsProfiles: false
            )
            .loaded
        }
        .first { $0.values != standard }
    }

    @Test(arguments: ConfigurationSchema.program.keys.map(\.path).filter { !lists.contains($0) })
    func `every key restarts its readers, and no others`(path: String) throws {
        let key = try #require(ConfigurationSchema.program.keys.first { $0.path == path })
        let loaded = try #require(Self.other(key), "no other value for \(path)")
        let row = try #require(
            Self.table.filter { path == $0.key || path.hasPrefix($0.key + ".") }.max {
                $0.key.count < $1.key.count
            },
            "what restarts for \(path)?"
        )
        let names = try Self.changes(loaded)?.names
        #expect(names == row.value)
    }

    @Test(
        arguments: [
            ("links: [{thing: lamp, kind: wled, topic: wled/shelf}]", ["lamps"]),
            ("profiles: {things: [{thing: lamp, profile: HueLight}]}", []),
            ("lifecycle: {languages: [{tag: en-US}]}", ["kiosk"]),
            ("flare: {servers: [{name: a, url: \"http://a.example\"}]}", nil),
        ] as [(String, [String]?)]
    )
    func `so do the lists of a file`(text: String, names: [String]?) async throws {
        try await withTemporaryFolder { folder in
            try folder.write(text + "\n", to: "trilateral.yaml")
            let loaded = ConfigurationLoader.examine(
                file: folder.path("trilateral.yaml"),
                environment: [:],
                schema: .program
            )
            .loaded
            #expect(loaded.values != TrilateralConfiguration(), "\(text)")
            let found = try Self.changes(loaded)?.names
            #expect(found == names)
        }
    }

    @Test func `the same configuration restarts nothing, unless a sensor has failed`() throws {
        let loaded = LoadedConfiguration()
        let none = try Self.changes(loaded)?.names
        #expect(none == [])
        #expect(try Self.changes(loaded, hasFailedSource: true)?.names == Self.table["sensors"] ?? nil)
    }

    @Test(
        arguments: [
            ("web.tls.certificate_file", ["kiosk"]), ("profiles.modules", ["kiosk"]),
            ("mqtt.tls.ca_file", ["the link to the broker"]), ("mqtt.password_file", []),
            ("station.key_file", ["station"]), ("profiles.files", []), ("flare.remote.ca_file", nil),
            ("sensors.replay.file", ["bluetooth", "compass and gps", "readings", "sensors"]),
        ] as [(String, [String]?)]
    )
    func `a file with other contents restarts its readers`(path: String, names: [String]?) throws {
        var loaded = LoadedConfiguration()
        loaded.files[path] = [.contents(hash: 1, bytes: 1)]
        let found = try Self.changes(loaded)?.names
        #expect(found == names)
    }
}
