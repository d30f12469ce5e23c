import Flare
import FlareServer
import JSON
import TestSupport
import Testing

/// Files whose objects already exist.
@Suite struct ModelImportModeTests {
    private static func model(_ colour: String = "red", id: String? = nil) -> String {
        let own = id.map { #""_id":"\#($0)","# } ?? ""
        return """
            {"environments":[{\(own)"name":"Flat","zones":[
            {"name":"Kitchen","things":[{"name":"Lamp","data":{"color":"\(colour)"}},{"name":"Lamp"}]},
            {"name":"Hall","things":[{"name":"Lamp"}]}],"devices":[{"name":"Phone"}]}]}
            """
    }

    private func take(_ text: String, into hub: FlareHub, _ mode: ModelImportMode) async throws {
        let tree = await hub.prepared(try ModelTree.read(text.utf8), for: mode)
        try await hub.importModel(tree, replacing: mode == .replace)
    }

    private func counts(_ hub: FlareHub) async -> [Int] {
        var counts: [Int] = []
        for kind in FlareClass.allCases { counts.append(await hub.records(kind).count) }
        return counts
    }

    @Test func `a file without identifiers is refused the second time, object by object`() async throws {
        let hub = try FlareHub(FlareStore())
        try await take(Self.model(), into: hub, .refuse)
        let problems = try await #require(throws: ModelErrors.self) {
            try await take(Self.model(), into: hub, .refuse)
        }
        #expect(problems.problems.count == 7)
        let first = try #require(problems.problems.first)
        #expect(first.place == "environments[0]" && first.message.hasSuffix("already exists"))
        #expect(!problems.problems.contains { !$0.isReplaceable })
        #expect(await counts(hub).reduce(0, +) == 7)
    }

    @Test func `replacing matches objects by name and parent`() async throws {
        let hub = try FlareHub(FlareStore())
        try await take(Self.model(), into: hub, .refuse)
        let before = await hub.records(.thing).map(\.id)
        try await take(Self.model("blue"), into: hub, .replace)
        let things = await hub.records(.thing)
        #expect(things.map(\.id) == before)
        #expect(things.map { $0.data?["color"] } == ["blue", nil, nil])
        #expect(await counts(hub).reduce(0, +) == 7)
    }

    @Test func `a model can be added a second time`() async throws {
        let hub = try FlareHub(FlareStore())
        try await take(Self.model(), into: hub, .refuse)
        try await take(Self.model(), into: hub, .add)
        #expect(await counts(hub).reduce(0, +) == 14)
        #expect(await hub.exportModel().json["environments"]?.array?.count == 2)
    }

    @Test func `replacing adds new objects`() async throws {
        let hub = try FlareHub(FlareStore())
        try await take(Self.model(), into: hub, .refuse)
        let more = Self.model().replacing(#"{"name":"Hall""#, with: #"{"name":"Bath"},{"name":"Hall""#)
        try await take(more, into: hub, .replace)
        #expect(await hub.records(.zone).map { $0.members["name"]?.string } == ["Kitchen", "Hall", "Bath"])
    }

    @Test func `identifiers take precedence over names`() async throws {
        let hub = try FlareHub(FlareStore())
        let id = "0000000000000000000000aa"
        try await take(Self.model(id: id), into: hub, .refuse)
        try await take(Self.model("blue", id: id), into: hub, .replace)
        #expect(await counts(hub).reduce(0, +) == 7)
        let other = Self.model(id: "0000000000000000000000bb")
        try await take(other, into: hub, .replace)
        #expect(await counts(hub).reduce(0, +) == 14, "another environment of the same name")
    }

    @Test func `a model that is added a second time has new identifiers, also in references`()
        async throws
    {
        let hub = try FlareHub(FlareStore())
        let text = """
            {"environments":[{"_id":"0000000000000000000000a1","name":"A","zones":[{"_id":"0000000000000000000000a2",
            "things":[{"_id":"0000000000000000000000a3"}]}],
            "devices":[{"zone":"0000000000000000000000a2","nearest":"0000000000000000000000a3"}]}]}
            """
        try await take(text, into: hub, .refuse)
        try await take(text, into: hub, .add)
        let (zones, things) = (await hub.records(.zone), await hub.records(.thing))
        let device = try #require(await hub.records(.device).last)
        #expect(device.zone == zones.last?.id && device.nearest == things.last?.id)
        #expect(things.last?.zone == zones.last?.id && zones.last?.id != zones.first?.id)
        #expect(await hub.orphans().isEmpty)
    }

    @Test func `objects of a removed parent are orphans and can be removed`() async throws {
        let hub = try FlareHub(FlareStore())
        try await take(Self.model(), into: hub, .refuse)
        try await take(#"{"environments":[{"name":"Hut","zones":[{"name":"Room"}]}]}"#, into: hub, .refuse)
        let kitchen = try #require(await hub.records(.zone).first)
        try await hub.remove(kitchen.reference)
        #expect(await hub.orphans().map(\.kind) == [.thing, .thing])
        let flat = try #require(await hub.records(.environment).first)
        try await hub.remove(flat.reference)
        #expect(await hub.orphans().map(\.kind) == [.zone, .thing, .thing, .thing, .device])

        let room = try #require(await hub.records(.zone).last)
        let ids = Set(await hub.orphans().map(\.id)).union([room.id])
        #expect(try await hub.removeOrphans(ids).count == 5)
        #expect(await hub.orphans().isEmpty)
        #expect(await hub.records(.zone).map(\.id) == [room.id], "no orphan")
    }
}
