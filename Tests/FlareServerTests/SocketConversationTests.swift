import Flare
import FlareServer
import SocketIO
import TestSupport
import Testing

/// The messages of flare-protocol 4 between clients and the server, as they travel.
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
    func `data is stored, and told to subscribers but not to who set it`(
        road: SocketClient.Road,
        revision: EngineRevision
    ) async throws {
        let hub = try await withHall { port in
            let setter = try SocketClient(port: port, road, revision)
            let hearer = try SocketClient(port: port, road, revision)
            for client in [setter, hearer] {
                try client.say("subscribe", ["thing": Self.lamp])
                #expect(try client.settled() == [])
            }
            try setter.say("setData", ["thing": Self.lamp, "key": "color", "value": "grün 😀", "sender": 7])
            #expect(try setter.settled() == [])
            let told: JSONValue = ["data": ["color": "grün 😀"], "thing": Self.lamp, "sender": 7]
            #expect(try hearer.event() == .init("data", told))
            try hearer.say("unsubscribe", ["thing": Self.lamp])
            #expect(try hearer.settled() == [])
            try setter.say("setData", ["thing": Self.lamp, "key": "on", "value": true])
            #expect(try setter.settled() == [])
            #expect(try hearer.settled() == [])
        }
        #expect(await hub.record(Hall.lampObject)?.data?["on"] == true)
        #expect(await hub.record(Hall.lampObject)?.data?["color"] == "grün 😀")
    }

    @Test(arguments: [(FlareDialect.origin, 3), (.strict, 1)])
    func `who is in several rooms hears once for each, or once when that is strict`(
        dialect: FlareDialect,
        count: Int
    ) async throws {
        _ = try await withHall(dialect: dialect) { port in
            let setter = try SocketClient(port: port)
            let everywhere = try SocketClient(port: port)
            let zoneOnly = try SocketClient(port: port, .polling)
            let elsewhere = try SocketClient(port: port)
            try everywhere.say("subscribe", ["thing": Self.lamp])
            try everywhere.say("subscribe", ["environment": Self.hall, "all": true])
            try everywhere.say("subscribe", ["zone": Self.west, "all": 1])
            try everywhere.say("subscribe", ["zone": Self.west, "all": 1])
            try zoneOnly.say("subscribe", ["zone": Self.west, "all": true])
            try elsewhere.say("subscribe", ["zone": Hall.text(Hall.east), "all": true])
            try elsewhere.say("subscribe", ["environment": Self.hall, "all": 0])
            for client in [everywhere, zoneOnly, elsewhere] { #expect(try client.settled() == []) }
            try setter.say("setData", ["thing": Self.lamp, "key": "on", "value": true])
            #expect(try setter.settled() == [])
            #expect(try everywhere.settled().count == count)
            #expect(try zoneOnly.settled().count == 1)
            #expect(try elsewhere.settled() == [])
        }
    }

    @Test(arguments: SocketClient.Road.allCases)
    func `a device's move is told to the others, and what follows from it to everybody`(
        road: SocketClient.Road
    ) async throws {
        _ = try await withHall { port in
            let mover = try SocketClient(port: port, road)
            let hearer = try SocketClient(port: port, road)
            try hearer.say("subscribe", ["device": Self.phone])
            #expect(try hearer.settled() == [])
            try mover.say("setPosition", ["device": Self.phone, "position": ["x": 2, "y": "3"]])
            let follows: [SocketClient.Event] = [
                .init("enter", ["zone": Self.west, "device": Self.phone]),
                .init("near", ["thing": Self.lamp, "device": Self.phone, "distance": 1]),
            ]
            #expect(try mover.settled() == follows)
            let position: JSONValue = ["position": ["x": 2, "y": 3, "z": 0], "device": Self.phone]
            #expect(try hearer.settled() == [.init("position", position)] + follows)
            try mover.say("performAction", ["device": Self.phone, "action": "north", "sender": "me"])
            let moved: JSONValue = [
                "position": ["x": 2, "y": 4, "z": 0], "device": Self.phone, "sender": "me",
            ]
            let far = SocketClient.Event("far", ["thing": Self.lamp, "device": Self.phone])
            #expect(try mover.settled() == [.init("position", moved), far])
            let action: JSONValue = ["action": "north", "device": Self.phone, "sender": "me"]
            #expect(try hearer.settled() == [.init("handleAction", action), .init("position", moved), far])
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
        // The first class in the order of the protocol counts.
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
        // What the origin passes over, or dies of.
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

    @Test func `questions are answered to who asked, nonsense is passed over`() async throws {
        _ = try await withHall { port in
            let client = try SocketClient(port: port)
            let other = try SocketClient(port: port)
            try other.say("subscribe", ["environment": Self.hall])
            #expect(try other.settled() == [])
            for (event, message, answer) in Self.questions {
                try client.say(event, message)
                #expect(try client.settled() == (answer.map { [$0] } ?? []), "\(event) \(message)")
            }
            #expect(try other.settled() == [])
        }
    }

    @Test(arguments: EngineRevision.allCases)
    func `what is no event does no harm`(revision: EngineRevision) async throws {
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
            let heard = try client.settled()
            // Half a character is read as the sign for what is none.
            #expect(
                heard == [
                    .init("position", ["position": .null, "thing": "asked"]),
                    .init("data", ["data": .null, "thing": "\u{FFFD}"]),
                ]
            )
        }
    }

    @Test func `who leaves hears nothing, and has to subscribe again`() async throws {
        _ = try await withHall { port in
            let client = try SocketClient(port: port)
            let setter = try SocketClient(port: port)
            try client.say("subscribe", ["thing": Self.lamp])
            try client.send("41")
            try client.say("subscribe", ["thing": Self.lamp])
            try client.send("40")
            #expect(try client.settled() == [])
            try setter.say("setData", ["thing": Self.lamp, "key": "a", "value": 1])
            #expect(try setter.settled() == [])
            #expect(try client.settled() == [])
        }
    }

    @Test func `who goes is forgotten`() async throws {
        _ = try await withHall { port in
            let setter = try SocketClient(port: port)
            for road in SocketClient.Road.allCases {
                let client = try SocketClient(port: port, road)
                try client.say("subscribe", ["thing": Self.lamp])
                #expect(try client.settled() == [])
                try client.vanish()
            }
            let stays = try SocketClient(port: port)
            try stays.say("subscribe", ["thing": Self.lamp])
            #expect(try stays.settled() == [])
            try setter.say("setData", ["thing": Self.lamp, "key": "a", "value": 1])
            #expect(try setter.settled() == [])
            #expect(try stays.settled().count == 1)
        }
    }
}
