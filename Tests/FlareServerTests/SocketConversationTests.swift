import FlareServer
import JSON
import SocketIO
import TestSupport
import Testing

/// The messages over real connections.
/// - Source: contrib/contract/flare-protocol.md, "4. Messages".
@Suite(.timeLimit(.minutes(2)))
struct SocketConversationTests {
    private static let lamp = Hall.text(Hall.lamp)
    private static let hall = Hall.text(Hall.hall)
    private static let west = Hall.text(Hall.west)
    private static let phone = Hall.text(Hall.phone)

    /// Runs a script of blocking clients against a hall.
    private func withHall(
        dialect: FlareDialect = .origin,
        _ script: @escaping @Sendable (_ port: Int) throws -> Void
    ) async throws -> FlareHub {
        let hub = try FlareHub(FlareStore(), dialect: dialect)
        try await hub.insert(Hall.records)
        try await withREST(hub) { client in try await onThread { try script(client.port) } }
        return hub
    }

    @Test(arguments: SocketRoads.all)
    func `data is stored and announced to subscribers except the sender`(
        route: SocketClient.Route,
        revision: EngineRevision
    ) async throws {
        let hub = try await withHall { port in
            let setter = try SocketClient(port: port, route, revision)
            let subscriber = try SocketClient(port: port, route, revision)
            for client in [setter, subscriber] {
                try client.emit("subscribe", ["thing": Self.lamp])
                #expect(try client.receivedEvents() == [])
            }
            try setter.emit("setData", ["thing": Self.lamp, "key": "color", "value": "grün 😀", "sender": 7])
            #expect(try setter.receivedEvents() == [])
            let notice: JSONValue = ["data": ["color": "grün 😀"], "thing": Self.lamp, "sender": 7]
            #expect(try subscriber.event() == .init("data", notice))
            try subscriber.emit("unsubscribe", ["thing": Self.lamp])
            #expect(try subscriber.receivedEvents() == [])
            try setter.emit("setData", ["thing": Self.lamp, "key": "on", "value": true])
            #expect(try setter.receivedEvents() == [])
            #expect(try subscriber.receivedEvents() == [])
        }
        #expect(await hub.record(Hall.lampObject)?.data?["on"] == true)
        #expect(await hub.record(Hall.lampObject)?.data?["color"] == "grün 😀")
    }

    @Test(arguments: [(FlareDialect.origin, 3), (.strict, 1)])
    func `a client in several rooms receives a notice per room, or one in the strict dialect`(
        dialect: FlareDialect,
        count: Int
    ) async throws {
        _ = try await withHall(dialect: dialect) { port in
            let setter = try SocketClient(port: port)
            let everywhere = try SocketClient(port: port)
            let zoneOnly = try SocketClient(port: port, .polling)
            let elsewhere = try SocketClient(port: port)
            try everywhere.emit("subscribe", ["thing": Self.lamp])
            try everywhere.emit("subscribe", ["environment": Self.hall, "all": true])
            try everywhere.emit("subscribe", ["zone": Self.west, "all": 1])
            try everywhere.emit("subscribe", ["zone": Self.west, "all": 1])
            try zoneOnly.emit("subscribe", ["zone": Self.west, "all": true])
            try elsewhere.emit("subscribe", ["zone": Hall.text(Hall.east), "all": true])
            try elsewhere.emit("subscribe", ["environment": Self.hall, "all": 0])
            for client in [everywhere, zoneOnly, elsewhere] { #expect(try client.receivedEvents() == []) }
            try setter.emit("setData", ["thing": Self.lamp, "key": "on", "value": true])
            #expect(try setter.receivedEvents() == [])
            #expect(try everywhere.receivedEvents().count == count)
            #expect(try zoneOnly.receivedEvents().count == 1)
            #expect(try elsewhere.receivedEvents() == [])
        }
    }

    @Test(arguments: SocketClient.Route.allCases)
    func `a device's move is announced to others, its transitions to everyone`(
        route: SocketClient.Route
    ) async throws {
        _ = try await withHall { port in
            let mover = try SocketClient(port: port, route)
            let subscriber = try SocketClient(port: port, route)
            try subscriber.emit("subscribe", ["device": Self.phone])
            #expect(try subscriber.receivedEvents() == [])
            try mover.emit("setPosition", ["device": Self.phone, "position": ["x": 2, "y": "3"]])
            let follows: [SocketClient.Event] = [
                .init("enter", ["zone": Self.west, "device": Self.phone]),
                .init("near", ["thing": Self.lamp, "device": Self.phone, "distance": 1]),
            ]
            #expect(try mover.receivedEvents() == follows)
            let position: JSONValue = ["position": ["x": 2, "y": 3, "z": 0], "device": Self.phone]
            #expect(try subscriber.receivedEvents() == [.init("position", position)] + follows)
            try mover.emit("performAction", ["device": Self.phone, "action": "north", "sender": "me"])
            let moved: JSONValue = [
                "position": ["x": 2, "y": 4, "z": 0], "device": Self.phone, "sender": "me",
            ]
            let far = SocketClient.Event("far", ["thing": Self.lamp, "device": Self.phone])
            #expect(try mover.receivedEvents() == [.init("position", moved), far])
            let action: JSONValue = ["action": "north", "device": Self.phone, "sender": "me"]
            #expect(
                try subscriber.receivedEvents() == [
                    .init("handleAction", action), .init("position", moved), far,
                ]
            )
        }
    }

    static let questions: [(String, JSONValue, SocketClient.Event?)] = [
        (
            "getData", ["thing": lamp, "key": "color"],
            .init("data", ["data": ["color": "red"], "thing": lamp])
        ),
        ("getData", ["thing": lamp, "key": "none"], .init("data", ["data": [:], "thing": lamp])),
        ("getData", ["zone": west], .init("data", ["data": [:], "zone": west])),
        ("getData", ["environment": hall], .init("data", ["data": ["distance": 2], "environment": hall])),
        ("getData", ["thing": west], .init("data", ["data": .null, "thing": west])),
        ("getData", ["device": "bad", "key": "a"], .init("data", ["data": .null, "device": "bad"])),
        ("getData", ["device": 5], .init("data", ["data": .null, "device": 5])),
        // The first class in the order of the protocol is used.
        (
            "getPosition", ["thing": lamp, "zone": west],
            .init("position", ["position": ["x": 0, "y": 0], "zone": west])
        ),
        (
            "getPosition", ["thing": lamp],
            .init("position", ["position": ["x": 2, "y": 2, "z": 0], "thing": lamp])
        ),
        (
            "getPosition", ["environment": hall],
            .init("position", ["position": ["x": 0, "y": 0], "environment": hall])
        ),
        ("getPosition", ["device": lamp], .init("position", ["position": .null, "device": lamp])),
        ("getActions", ["thing": lamp], .init("actions", ["actions": [], "thing": lamp])),
        // Messages that the original server ignores or crashes on.
        ("getData", [:], nil), ("getData", .null, nil), ("getData", "x", nil),
        ("getData", ["thing": .null], nil),
        ("initialload", "", nil), ("error", ["thing": lamp], nil), ("setData", ["thing": lamp], nil),
        ("setData", ["thing": lamp, "key": "a", "value": .null], nil),
        ("setPosition", ["thing": lamp, "position": ["x": 1]], nil),
        ("setPosition", ["thing": lamp, "position": .null], nil),
        ("setPosition", ["device": "bad", "position": ["x": 1, "y": 1]], nil),
        ("performAction", ["thing": lamp], nil),
        ("performAction", ["thing": lamp, "action": "hasOwnProperty"], nil),
    ]

    @Test func `get messages are answered to their sender, and invalid ones ignored`() async throws {
        _ = try await withHall { port in
            let client = try SocketClient(port: port)
            let other = try SocketClient(port: port)
            try other.emit("subscribe", ["environment": Self.hall])
            #expect(try other.receivedEvents() == [])
            for (event, message, answer) in Self.questions {
                try client.emit(event, message)
                #expect(try client.receivedEvents() == (answer.map { [$0] } ?? []), "\(event) \(message)")
            }
            #expect(try other.receivedEvents() == [])
        }
    }

    @Test(arguments: EngineRevision.allCases)
    func `invalid events are ignored`(revision: EngineRevision) async throws {
        _ = try await withHall { port in
            let client = try SocketClient(port: port, .websocket, revision)
            let deep = String(repeating: "[", count: 100_000)
            for text in [
                "42", "42[", "42[]", "42{}", "42[\"setData\"", "42[1,2]", "42[\"setData\",null]", "43[]",
                "44\"x\"",
                "42[\"getData\",\(deep)", "42\(deep)", "421[\"getPosition\",{\"thing\":\"asked\"}]", "45",
                "42[\"getData\",{\"thing\":\"\\ud800\"}]",
            ] where revision == .three || text != "45" {
                try client.send(text)
            }
            let received = try client.receivedEvents()
            // Half a character becomes the replacement character.
            #expect(
                received == [
                    .init("position", ["position": .null, "thing": "asked"]),
                    .init("data", ["data": .null, "thing": "\u{FFFD}"]),
                ]
            )
        }
    }

    @Test func `a client that leaves the namespace must subscribe again`() async throws {
        _ = try await withHall { port in
            let client = try SocketClient(port: port)
            let setter = try SocketClient(port: port)
            try client.emit("subscribe", ["thing": Self.lamp])
            try client.send("41")
            try client.emit("subscribe", ["thing": Self.lamp])
            try client.send("40")
            #expect(try client.receivedEvents() == [])
            try setter.emit("setData", ["thing": Self.lamp, "key": "a", "value": 1])
            #expect(try setter.receivedEvents() == [])
            #expect(try client.receivedEvents() == [])
        }
    }

    @Test func `a disconnected client is removed`() async throws {
        _ = try await withHall { port in
            let setter = try SocketClient(port: port)
            for route in SocketClient.Route.allCases {
                let client = try SocketClient(port: port, route)
                try client.emit("subscribe", ["thing": Self.lamp])
                #expect(try client.receivedEvents() == [])
                try client.vanish()
            }
            let stays = try SocketClient(port: port)
            try stays.emit("subscribe", ["thing": Self.lamp])
            #expect(try stays.receivedEvents() == [])
            try setter.emit("setData", ["thing": Self.lamp, "key": "a", "value": 1])
            #expect(try setter.receivedEvents() == [])
            #expect(try stays.receivedEvents().count == 1)
        }
    }
}
