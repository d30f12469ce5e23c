import Daemon
import Foundation
import OperatingSystem
import Settings
import TestSupport
import Testing

/// What another configuration restarts.
struct NodeChangesTests {
    /// What restarts other than the capability that declares the key, by the beginning of the key's path, the longest
    /// first; `nil` for another daemon.
    private static let exceptions: [String: [String]?] = [
        "mqtt": ["the link to the broker"], "mqtt.username": ["people", "the link to the broker"],
        "mqtt.base": nil, "mqtt.node": nil, "mqtt.response_topics": [], "mqtt.rates": [],
        "mqtt.health_interval_seconds": [],
        "discovery": ["discovery"], "discovery.prefix": ["discovery", "people"],
        "flare": nil, "flare.server.access": [], "flare.server.trusted_networks": [],
        "flare.server.steady": [],
        "profiles": [], "profiles.language": ["discovery"], "profiles.modules": ["kiosk"],
        "controller": [], "presence": [], "device": [], "device.present": nil, "lifecycle": [], "log": [],
        "sensors": sensors, "sensors.cmx": [], "positioning": sensors,
        "people.proxy": ["kiosk", "people"], "bindings.edge": ["bindings", "people"],
        "map.style": ["kiosk", "map"],
        "receiver.enabled": ["bluetooth", "compass and gps", "readings", "receiver", "sensors"],
    ]

    private static let sensors = ["bluetooth", "compass and gps", "readings", "sensors"]

    /// Lists that only a file can have.
    private static let lists = [
        "links", "profiles.things", "lifecycle.languages", "flare.servers", "devices",
    ]

    private static let values = [
        "true", "false", "1", "2", "3", "7", "77", "1500", "0.5", "a.example", "127.0.0.1:77",
        "http://a.example", "https://a.example", "10.0.0.0/8", "a/b", "/tmp/none", "word", "none", "auto",
        "5", "US",
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

    @Test func `a node keeps its capabilities over a reload`() throws {
        var plan = try Self.plan(LoadedConfiguration())
        plan.capabilities.append(.example([]))
        #expect(NodePlan(plan.daemon, after: plan).capabilities.map(\.name) == plan.capabilities.map(\.name))
    }

    /// What restarts in a node with the example.
    private static func names(
        _ exchangeable: [ExchangeableValues],
        change: (inout TrilateralConfiguration) -> Void
    ) throws -> [String]? {
        var old = try plan(LoadedConfiguration())
        old.capabilities.append(.example(exchangeable))
        var new = old
        change(&new.daemon.configuration)
        return NodeChanges(from: old, to: new, hasFailedSource: false)?.names
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
        let exception = Self.exceptions.filter { path == $0.key || path.hasPrefix($0.key + ".") }
            .max { $0.key.count < $1.key.count }
        let declaring = Capability.all.first { $0.settings.keys.contains { $0.path == path } }
        let expected: [String]? =
            if let exception { exception.value } else {
                [try #require(declaring?.name, "what restarts for \(path)?")]
            }
        let names = try Self.changes(loaded)?.names
        #expect(names == expected)
    }

    @Test(arguments: ConfigurationSchema.program.keys.map(\.path).filter { !lists.contains($0) })
    func `each value of the program is exchanged by one section at most`(path: String) throws {
        let key = try #require(ConfigurationSchema.program.keys.first { $0.path == path })
        let values = try #require(Self.other(key)).values
        let exchanging = ConfigurationSchema.program.exchangeable.filter { exchangeable in
            var others = values
            exchangeable.reset(&others)
            return others != values
        }
        #expect(exchanging.count <= 1)
    }

    @Test func `a section that does not say what it exchanges needs another daemon`() throws {
        #expect(try Self.names([]) { $0.example.topic = "b" } == nil)
        #expect(try Self.names([.init(\.example)]) { $0.example.topic = "b" } == ["example"])
    }

    @Test func `a value that is fixed needs another daemon, and the others of its section do not`() throws {
        let exchangeable = [ExchangeableValues(\.example.limit)]
        #expect(try Self.names(exchangeable) { $0.example.topic = "b" } == nil)
        #expect(try Self.names(exchangeable) { $0.example.limit = 2 } == ["example"])
    }

    @Test(
        arguments: [
            ("links: [{thing: lamp, kind: wled, topic: wled/shelf}]", ["lamps"]),
            ("profiles: {things: [{thing: lamp, profile: HueLight}]}", []),
            ("lifecycle: {languages: [{tag: en-US}]}", ["kiosk"]),
            ("flare: {servers: [{name: a, url: \"http://a.example\"}]}", nil),
            ("devices: [{node: anna}]", []),
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
        #expect(try Self.changes(loaded, hasFailedSource: true)?.names == Self.sensors)
    }

    @Test(
        arguments: [
            ("web.tls.certificate_file", ["kiosk"]), ("profiles.modules", ["kiosk"]),
            ("mqtt.tls.ca_file", ["receiver", "the link to the broker"]), ("mqtt.password_file", []),
            ("station.key_file", ["station"]), ("profiles.files", []), ("flare.remote.ca_file", nil),
            ("sensors.replay.file", sensors),
        ] as [(String, [String]?)]
    )
    func `a file with other contents restarts its readers`(path: String, names: [String]?) throws {
        var loaded = LoadedConfiguration()
        loaded.files[path] = [.contents(hash: 1, bytes: 1)]
        let found = try Self.changes(loaded)?.names
        #expect(found == names)
    }
}

private struct ExampleValues: Sendable, Hashable {
    var topic = "a"
    var limit = 1
}

extension ConfigurationDefaults {
    fileprivate var example: ExampleValues { ExampleValues() }
}

extension Capability {
    fileprivate static func example(_ exchangeable: [ExchangeableValues]) -> Capability {
        Capability(
            name: "example",
            settings: ConfigurationSection(
                keys: [
                    .init("example.topic", \.example.topic, .topic, "A topic."),
                    .init("example.limit", \.example.limit, .integer(1...9), "A number."),
                ],
                exchangeable: exchangeable
            )
        ) { _ in nil }
    }
}
