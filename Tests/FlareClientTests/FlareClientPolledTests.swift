import Flare
import FlareClient
import FlareServer
import HTTPListener
import JSON
import NIOConcurrencyHelpers
import TestSupport
import Testing

/// A client that subscribes to nothing, against real sockets.
@Suite(.timeLimit(.minutes(2))) struct FlareClientPolledTests {
    private static func polled(_ port: Int) -> FlareClientConfiguration {
        var configuration = FlareClientConfiguration.local(port)
        configuration.streams = false
        configuration.pollSeconds = 0.02
        return configuration
    }

    /// Does what the daemon does when the link is up.
    private func follow(_ link: inout LinkUnderTest) async throws {
        #expect(await link.ask(.loadEnvironments(near: nil)) != nil)
        #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
        #expect(await link.ask(.loadPlace(environment: Home.house)) != nil)
        #expect(await link.ask(.loadDevice(Home.phone, environment: Home.house)) != nil)
    }

    @Test func `changes of others are noticed without a subscription`() async throws {
        let hub = try await FlareHub.home()
        try await withListener(hub) { port in
            try await withLink(FlareClient(Self.polled(port), logger: .silent)) { link in
                #expect(await link.linkUp())
                try await follow(&link)
                try await hub.setData(Home.lampObject, ["on": true])
                #expect(await link.nextNotice() == .data(Home.lampObject, ["on": true], sender: nil))
                try await hub.setPosition(Home.sofaObject, Point3D(x: 3, y: 4, z: 5))
                #expect(
                    await link.nextNotice()
                        == .position(Home.sofaObject, Point3D(x: 3, y: 4, z: 5), sender: nil)
                )
                try await hub.setData(Home.houseObject, ["distance": 3])
                #expect(await link.nextNotice() == .data(Home.houseObject, ["distance": 3], sender: nil))
                _ = try await hub.remove(ObjectReference(.thing, Home.sign))
                #expect(
                    await link.nextNotice() == .thingChanged(Home.sign, nil, environment: Home.house)
                )
                // The server decides the zone and what is near.
                try await hub.setPosition(Home.phoneObject, Point3D(x: 2, y: 2))
                #expect(
                    await link.nextNotice() == .position(Home.phoneObject, Point3D(x: 2, y: 2), sender: nil)
                )
                #expect(await link.nextNotice() == .enter(zone: Home.kitchen, device: Home.phone))
                #expect(await link.nextNotice() == .near(thing: Home.lamp, device: Home.phone, distance: 0))
            }
        }
    }

    @Test func `writes are confirmed, heard by others, and not echoed`() async throws {
        let hub = try await FlareHub.home()
        try await withListener(hub) { port in
            try await withLink(FlareClient(.local(port), logger: .silent)) { other in
                #expect(await other.linkUp())
                #expect(await other.ask(.subscribe(environment: Home.house)) == .success(.done))
                try await withLink(FlareClient(Self.polled(port), logger: .silent)) { link in
                    #expect(await link.linkUp())
                    try await follow(&link)
                    let set = FlareRequest.setData(Home.lampObject, values: ["on": true], sender: Home.phone)
                    let stored = await link.perform(set)
                    #expect(stored.events.isEmpty && stored.result == .success(.done))
                    let sender = Home.text(Home.phone)
                    #expect(
                        await other.nextNotice() == .data(Home.lampObject, ["on": true], sender: sender)
                    )
                    let act = FlareRequest.performAction(Home.lampObject, action: "off", sender: Home.phone)
                    let acted = await link.perform(act)
                    #expect(acted.result == .success(.done))
                    #expect(acted.events == [.notice(.data(Home.lampObject, ["on": false], sender: sender))])
                    // Nothing of it is told again by the next readings.
                    try await hub.setData(Home.sofaObject, ["marker": 1])
                    #expect(await link.nextNotice() == .data(Home.sofaObject, ["marker": 1], sender: nil))
                    let unknown = ObjectReference(.thing, Home.nobody)
                    let lost = await link.ask(.setData(unknown, values: ["a": 1], sender: nil))
                    #expect(lost == .failure(.unknownObject(unknown)))
                }
            }
        }
    }

    /// A server of one house with one lamp, whose values are of the caller's choice.
    private static func house(
        _ move: @escaping @Sendable (FakeServer.Request) -> FakeServer.Move?
    ) -> FakeServer {
        FakeServer(http: { request in
            if let move = move(request) { return move }
            let house = #"{"_id":"\#(Home.house)","name":"House"}"#
            let lamp = #"{"_id":"\#(Home.lamp)","environment":"\#(Home.house)","data":{"on":false}}"#
            return switch request.target {
            case "/environments": .json("[\(house)]")
            case "/environments/\(Home.house)/things": .json("[\(lamp)]")
            case "/environments/\(Home.house)/zones": .json("[]")
            case "/environments/-/devices/\(Home.phone)":
                .json(#"{"_id":"\#(Home.phone)","environment":"\#(Home.house)"}"#)
            default: .json("null")
            }
        })
    }

    @Test func `without a write nothing of Socket.IO is asked for`() async throws {
        let targets = NIOLockedValueBox<[String]>([])
        let script = Self.house { request in
            targets.withLockedValue { $0.append(request.target) }
            return nil
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(Self.polled(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                try await follow(&link)
                let isRead = await eventually {
                    targets.withLockedValue { $0.count { $0.hasSuffix("/things") } >= 5 }
                }
                #expect(isRead)
                #expect(!targets.withLockedValue { $0.contains { $0.contains("socket.io") } })
                // This server has no Socket.IO: a write says so, and the place is still read.
                let set = FlareRequest.setData(Home.lampObject, values: ["on": true], sender: nil)
                guard case .failure(.unreachable)? = await link.ask(set) else {
                    Issue.record("not refused")
                    return
                }
                let before = targets.withLockedValue { $0.count { $0.hasSuffix("/things") } }
                let goesOn = await eventually {
                    targets.withLockedValue { $0.count { $0.hasSuffix("/things") } > before }
                }
                #expect(goesOn)
            }
        }
    }

    @Test func `a server that dies while it is polled is reported, and found again`() async throws {
        let hub = try await FlareHub.home()
        let port = try LoopbackSocket.freePort()
        let listen = HTTPListenerConfiguration(section: "test", port: port)
        let (commands, command) = AsyncStream<Void>.makeStream()
        let server = Task {
            for _ in 1...2 {
                try await withListener(hub, listen) { _ in
                    for await _ in commands { return }
                }
                // The next one starts by command: a quick restart goes unnoticed between two readings.
                for await _ in commands { break }
            }
        }
        try await withLink(FlareClient(Self.polled(port), logger: .silent)) { link in
            #expect(await link.linkUp())
            try await follow(&link)
            command.yield()
            #expect(await link.linkDown()?.isEmpty == false)
            let set = FlareRequest.setData(Home.lampObject, values: ["on": true], sender: nil)
            if case .failure(.unreachable)? = await link.ask(set) {} else { Issue.record("not refused") }
            command.yield()
            #expect(await link.linkUp())
            try await follow(&link)
            try await hub.setData(Home.lampObject, ["state": "now"])
            #expect(await link.nextNotice() == .data(Home.lampObject, ["state": "now"], sender: nil))
        }
        command.yield()
        command.finish()
        try await server.value
    }

    @Test func `a server that does not answer gets no second reading meanwhile`() async throws {
        let state = NIOLockedValueBox((isSilent: false, asked: 0))
        let script = Self.house { request in
            state.withLockedValue { state in
                guard state.isSilent else { return nil }
                state.asked += 1
                return .nothing
            }
        }
        try await withFakeServer(script) { server in
            var configuration = Self.polled(server.port)
            configuration.answerSeconds = 1
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                #expect(await link.linkUp())
                try await follow(&link)
                state.withLockedValue { $0.isSilent = true }
                // The reading and the request after it that finds out why: in two seconds, not one every 0.02 s.
                #expect(await link.linkDown()?.isEmpty == false)
                #expect(state.withLockedValue { $0.asked } <= 10)
                state.withLockedValue { $0.isSilent = false }
                #expect(await link.linkUp())
            }
        }
    }

    @Test func `answers that are no Flare objects are an error of the reading, not of the link`() async throws
    {
        let isBroken = NIOLockedValueBox(false)
        let script = Self.house { request in
            guard isBroken.withLockedValue({ $0 }), request.target.hasSuffix("/things") else { return nil }
            return .json(#"{"message":"broken"}"#)
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(Self.polled(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                try await follow(&link)
                isBroken.withLockedValue { $0 = true }
                let notice = await link.nextNotice()
                #expect(notice == .modelChanged(ObjectReference(.zone, Home.house), environment: Home.house))
                let read = await link.ask(.loadPlace(environment: Home.house))
                #expect(read == .failure(.rejected("broken")))
                isBroken.withLockedValue { $0 = false }
                #expect(
                    await link.ask(.loadPlace(environment: Home.house))
                        .map { if case .success = $0 { true } else { false } } == true
                )
            }
        }
    }

    @Test func `a client of a server that is no Flare server stays down`() async throws {
        try await withFakeServer(FakeServer(http: { _ in .answer(404, body: "<html>") })) { server in
            try await withLink(FlareClient(Self.polled(server.port), logger: .silent)) { link in
                let reason = await link.linkDown() ?? ""
                #expect(reason.contains("status 404"), "\(reason)")
            }
        }
    }

    @Test func `pending requests are answered when the client ends`() async throws {
        let script = Self.house { $0.target.hasSuffix("/things") ? .nothing : nil }
        try await withFakeServer(script) { server in
            let (stream, requests) = AsyncStream<FlareRequest>.makeStream()
            let events = NIOLockedValueBox<[FlareEvent]>([])
            let client = try FlareClient(Self.polled(server.port), logger: .silent)
            let run = Task {
                await client.run(stream) { event in events.withLockedValue { $0.append(event) } }
            }
            let load = FlareRequest.loadPlace(environment: Home.house)
            requests.yield(load)
            #expect(await eventually { events.withLockedValue { $0.contains(.linkUp) } })
            run.cancel()
            await run.value
            let isAnswered = events.withLockedValue { events in
                events.contains { if case .replied(load, .failure) = $0 { true } else { false } }
            }
            #expect(isAnswered)
        }
    }
}
