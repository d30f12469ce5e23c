import FlareServer
import JSON
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
    func `a burst arrives in order at all clients, and its last value is stored`(
        route: SocketClient.Route,
        revision: EngineRevision
    ) async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub) { rest in
            try await onThread {
                let setter = try SocketClient(port: rest.port, route, revision)
                let hearers = try SocketRoads.all.map {
                    try SocketClient(port: rest.port, $0.0, $0.1)
                }
                for subscriber in hearers {
                    try subscriber.emit("subscribe", ["thing": Self.lamp])
                    #expect(try subscriber.receivedEvents() == [])
                }
                try setter.send((0..<1000).map(Self.setData))
                for subscriber in hearers {
                    let received = try (0..<1000).map { _ in
                        try subscriber.event().argument["data"]?["n"]?.integer
                    }
                    #expect(received == Array(0..<1000))
                    #expect(try subscriber.receivedEvents() == [])
                }
            }
        }
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == 999)
    }

    @Test func `notices come before the reply, over REST and sockets`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub) { rest in
            let path = "/environments/-/zones/-/things/\(Hall.lamp)/data/n"
            let setter = try await onThread { Blocking(try SocketClient(port: rest.port)) }
            for value in 0..<50 {
                try await onThread {
                    try setter.client.emit(
                        "setData",
                        ["thing": Self.lamp, "key": "n", "value": .number(Double(value))]
                    )
                    #expect(try setter.client.receivedEvents() == [])
                }
                #expect(try await rest.json("GET", path) == .number(Double(value)))
            }
        }
    }

    /// More messages than the limit per client: reading pauses and resumes.
    @Test(arguments: SocketClient.Route.allCases)
    func `a flood is throttled without loss and does not block other clients`(route: SocketClient.Route)
        async throws
    {
        var settings = SocketSettings()
        settings.maximumPendingMessages = 8
        settings.batchSize = 3
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub, sockets: settings) { rest in
            try await onThread {
                let flood = try SocketClient(port: rest.port, route)
                let other = try SocketClient(port: rest.port, route)
                try other.emit("subscribe", ["thing": Self.lamp])
                #expect(try other.receivedEvents() == [])
                for start in stride(from: 0, to: 1000, by: 250) {
                    try flood.send((start..<start + 250).map(Self.setData))
                    try other.emit("performAction", ["thing": Hall.text(Hall.sofa), "action": "hello"])
                }
                let received = try (0..<1000).map { _ in try other.event().argument["data"]?["n"]?.integer }
                #expect(received == Array(0..<1000))
                #expect(try flood.receivedEvents() == [])
            }
        }
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == 999)
    }
}

/// Passed from one thread to the next, never used by two at once.
private final class Blocking: @unchecked Sendable {
    let client: SocketClient

    init(_ client: SocketClient) { self.client = client }
}
