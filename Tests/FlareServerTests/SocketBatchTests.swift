import Flare
import FlareServer
import Foundation
import JSON
import Testing

/// Many messages with one commit.
@Suite struct SocketBatchTests {
    private static func message(_ event: String, _ message: JSONValue, from client: FlareClientID) throws
        -> SocketInput
    {
        let message = SocketMessage(json: JSONValue.array([.string(event), message]).bytes)
        return .message(try #require(message), from: client)
    }

    private static func setLamp(_ key: String, _ value: JSONValue, from client: FlareClientID) throws
        -> SocketInput
    {
        try message(
            "setData",
            ["thing": Hall.text(Hall.lamp), "key": .string(key), "value": value],
            from: client
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch is stored and announced in order`(kind: StoreKind) async throws {
        try await FlareHub.withStore(kind) { hub in
            try await hub.insert(Hall.records)
            let collector = Collector<ReceivedNotice>()
            let subscriber = await hub.listen("subscriber", to: Hall.lampObject, collector)
            let sender = await hub.listen("sender", collector)
            let inputs = try (0..<100).map { try Self.setLamp("n", .number(Double($0)), from: sender) }
            await hub.handle(inputs[...])
            let unheard = try [
                Self.message("unsubscribe", ["thing": Hall.text(Hall.lamp)], from: subscriber),
                Self.setLamp("n", 100, from: sender),
            ]
            await hub.handle(unheard[...])
            let values: [JSONValue?] = await collector.all().map {
                if case .data(_, let values, _) = $0.notice { values["n"] } else { nil }
            }
            #expect(values == (0..<100).map { .number(Double($0)) })
            #expect(await hub.record(Hall.lampObject)?.data?["n"] == 100)
        }
    }

    /// A hub whose database has little space left.
    private func narrowHub(_ file: String, steady: SteadyPresence.Settings? = nil) async throws -> FlareHub {
        var options = FlareStore.Options.impatient
        options.maximumBytes = 100_000
        let hub = try FlareHub(FlareStore(file: file, options: options), steady: steady)
        try await hub.insert(Hall.records)
        return hub
    }

    @Test
    func `a message that the database refuses has no effect, and the others of its batch are handled`()
        async throws
    {
        try await withFolder { folder in
            let hub = try await narrowHub(folder.path + "/flare.db")
            let collector = Collector<ReceivedNotice>()
            _ = await hub.listen("subscriber", to: Hall.hallObject, all: true, collector)
            let newcomer = await hub.listen("newcomer", collector)
            let sender = await hub.listen("sender", collector)
            let big = JSONValue.string(String(repeating: "x", count: 95_000))
            let lamp: JSONValue = ["thing": Hall.text(Hall.lamp)]
            let inputs = try [
                Self.setLamp("a", 1, from: sender),
                Self.message("subscribe", lamp, from: newcomer),
                Self.setLamp("big", big, from: sender),
                Self.setLamp("b", 2, from: sender),
            ]
            await hub.handle(inputs[...])
            let data = await hub.record(Hall.lampObject)?.data
            #expect(data?["a"] == 1)
            #expect(data?["b"] == 2)
            #expect(data?["big"] == nil)
            await hub.handle([try Self.setLamp("c", 3, from: sender)])
            await hub.handle([try Self.setLamp("d", 4, from: sender), try Self.setLamp("e", 5, from: sender)])
            let received: [String] = await collector.all().map {
                if case .data(_, let values, _) = $0.notice {
                    "\($0.who) \(values.keys.joined())"
                } else {
                    "?"
                }
            }
            // In the order of messages; the newcomer receives each later notice once.
            #expect(
                received == [
                    "subscriber a", "newcomer b", "subscriber b", "newcomer c", "subscriber c", "newcomer d",
                    "subscriber d", "newcomer e",
                    "subscriber e",
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
                Self.message("setPosition", move, from: sender), Self.setLamp("big", big, from: sender),
            ]
            await hub.handle(inputs[...])
            #expect(await hub.record(Hall.lampObject)?.data?["big"] == nil)
            #expect(await hub.record(Hall.phoneObject)?.position == Point3D(x: 5, y: 1))
            #expect(await hub.record(Hall.phoneObject)?.zone == nil)
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 5, y: 1))
            #expect(await hub.record(Hall.phoneObject)?.zone == Hall.west)
        }
    }

    @Test func `a rolled back change is not in the database after a restart`() async throws {
        try await withFolder { folder in
            let file = folder.path + "/flare.db"
            let before: [FlareRecord]
            do {
                let hub = try await narrowHub(file)
                let sender = await hub.listen("sender", Collector())
                let big = JSONValue.string(String(repeating: "x", count: 95_000))
                let move: JSONValue = ["device": Hall.text(Hall.phone), "position": ["x": 2, "y": 2]]
                let inputs = try [
                    Self.message("setPosition", move, from: sender), Self.setLamp("big", big, from: sender),
                    Self.setLamp("on", true, from: sender),
                ]
                await hub.handle(inputs[...])
                before = await hub.records(.thing) + hub.records(.device)
                await hub.flushMotion()
            }
            let hub = try FlareHub(FlareStore(file: file))
            let after = await hub.records(.thing) + hub.records(.device)
            #expect(after == before)
            #expect(after.last?.position == Point3D(x: 2, y: 2, z: 0))
            #expect(after.last?.nearest == Hall.lamp)
        }
    }
}
