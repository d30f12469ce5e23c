import Flare
import FlareClient
import FlareServer
import HTTPListener
import JSON
import NIOConcurrencyHelpers
import SocketIO
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct FlareClientReconnectTests {
    @Test(arguments: FlareClientConfiguration.Transport.allCases, EngineRevision.allCases)
    func `after a reconnect the current state is mirrored`(
        transport: FlareClientConfiguration.Transport,
        revision: EngineRevision
    ) async throws {
        let hub = try await FlareHub.home()
        let port = try LoopbackSocket.freePort()
        let listen = HTTPListenerConfiguration(section: "test", port: port)
        let (commands, command) = AsyncStream<Void>.makeStream()
        // Serves twice; something changes in between.
        let server = Task {
            for lamp in ["before", "after"] {
                try await hub.setData(Home.lampObject, ["state": .string(lamp)])
                try await withListener(hub, listen) { _ in
                    for await _ in commands { return }
                }
            }
        }
        try await withLink(FlareClient(.local(port, transport, revision), logger: .silent)) { link in
            #expect(await link.linkUp())
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
            #expect(await lamp(&link) == "before")
            command.yield()
            #expect(await link.linkDown()?.isEmpty == false)
            #expect(await link.linkUp())
            // Subscriptions do not survive a disconnect.
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
            #expect(await lamp(&link) == "after")
            try await hub.setData(Home.lampObject, ["state": "now"])
            #expect(await link.nextNotice() == .data(Home.lampObject, ["state": "now"], sender: nil))
        }
        command.yield()
        command.finish()
        try await server.value
    }

    private func lamp(_ link: inout LinkUnderTest) async -> JSONValue? {
        guard case .success(.place(_, let things))? = await link.ask(.loadPlace(environment: Home.house))
        else {
            return nil
        }
        return things.first { $0.id == Home.lamp }?.data["state"]
    }

    @Test func `pending requests fail before the next attempt when the link is lost`() async throws {
        let asked = NIOLockedValueBox(0)
        let sockets = NIOLockedValueBox<[FakeServer.Socket]>([])
        var script = FakeServer.original(http: { _ in
            asked.withLockedValue { $0 += 1 }
            return .nothing
        })
        let original = script.socket
        script.socket = { text, socket in
            original?(text, socket)
            if text.isEmpty { sockets.withLockedValue { $0.append(socket) } }
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let requests: [FlareRequest] = [
                    .loadEnvironments(near: nil), .subscribe(environment: Home.house),
                    .setData(Home.lampObject, values: ["a": 1], sender: nil),
                ]
                for request in requests { link.requests.yield(request) }
                #expect(await eventually { asked.withLockedValue { $0 } == 1 })
                for socket in sockets.withLockedValue({ $0 }) { socket.close() }
                let reason = await link.linkDown() ?? ""
                for request in requests {
                    #expect(await link.next() == .replied(request, .failure(.unreachable(reason))))
                }
                #expect(await link.next() == .linkUp)
            }
        }
    }

    @Test func `an unconfirmed request times out`() async throws {
        var script = FakeServer.original()
        script.socket = { text, socket in
            if text.isEmpty {
                socket.send(FakeServer.hello)
                socket.send("40")
            }
            if text.contains(FakeServer.noObject) { socket.send(FakeServer.nothing) }
        }
        try await withFakeServer(script) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            configuration.confirmationSeconds = 0.05
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                #expect(await link.linkUp())
                let set = FlareRequest.setData(Home.lampObject, values: ["a": 1], sender: nil)
                #expect(await link.ask(set) == .failure(.timedOut(seconds: 0.05)))
            }
        }
    }

    @Test func `a value that another client stores over ours is announced after the reply`() async throws {
        let script = FakeServer.original(data: { _ in "theirs" })
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let set = FlareRequest.setData(Home.lampObject, values: ["a": "ours"], sender: nil)
                #expect(await link.perform(set).result == .success(.done))
                #expect(await link.nextNotice() == .data(Home.lampObject, ["a": "theirs"], sender: nil))
            }
        }
    }

    @Test func `a value that the server does not store is refused`() async throws {
        try await withFakeServer(.original(data: { _ in nil })) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let set = FlareRequest.setData(Home.lampObject, values: ["a": "ours"], sender: nil)
                #expect(await link.ask(set) == .failure(.rejected("the server did not store a")))
            }
        }
    }

    @Test func `messages that crash the original server are never sent`() async throws {
        let said = NIOLockedValueBox<[FlareMessage]>([])
        let house = NIOLockedValueBox<JSONValue>(["_id": Home.text(Home.house)])
        let phone: JSONValue = ["_id": Home.text(Home.phone), "environment": Home.text(Home.house)]
        var script = FakeServer.original(
            data: { $0 == "distance" ? 1.5 : nil },
            http: { request in
                if request.target.hasSuffix("/devices/\(Home.phone)") { return .json(phone.text) }
                if request.target == "/environments/\(Home.house)" {
                    return .json(house.withLockedValue { $0.text })
                }
                return .json("null")
            },
            also: { message, _ in said.withLockedValue { $0.append(message) } }
        )
        let original = script.socket
        script.socket = { text, socket in
            original?(text, socket)
            guard text.hasPrefix(#"42["getPosition""#) else { return }
            socket.send(
                FlareMessage.event(
                    "position",
                    ["position": ["x": 1, "y": 2, "z": 0], "device": Home.text(Home.phone)]
                )
            )
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let moves: [FlareRequest] = [
                    .performAction(Home.phoneObject, action: "north", sender: nil),
                    .performAction(Home.lampObject, action: "hasOwnProperty", sender: nil),
                    .performAction(Home.lampObject, action: "__proto__", sender: nil),
                    .performAction(Home.lampObject, action: "", sender: nil),
                ]
                for request in moves {
                    guard case .failure(.rejected)? = await link.ask(request) else {
                        Issue.record("not refused: \(request)")
                        continue
                    }
                }
                #expect(said.withLockedValue { $0 }.isEmpty)

                // An environment without data gets the default distance before anything moves in it.
                let move = FlareRequest.setPosition(Home.phoneObject, Point3D(x: 1, y: 2), sender: nil)
                #expect(await link.ask(move) == .success(.done))
                #expect(
                    said.withLockedValue { $0.map(\.name) } == [
                        "setData", "getData", "setPosition", "getPosition",
                    ]
                )
                #expect(said.withLockedValue { $0.first?.object } == Home.houseObject)
                // Only once.
                #expect(await link.ask(move) == .success(.done))
                #expect(said.withLockedValue { $0.count } == 6)
            }
            house.withLockedValue { $0 = .null }
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let move = FlareRequest.setPosition(Home.phoneObject, Point3D(x: 1, y: 2), sender: nil)
                #expect(await link.ask(move) == .failure(.unknownObject(Home.houseObject)))
            }
        }
    }
}
