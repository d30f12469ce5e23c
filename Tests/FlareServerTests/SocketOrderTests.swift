import Flare
import FlareServer
import SocketIO
import TestSupport
import Testing

/// A message never overtakes another about the same object, and none is lost.
@Suite(.timeLimit(.minutes(2)))
struct SocketOrderTests {
    private static let lamp = Hall.text(Hall.lamp)

    private static func setData(_ value: Int) -> String {
        #"42["setData",{"thing":\#(lamp.text),"key":"n","value":\#(value)}]"#
    }

    @Test(arguments: SocketRoads.all)
    func `a burst arrives in order at everybody, and its last value is stored`(
        road: SocketClient.Road,
        revision: EngineRevision
    ) async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub) { rest in
            try await onThread {
                let setter = try SocketClient(port: rest.port, road, revision)
                let hearers = try SocketRoads.all.map {
                    try SocketClient(port: rest.port, $0.0, $0.1)
                }
                for hearer in hearers {
                    try hearer.say("subscribe", ["thing": Self.lamp])
                    #expect(try hearer.settled() == [])
                }
                try setter.send((0..<1000).map(Self.setData))
                for hearer in hearers {
                    let heard = try (0..<1000).map { _ in
                        try hearer.event().argument["data"]?["n"]?.integer
                    }
                    #expect(heard == Array(0..<1000))
                    #expect(try hearer.settled() == [])
                }
            }
        }
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == 999)
    }

    @Test func `what is answered has been told before, over REST and sockets alike`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub) { rest in
            let path = "/environments/-/zones/-/things/\(Hall.lamp)/data/n"
            let setter = try await onThread { Blocking(try SocketClient(port: rest.port)) }
            for value in 0..<50 {
                try await onThread {
                    try setter.client.say(
                        "setData",
                        ["thing": Self.lamp, "key": "n", "value": .number(Double(value))]
                    )
                    #expect(try setter.client.settled() == [])
                }
                #expect(try await rest.json("GET", path) == .number(Double(value)))
            }
        }
    }

    /// More than is taken from one client at a time: reading stops, and goes on.
    @Test(arguments: SocketClient.Road.allCases)
    func `a flood is held up, not lost, and keeps nobody else from being served`(road: SocketClient.Road)
        async throws
    {
        var settings = SocketSettings()
        settings.unhandled = 8
        settings.batch = 3
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub, sockets: settings) { rest in
            try await onThread {
                let flood = try SocketClient(port: rest.port, road)
                let other = try SocketClient(port: rest.port, road)
                try other.say("subscribe", ["thing": Self.lamp])
                #expect(try other.settled() == [])
                for start in stride(from: 0, to: 1000, by: 250) {
                    try flood.send((start..<start + 250).map(Self.setData))
                    try other.say("performAction", ["thing": Hall.text(Hall.sofa), "action": "hello"])
                }
                let heard = try (0..<1000).map { _ in try other.event().argument["data"]?["n"]?.integer }
                #expect(heard == Array(0..<1000))
                #expect(try flood.settled() == [])
            }
        }
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == 999)
    }
}

/// Goes from one thread to the next, never to two at once.
private final class Blocking: @unchecked Sendable {
    let client: SocketClient

    init(_ client: SocketClient) { self.client = client }
}
