import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What Home Assistant would hear of a daemon, and when.
///
/// The prefix is below the daemon's own topics, so that one listener hears everything in its order.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct DiscoveryTests {
    static let slugs = ["table-lamp", "television", "kitchen-light", "fridge"]

    /// The end of a device's topic: of our own, or of a thing.
    func tail(_ home: Home, _ slug: String? = nil) -> String {
        "ha/device/trilateral_\(home.node)\(slug.map { "_\($0)" } ?? "")/config"
    }

    /// The end of the topic of a zone's part of our own device.
    func tail(_ home: Home, zone: String) -> String {
        "ha/device/trilateral_\(home.node)__zone_\(zone)/config"
    }

    /// The ends of the topics of our own device.
    func ownTails(_ node: String) -> [String] {
        ["", "__diagnostics", "__zone_living-room", "__zone_kitchen"].map {
            "ha/device/trilateral_\(node)\($0)/config"
        }
    }

    func withAnnouncedHome<Result: Sendable>(
        _ keys: [String: String] = [:],
        port: Int? = nil,
        _ body: (Home, Visitor) async throws -> Result
    ) async throws -> Result {
        try await withEmptyHome(port: port) { home, visitor in
            try await home.take()
            try await visitor.whileStarting { try await home.start(keys.merging(prefix(home)) { $1 }) }
            return try await body(home, visitor)
        }
    }

    func prefix(_ home: Home) -> [String: String] { ["discovery.prefix": "\(home.root)/ha"] }

    /// Waits until our own device and these things are announced, and nothing else.
    func awaits(_ home: Home, _ visitor: Visitor, _ slugs: [String]) async throws {
        let tails = ownTails(home.node) + slugs.map { tail(home, $0) }
        let wanted = Set(tails.map { "\(home.root)/\($0)" })
        let isSo = await eventually { await announced(visitor) == wanted }
        let found = await announced(visitor)
        #expect(isSo, "\(found)")
    }

    /// The topics of discovery that hold something.
    func announced(_ visitor: Visitor) async -> Set<String> {
        var held: [String: Bool] = [:]
        for message in await visitor.heard where message.topic.contains("/ha/device/") {
            held[message.topic] = !message.payload.isEmpty
        }
        return Set(held.filter(\.value).keys)
    }

    func component(_ visitor: Visitor, _ tail: String, _ key: String) async -> JSONValue? {
        await visitor.json(tail)?["components"]?[key]
    }

    @Test func `everything is announced within a second of the start, after its availability`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let begun = ContinuousClock.now
            try await home.start(prefix(home))
            try await visitor.awaits("status", "online")
            let isOnline = ContinuousClock.now
            try await awaits(home, visitor, Self.slugs)
            let took = ContinuousClock.now
            // The time to start a debug build on a busy machine is not discovery's.
            #expect(took - isOnline < .seconds(3) && took - begun < .seconds(20))
            let topics = await visitor.heard.map(\.topic)
            for slug in Self.slugs {
                let availability = topics.firstIndex(of: "\(home.root)/things/\(slug)/availability") ?? .max
                let config = topics.firstIndex(of: "\(home.root)/\(tail(home, slug))") ?? -1
                #expect(availability < config, "\(slug)")
            }
            let lamp = try await visitor.awaits(tail(home, "table-lamp"))
            #expect(lamp["components"]?["light"]?["state_topic"] == .string("\(home.root)/things/table-lamp"))
            #expect(lamp["device"]?["suggested_area"] == "Living room")
            #expect(await visitor.messages(on: tail(home)).allSatisfy { $0.qos == .atLeastOnce })
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                try await late.awaits(tail(home, "fridge"))
                #expect(await late.messages(on: tail(home, "fridge")).first?.isRetained == true)
            }
        }
    }

    @Test func `the birth of Home Assistant has everything announced again, then all states told`()
        async throws
    {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            await visitor.forget()
            visitor.say("ha/status", "offline")
            visitor.say("ha/status", "online")
            try await awaits(home, visitor, Self.slugs)
            for tail in [
                "things/fridge/data", "zone", "nearby", "things/table-lamp", "status", "zones/kitchen/lights",
            ] {
                #expect(await eventually { await visitor.text(tail) != nil }, "\(tail)")
            }
            let topics = await visitor.heard.map(\.topic)
            let last = topics.lastIndex { $0.contains("/ha/device/") } ?? .max
            #expect(
                topics.firstIndex(of: "\(home.root)/status") ?? -1 > last,
                "states follow the announcements"
            )
        }
    }

    @Test func `what comes back proposes no entity id until Home Assistant is born, in later runs too`()
        async throws
    {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            let lamp = tail(home, "table-lamp")
            func id(_ device: JSONValue) -> JSONValue? {
                device["components"]?["light"].map { $0["default_entity_id"] ?? .null }
            }
            try await visitor.awaits(lamp) { id($0)?.string != nil }
            for (choice, isThere) in [("next", false), ("previous", true)] {
                #expect(try await visitor.ask("environment/set", choice).outcome == "ok")
                if isThere {
                    try await visitor.awaits(lamp) { id($0) == .null }
                } else {
                    try await visitor.awaits(lamp, "")
                }
            }
            try await awaits(home, visitor, Self.slugs)
            await home.stop()
            await visitor.forget()
            try await home.start(prefix(home))
            try await visitor.awaits(lamp) { id($0) == .null }
            try await awaits(home, visitor, Self.slugs)
            visitor.say("ha/status", "online")
            try await visitor.awaits(lamp) { id($0)?.string != nil }
        }
    }

    @Test func `what another daemon of our node has left goes from Home Assistant before its states`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let ghost = tail(home, "ghost")
            let other = #"{"availability":[{"topic":"elsewhere/status"}],"components":{}}"#
            visitor.say("info", #"{"epoch":"other"}"#, isRetained: true)
            visitor.say("things/ghost", #"{"state":"ON"}"#, isRetained: true)
            visitor.say(ghost, #"{"availability":[{"topic":"\#(home.root)/status"}]}"#, isRetained: true)
            visitor.say(tail(home, "namesake"), other, isRetained: true)
            try await visitor.awaits(tail(home, "namesake"))
            try await home.start(prefix(home))
            try await visitor.awaits(ghost, "")
            try await visitor.awaits("things/ghost", "")
            let cleared = await visitor.heard.filter(\.payload.isEmpty).map(\.topic)
            let state = cleared.firstIndex(of: "\(home.root)/things/ghost") ?? -1
            #expect(cleared.firstIndex(of: "\(home.root)/\(ghost)") ?? .max < state)
            #expect(!cleared.contains("\(home.root)/\(tail(home, "namesake"))"), "it is of another base")
            visitor.say(tail(home, "namesake"), "", isRetained: true)
        }
    }

    @Test func `it is announced again on request`() async throws {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            await visitor.forget()
            #expect(try await visitor.ask("request/discovery").outcome == "ok")
            try await awaits(home, visitor, Self.slugs)
        }
    }

    @Test func `a broker that has lost everything is told again`() async throws {
        var options = MosquittoOptions()
        options.hasStore = true
        try await withMosquitto(options) { broker in
            try await withAnnouncedHome(port: broker.port) { home, visitor in
                try await awaits(home, visitor, Self.slugs)
                await broker.stop()
                #expect(await home.logs("the link to the broker"))
                await visitor.forget()
                try await broker.start(withStore: false)
                try await awaits(home, visitor, Self.slugs)
            }
        }
    }

    @Test func `a thing that goes is taken away before its topics are`() async throws {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            try await home.rest("DELETE", Place.path(ofThing: Place.kitchenLight, in: Place.kitchen))
            try await visitor.awaits(tail(home, "kitchen-light"), "")
            try await visitor.awaits("things/kitchen-light", "")
            try await visitor.awaits("zones/kitchen/lights", "")
            let topics = await visitor.heard.filter(\.payload.isEmpty).map(\.topic)
            let order = ["ha/device/trilateral_\(home.node)_kitchen-light/config", "things/kitchen-light"]
                .map { topics.firstIndex(of: "\(home.root)/\($0)") ?? -1 }
            #expect(order[0] >= 0 && order[0] < order[1])
            // The zone has no lights any more: named by its platform, then not at all.
            let kitchen = tail(home, zone: "kitchen")
            #expect(await eventually { await component(visitor, kitchen, "light_kitchen_lights") == nil })
            let stubs = await visitor.objects(on: kitchen).compactMap {
                $0["components"]?["light_kitchen_lights"]
            }
            #expect(stubs.last == ["platform": "light"])
        }
    }

    @Test func `a rename changes names only`() async throws {
        try await withAnnouncedHome { home, visitor in
            let before = try await visitor.awaits(tail(home, "table-lamp"))
            try await home.rest(
                "PUT",
                Place.path(ofThing: Place.tableLamp, in: Place.living),
                #"{"name":"Reading lamp"}"#
            )
            let after = try await visitor.awaits(tail(home, "table-lamp")) {
                $0["device"]?["name"] == "Reading lamp"
            }
            #expect(after["components"] == before["components"])
            #expect(after["device"]?["identifiers"] == before["device"]?["identifiers"])
        }
    }

    @Test func `the choice of things follows the zone and what is near`() async throws {
        for (choice, there, here) in [
            ("zone", ["table-lamp", "television"], ["kitchen-light", "fridge"]),
            ("nearby", [], ["kitchen-light"]),
            ("none", [], []),
        ] {
            let keys = ["discovery.things": choice, "device.allow_set": "true"]
            try await withAnnouncedHome(keys) { home, visitor in
                try await visitor.ask("device/set", #"{"position":{"x":0.1,"y":0.1}}"#)
                try await visitor.awaits("zone") { $0["slug"] == "living-room" }
                try await awaits(home, visitor, there)
                try await visitor.ask("device/set", #"{"position":{"x":8.5,"y":2,"z":1}}"#)
                try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
                try await awaits(home, visitor, here)
            }
        }
    }

    @Test func `the nearby light can what any light here can, before its value comes`() async throws {
        try await withAnnouncedHome(["device.allow_set": "true"]) { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            try await visitor.ask("device/set", #"{"position":{"x":4.5,"y":0.5,"z":1}}"#)
            try await visitor.awaits("nearby") { $0["slug"] == "television" }
            let light = await component(visitor, tail(home), "light_nearby")
            #expect(light?["supported_color_modes"] == ["rgb"])
            let topics = await visitor.heard.map(\.topic)
            let config = topics.lastIndex(of: "\(home.root)/\(tail(home))") ?? .max
            #expect(config < topics.lastIndex(of: "\(home.root)/nearby") ?? -1)
        }
    }

    @Test func `two nodes on one broker keep apart`() async throws {
        try await withEmptyHome { one, visitor in
            try await withEmptyHome { two, _ in
                let keys = prefix(one)
                for home in [one, two] {
                    try await home.take()
                    try await home.start(keys)
                }
                let topics = Set(
                    [one, two].flatMap { home in
                        ownTails(home.node) + Self.slugs.map { tail(home, $0) }
                    }
                )
                #expect(
                    await eventually { await announced(visitor) == Set(topics.map { "\(one.root)/\($0)" }) }
                )
                var identifiers: [String] = []
                for topic in topics {
                    let device = try await visitor.awaits(topic)["device"]
                    identifiers += device?["identifiers"]?.array?.compactMap(\.string) ?? []
                }
                // Each node has two zones.
                #expect(Set(identifiers).count == 2 * (1 + 2 + Self.slugs.count))
            }
        }
    }

    @Test func `switched off by a reload everything is taken back, and told again when it is on`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            func configure(_ isOn: Bool) throws {
                try FileManager.default.createDirectory(
                    atPath: home.folder.path(".config/trilateral"),
                    withIntermediateDirectories: true
                )
                let text = "discovery:\n  enabled: \(isOn)\n  prefix: \(home.root)/ha\n"
                try home.folder.write(text, to: ".config/trilateral/trilateral.yaml")
            }
            try await home.take()
            try configure(true)
            try await visitor.whileStarting { try await home.start() }
            try await awaits(home, visitor, Self.slugs)
            try configure(false)
            await home.signal(SIGHUP)
            #expect(await eventually { await announced(visitor).isEmpty })
            #expect(
                try await eventually { try await visitor.ask("request/discovery").outcome == "not_allowed" }
            )
            try configure(true)
            await home.signal(SIGHUP)
            try await awaits(home, visitor, Self.slugs)
        }
    }
}
