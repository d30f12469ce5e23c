import Flare
import FlareServer
import Foundation
import Testing

/// Many messages with one commit.
@Suite struct SocketBatchTests {
    private static func said(_ event: String, _ message: JSONValue, by client: FlareClientID) throws
        -> SocketInput
    {
        let message = SocketMessage(json: JSONValue.array([.string(event), message]).bytes)
        return .said(try #require(message), by: client)
    }

    private static func setLamp(_ key: String, _ value: JSONValue, by client: FlareClientID) throws
        -> SocketInput
    {
        try said("setData", ["thing": Hall.text(Hall.lamp), "key": .string(key), "value": value], by: client)
    }

    @Test(arguments: StoreKind.allCases)
    func `all of it is stored and told in order`(kind: StoreKind) async throws {
        try await FlareHub.withStore(kind) { hub in
            try await hub.insert(Hall.records)
            let collector = Collector<Heard>()
            let hearer = await hub.listen("hearer", to: Hall.lampObject, collector)
            let sender = await hub.listen("sender", collector)
            let inputs = try (0..<100).map { try Self.setLamp("n", .number(Double($0)), by: sender) }
            await hub.carryOut(inputs[...])
            let unheard = try [
                Self.said("unsubscribe", ["thing": Hall.text(Hall.lamp)], by: hearer),
                Self.setLamp("n", 100, by: sender),
            ]
            await hub.carryOut(unheard[...])
            let values: [JSONValue?] = await collector.all().map {
                if case .data(_, let values, _) = $0.notice { values["n"] } else { nil }
            }
            #expect(values == (0..<100).map { .number(Double($0)) })
            #expect(await hub.record(Hall.lampObject)?.data?["n"] == 100)
        }
    }

    /// A hub whose database takes little more than the hall.
    private func narrowHub(_ file: String, steady: SteadyPresence.Settings? = nil) async throws -> FlareHub {
        var options = FlareStore.Options.impatient
        options.maximumBytes = 100_000
        let hub = try FlareHub(FlareStore(file: file, options: options), steady: steady)
        try await hub.insert(Hall.records)
        return hub
    }

    @Test
    func `what the database refuses changes nothing and tells nobody, and the rest is done all the same`()
        async throws
    {
        try await withFolder { folder in
            let hub = try await narrowHub(folder.path + "/flare.db")
            let collector = Collector<Heard>()
            _ = await hub.listen("hearer", to: Hall.hallObject, all: true, collector)
            let late = await hub.listen("late", collector)
            let sender = await hub.listen("sender", collector)
            let big = JSONValue.string(String(repeating: "x", count: 95_000))
            let lamp: JSONValue = ["thing": Hall.text(Hall.lamp)]
            let inputs = try [
                Self.setLamp("a", 1, by: sender),
                Self.said("subscribe", lamp, by: late),
                Self.setLamp("big", big, by: sender),
                Self.setLamp("b", 2, by: sender),
            ]
            await hub.carryOut(inputs[...])
            let data = await hub.record(Hall.lampObject)?.data
            #expect(data?["a"] == 1)
            #expect(data?["b"] == 2)
            #expect(data?["big"] == nil)
            await hub.carryOut([try Self.setLamp("c", 3, by: sender)])
            await hub.carryOut([try Self.setLamp("d", 4, by: sender), try Self.setLamp("e", 5, by: sender)])
            let heard: [String] = await collector.all().map {
                if case .data(_, let values, _) = $0.notice {
                    "\($0.who) \(values.keys.joined())"
                } else {
                    "?"
                }
            }
            // In the order of messages; the one that came late does not hear what was said before, nor twice.
            #expect(
                heard == [
                    "hearer a", "late b", "hearer b", "late c", "hearer c", "late d", "hearer d", "late e",
                    "hearer e",
                ]
            )
        }
    }

    @Test func `a position that is rolled back and retried counts as one observation`() async throws {
        try await withFolder { folder in
            let hub = try await narrowHub(folder.path + "/flare.db", steady: SteadyPresence.Settings())
            let sender = await hub.listen("sender", Collector())
            let big = JSONValue.string(String(repeating: "x", count: 95_000))
            let move: JSONValue = ["device": Hall.text(Hall.phone), "position": ["x": 5, "y": 1]]
            let inputs = try [
                Self.said("setPosition", move, by: sender), Self.setLamp("big", big, by: sender),
            ]
            await hub.carryOut(inputs[...])
            #expect(await hub.record(Hall.lampObject)?.data?["big"] == nil)
            #expect(await hub.record(Hall.phoneObject)?.position == Point3D(x: 5, y: 1))
            #expect(await hub.record(Hall.phoneObject)?.zone == nil)
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 5, y: 1))
            #expect(await hub.record(Hall.phoneObject)?.zone == Hall.west)
        }
    }

    @Test func `what was taken back is not there after the next start either`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let before: [FlareRecord]
            do {
                let hub = try await narrowHub(file)
                let sender = await hub.listen("sender", Collector())
                let big = JSONValue.string(String(repeating: "x", count: 95_000))
                let move: JSONValue = ["device": Hall.text(Hall.phone), "position": ["x": 2, "y": 2]]
                let inputs = try [
                    Self.said("setPosition", move, by: sender), Self.setLamp("big", big, by: sender),
                    Self.setLamp("on", true, by: sender),
                ]
                await hub.carryOut(inputs[...])
                before = await hub.records(.thing) + hub.records(.device)
            }
            let hub = try FlareHub(FlareStore(file: file))
            let after = await hub.records(.thing) + hub.records(.device)
            #expect(after == before)
            #expect(after.last?.position == Point3D(x: 2, y: 2, z: 0))
            #expect(after.last?.nearest == Hall.lamp)
        }
    }
}
