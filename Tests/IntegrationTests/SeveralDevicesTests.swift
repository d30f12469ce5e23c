import Foundation
import JSON
import TestSupport
import Testing

/// Several devices in one daemon, each heard by the receivers of the place: see ``RecordedFlat``.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct SeveralDevicesTests {
    /// A receiver in each room.
    private static var model: String {
        Place.model.replacing(#""minor": 1,"#, with: #""receiver": "living","#)
            .replacing(#""minor": 2}"#, with: #""receiver": "kitchen"}"#)
    }

    /// What the receivers of the recording call the devices.
    private static let ids = [
        "anna": RecordedFlat.anna, "bert": RecordedFlat.bert, "cleo": RecordedFlat.cleo,
    ]

    private static func file(_ home: Home, _ names: [String]) -> String {
        "devices:\n"
            + names.map { name in
                "  - node: \(home.node)-\(name)\n    name: \(name.capitalized)\n    kind: phone\n"
                    + "    heard_as: [\"\(ids[name] ?? "")\"]\n"
            }.joined()
    }

    /// Plays what the receivers have reported, until it is cancelled.
    ///
    /// - Parameters:
    ///   - start: Milliseconds; from ``RecordedFlat/arrival`` on nobody changes rooms.
    ///   - isExchanged: Whether the receivers hang in each other's room.
    private func play(
        _ home: Home,
        _ visitor: Visitor,
        from start: Int = RecordedFlat.arrival,
        isExchanged: Bool = false
    ) throws -> Task<Void, Never> {
        var recording = try ReceiverRecording(named: RecordedFlat.file).published(
            below: Self.receivers(of: home)
        )
        if isExchanged { recording = recording.exchanging("living", "kitchen") }
        return Task { [recording] in
            await recording.play(from: start) { visitor.say(absolute: $0.topic, $0.payload) }
        }
    }

    private static func receivers(of home: Home) -> String { "receivers-\(home.node)" }

    private func withDevices(
        _ body: (_ home: Home, _ wall: Visitor, _ anna: Visitor, _ bert: Visitor, _ cleo: Visitor)
            async throws -> Void
    ) async throws {
        try await withEmptyHome { home, wall in
            try await home.take(Self.model)
            let port = try SharedMosquitto.broker.port
            try await withVisitor(to: "\(home.root)-anna", port: port) { anna in
                try await withVisitor(to: "\(home.root)-bert", port: port) { bert in
                    try await withVisitor(to: "\(home.root)-cleo", port: port) { cleo in
                        try await wall.whileStarting {
                            try await home.start(
                                ["sensors.espresense.topic": Self.receivers(of: home)],
                                file: Self.file(home, ["anna", "bert", "cleo"])
                            )
                        }
                        for device in [anna, bert, cleo] { try await device.awaits("status", "online") }
                        try await body(home, wall, anna, bert, cleo)
                    }
                }
            }
        }
    }

    private func names(_ zone: JSONValue) -> [String] {
        (zone["devices"]?.array ?? []).compactMap { $0["name"]?.string }.sorted()
    }

    /// Since when Anna is in the living room, and Bert in the kitchen.
    private func roomsSince(_ anna: Visitor, _ bert: Visitor) async throws -> [JSONValue?] {
        [
            try await anna.awaits("zone") { $0["slug"] == "living-room" }["since"],
            try await bert.awaits("zone") { $0["slug"] == "kitchen" }["since"],
        ]
    }

    /// Whether a device of `B/devices` was heard since.
    private func isSeen(_ name: String, in list: JSONValue, after earlier: JSONValue) -> Bool {
        let times = [earlier, list].map { list in
            list.array?.first { $0["name"]?.string == name }?["last_seen"]?.string ?? ""
        }
        return times[0] < times[1]
    }

    @Test func `each device is in its own room, and the place says who is where`() async throws {
        try await withDevices { home, wall, anna, bert, cleo in
            let playing = try play(home, wall)
            defer { playing.cancel() }
            try await anna.awaits("zone") { $0["slug"] == "living-room" }
            try await bert.awaits("zone") { $0["slug"] == "kitchen" }
            try await cleo.awaits("zone") { $0["slug"] == "kitchen" }
            try await anna.awaits("nearby") { $0["slug"] == "table-lamp" }
            try await wall.awaits("zones/kitchen") {
                $0["occupied"] == true && names($0) == ["Bert", "Cleo"]
            }
            try await wall.awaits("zones/living-room") { names($0).contains("Anna") }
            let devices = try await wall.awaits("devices") { list in
                list.array?.contains { $0["name"] == "Cleo" && $0["zone"] == "kitchen" } ?? false
            }
            #expect(devices.array?.compactMap { $0["node"]?.string }.first == home.node)
            #expect(devices.array?.count == 4)
            let info = try await anna.awaits("info")
            #expect(info["place"]?.string == home.node)
            #expect(await wall.json("info")?["place"] == nil)
            #expect(await anna.said(on: "zones/kitchen").isEmpty)
            let ids = try await [wall, anna, bert, cleo].asyncMap {
                try await $0.awaits("device")["id"]?.string
            }
            #expect(Set(ids.compactMap(\.self)).count == 4, "each is a device of its own")
        }
    }

    @Test func `a device that is carried to another room is there soon, and the others stay where they are`()
        async throws
    {
        try await withDevices { home, wall, anna, bert, cleo in
            let playing = try play(home, wall, from: 0)
            defer { playing.cancel() }
            // On a slow machine that may be only when it is played again.
            let limit = Duration.seconds(80)
            try await wall.awaits("zones/kitchen", within: limit) { names($0) == ["Bert"] }
            try await wall.awaits("zones/living-room", within: limit) { names($0) == ["Anna", "Cleo"] }
            let since = try await roomsSince(anna, bert)
            try await cleo.awaits("zone", within: limit) { $0["slug"] == "kitchen" }
            try await wall.awaits("zones/kitchen") { names($0) == ["Bert", "Cleo"] }
            try await wall.awaits("zones/living-room") { names($0) == ["Anna"] }
            #expect(try await roomsSince(anna, bert) == since)
        }
    }

    @Test func `with two receivers in each other's room, each device is in the wrong one`() async throws {
        try await withDevices { home, wall, anna, bert, cleo in
            let playing = try play(home, wall, isExchanged: true)
            defer { playing.cancel() }
            try await anna.awaits("zone") { $0["slug"] == "kitchen" }
            try await bert.awaits("zone") { $0["slug"] == "living-room" }
            try await cleo.awaits("zone") { $0["slug"] == "living-room" }
        }
    }

    @Test func `a command on a device's topic is for what is near that device`() async throws {
        try await withDevices { home, wall, anna, bert, _ in
            let playing = try play(home, wall)
            defer { playing.cancel() }
            try await anna.awaits("nearby") { $0["slug"] == "table-lamp" }
            try await bert.awaits("nearby") { $0["slug"] == "kitchen-light" }
            #expect(try await anna.ask("nearby/set", #"{"state":"OFF"}"#).outcome == "ok")
            try await wall.awaits("things/table-lamp") { $0["state"] == "OFF" }
            #expect(try await bert.ask("nearby/set", #"{"state":"ON"}"#).outcome == "ok")
            try await wall.awaits("things/kitchen-light") { $0["state"] == "ON" }
            #expect(await wall.json("things/table-lamp")?["state"] == "OFF")
        }
    }

    @Test
    func `a device that is removed while the daemon runs leaves the broker, and the others notice nothing`()
        async throws
    {
        try await withDevices { home, wall, anna, bert, cleo in
            let playing = try play(home, wall)
            defer { playing.cancel() }
            try await anna.awaits("zone") { $0["slug"] == "living-room" }
            try await wall.awaits("zones/kitchen") { names($0) == ["Bert", "Cleo"] }
            let before = await (anna.said(on: "status"), bert.said(on: "status"), wall.said(on: "status"))
            let since = try await roomsSince(anna, bert)

            try home.folder.write(Self.file(home, ["anna", "bert"]), to: "trilateral.yaml")
            #expect(try await wall.ask("request/reload", "{}").outcome == "ok")
            try await cleo.awaits("status", "")
            try await wall.awaits("zones/kitchen") { names($0) == ["Bert"] }
            let list = try await wall.awaits("devices") { $0.array?.count == 3 }
            #expect(await anna.said(on: "status") == before.0)
            #expect(await bert.said(on: "status") == before.1)
            #expect(await wall.said(on: "status") == before.2)

            // The others are heard as before, and have not left their rooms.
            let places = await (
                anna.said(on: "device/position").count, bert.said(on: "device/position").count
            )
            try await wall.awaits("devices") { later in
                ["Anna", "Bert"].allSatisfy { isSeen($0, in: later, after: list) }
            }
            let areLocated = await eventually {
                let now = await (
                    anna.said(on: "device/position").count, bert.said(on: "device/position").count
                )
                return now.0 > places.0 && now.1 > places.1
            }
            #expect(areLocated)
            // Its reports go on, too, and nothing comes of them.
            let kept = try await retainedMessages(port: try SharedMosquitto.broker.port)
            #expect(kept.keys.filter { $0.contains("\(home.node)-cleo") } == [])
            #expect(kept.keys.contains { $0 == "\(home.root)-anna/zone" })
            #expect(try await roomsSince(anna, bert) == since)

            try home.folder.write(Self.file(home, ["anna", "bert", "cleo"]), to: "trilateral.yaml")
            #expect(try await wall.ask("request/reload", "{}").outcome == "ok")
            try await cleo.awaits("status", "online")
            try await cleo.awaits("zone") { $0["slug"] == "kitchen" }
        }
    }

    @Test func `a device that was removed while Home Assistant was off is removed there when it starts`()
        async throws
    {
        try await withEmptyHome { home, wall in
            try await home.take(Self.model)
            let (keys, file) = (["discovery.prefix": "\(home.root)/ha"], Self.file(home, ["anna", "bert"]))
            let topic = "ha/device/trilateral_\(home.node)-anna/config"
            try await wall.whileStarting { try await home.start(keys, file: file) }
            let light = try await wall.awaits(topic)["components"]?["light_nearby"]?["unique_id"]
            #expect(light?.string?.contains("-\(home.node)-anna_") == true)
            let port = try SharedMosquitto.broker.port
            try await withVisitor(to: "\(home.root)-anna", port: port) { anna in
                try await anna.awaits("status", "online")
                wall.say("ha/status", "offline")
                try home.folder.write(Self.file(home, ["bert"]), to: "trilateral.yaml")
                #expect(try await wall.ask("request/reload", "{}").outcome == "ok")
                try await anna.awaits("status", "")
            }
            try await wall.awaits(topic, "")
            let before = await wall.said(on: topic).count
            wall.say("ha/status", "online")
            let isRepeated = await eventually {
                let said = await wall.said(on: topic).dropFirst(before)
                return said.count > 1 && said.last == ""
            }
            #expect(isRepeated)
            let shown = await wall.said(on: topic).dropFirst(before).first ?? ""
            #expect(try JSONValue(parsing: shown)["components"]?["light_nearby"]?["unique_id"] == light)
        }
    }

    @Test func `all nodes go offline when the daemon ends`() async throws {
        try await withDevices { home, _, anna, bert, _ in
            #expect(await home.stop() == 0)
            try await anna.awaits("status", "offline")
            try await bert.awaits("status", "offline")
        }
    }

    @Test func `a mistake in the list names its key, and nothing starts`() async throws {
        try await withEmptyHome { home, _ in
            try home.folder.write(
                "devices:\n  - node: Anna\n  - node: \(home.node)\n  - node: bert\n    heard_as: [\"irk:12\"]\n",
                to: "trilateral.yaml"
            )
            let end = try await Program.run(
                ["check", "--config", home.folder.path("trilateral.yaml")],
                in: home.folder,
                keys: ["mqtt.node": home.node]
            )
            #expect(end.status != 0)
            for text in ["entry 1: node", "entry 2: node", "entry 3: heard_as[1]"] {
                #expect(end.output.contains(text), "\(text): \(end.output)")
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
