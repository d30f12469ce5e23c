import Flare
import FlareServer
import JSON
import TestSupport
import Testing
import Threading

/// Changes of clients that a gate refuses.
@Suite(.timeLimit(.minutes(1)))
struct ClientGateTests {
    private static let lamp = Hall.text(Hall.lamp)
    private static let path = "/environments/\(Hall.hall)/zones/\(Hall.west)/things/\(Hall.lamp)"

    /// A hub whose lamp clients may not change.
    private func guardedHub() async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        await hub.add { $0.object.id == Hall.lamp ? "the lamp is read-only" : nil }
        return hub
    }

    @Test func `a refused change by REST is answered with 403 and the reason, and changes nothing`()
        async throws
    {
        let hub = try await guardedHub()
        try await withREST(hub) { client in
            let before = try await client.json("GET", Self.path)
            for method in ["PUT", "DELETE"] {
                let reply = try await client.send(method, Self.path, json: ["name": "Mine"])
                #expect(reply.status == 403)
                #expect(
                    try JSONValue(parsing: reply.body)
                        == ["name": "NotAllowed", "message": "the lamp is read-only"]
                )
            }
            #expect(try await client.json("GET", Self.path) == before)
            let sign = "/environments/\(Hall.hall)/zones/\(Hall.east)/things/\(Hall.sign)"
            #expect(try await client.send("PUT", sign, json: ["name": "Mine"]).status == 200)
        }
    }

    @Test func `an environment or a zone cannot be deleted while it contains an object that a gate protects`()
        async throws
    {
        let hub = try await guardedHub()
        try await withREST(hub) { client in
            for path in ["/environments/\(Hall.hall)", "/environments/\(Hall.hall)/zones/\(Hall.west)"] {
                let reply = try await client.send("DELETE", path)
                #expect(reply.status == 403)
                #expect(
                    try JSONValue(parsing: reply.body)
                        == ["name": "NotAllowed", "message": "the lamp is read-only"]
                )
            }
            #expect(
                try await client.send("DELETE", "/environments/\(Hall.hall)/zones/\(Hall.east)").status == 200
            )
        }
        #expect(await hub.records(.zone).map(\.id) == [Hall.west])
    }

    @Test
    func `the sender of a refused Socket.IO change hears the stored value, and why; others hear nothing`()
        async throws
    {
        let hub = try await guardedHub()
        let before = await hub.record(Hall.lampObject)
        try await withREST(hub) { rest in
            try await onThread {
                let watcher = try SocketClient(port: rest.port)
                try watcher.emit("subscribe", ["thing": Self.lamp])
                #expect(try watcher.receivedEvents() == [])
                let client = try SocketClient(port: rest.port)
                try client.emit("setData", ["thing": Self.lamp, "key": "brightness", "value": 0.123])
                try client.emit("setPosition", ["thing": Self.lamp, "position": ["x": 1, "y": 2]])
                try client.emit("performAction", ["thing": Self.lamp, "action": "toggle"])
                let received = try client.receivedEvents()
                #expect(received.map(\.name) == ["data", "refused", "position", "refused", "refused"])
                let refusal: JSONValue = ["message": "the lamp is read-only", "thing": Self.lamp]
                #expect(received.filter { $0.name == "refused" }.allSatisfy { $0.argument == refusal })
                #expect(
                    received.first { $0.name == "data" }?.argument["data"]?["brightness"]
                        == before?.data?["brightness"] ?? .null
                )
                #expect(try watcher.receivedEvents() == [])
            }
        }
        #expect(await hub.record(Hall.lampObject) == before)
    }

    @Test func `a change with a token in it is refused by REST and by Socket.IO, and reaches nobody`()
        async throws
    {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let before = await hub.record(Hall.lampObject)
        let token: JSONValue = "tlu_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"
        try await withREST(hub) { rest in
            let reply = try await rest.send("PUT", Self.path, json: ["data": ["a": [token]]])
            #expect(reply.status == 400)
            #expect(!reply.body.contains("tlu_"))
            try await onThread {
                let watcher = try SocketClient(port: rest.port)
                try watcher.emit("subscribe", ["thing": Self.lamp])
                #expect(try watcher.receivedEvents() == [])
                let client = try SocketClient(port: rest.port)
                try client.emit("setData", ["thing": Self.lamp, "key": "brightness", "value": token])
                try client.emit("performAction", ["thing": Self.lamp, "action": token])
                #expect(try client.receivedEvents().map(\.name) == ["data", "refused", "refused"])
                #expect(try watcher.receivedEvents() == [])
            }
        }
        #expect(await hub.record(Hall.lampObject) == before)
    }

    @Test func `in-process clients are not gated`() async throws {
        let hub = try await guardedHub()
        let client = await hub.connect(isInProcess: true) { _ in }
        #expect(try await hub.setData(Hall.lampObject, ["brightness": 0.5], from: client))
    }

    @Test func `a hub and its thread are released after its listener has ended`() async throws {
        weak var hub: FlareHub?
        weak var loop: LoopExecutor?
        do {
            let served = try await guardedHub()
            (hub, loop) = (served, served.executor)
            try await withREST(served) { rest in
                try await onThread {
                    let client = try SocketClient(port: rest.port)
                    try client.emit("subscribe", ["thing": Self.lamp])
                    #expect(try client.receivedEvents() == [])
                }
            }
        }
        #expect(await eventually { hub == nil && loop == nil })
    }
}
