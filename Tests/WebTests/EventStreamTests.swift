import Controller
import Flare
import HTTPListener
import JSON
import Messages
import TestSupport
import Testing
import Threading
@testable import Web

@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    private static let lamp = ObjectReference(.thing, FakeNode.lamp)

    private static func paint(_ node: FakeNode, _ colour: String) {
        node.change([.object(lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = .string(colour) }
    }

    @Test func `a stream begins with the state, and every change follows with an identifier of its own`()
        async throws
    {
        let node = try FakeNode()
        try await withWeb(node) { port in
            try await onThread {
                let reader = try StreamReader(port: port)
                #expect(reader.status == 200)
                #expect(reader.headers["content-type"] == "text/event-stream; charset=utf-8")
                #expect(reader.headers["cache-control"] == "no-store")
                let first = try #require(try reader.next())
                #expect(first.name == "state")
                #expect(first.data == node.state.feedJSON())
                #expect(first.id?.hasPrefix("0123456789abcdef-") == true)

                Self.paint(node, "blue")
                let thing = try #require(try reader.next())
                #expect(thing.name == "thing")
                #expect(thing.data["data"]?["color"] == "blue")
                #expect(thing.data["position"] == ["x": 1, "y": 2, "z": 3])
                #expect(thing.number == first.number.map { $0 + 1 })

                node.change([.nearby]) { $0.nearbyID = FakeNode.lamp }
                let nearby = try #require(try reader.next())
                #expect(nearby.name == "nearby")
                #expect(nearby.data == node.state.nearbyJSON)
                #expect(try reader.next()?.name == "state")

                let since = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
                node.change([.alert("gps")]) {
                    $0.alerts["gps"] = Alert(severity: .warning, message: "no fix", since: since)
                }
                #expect(try reader.next()?.data["message"] == "no fix")
                node.change([.alert("gps")]) { $0.alerts["gps"] = nil }
                #expect(try reader.next()?.data == ["id": "gps", "cleared": true])

                node.change([.object(Self.lamp)]) { $0.things[FakeNode.lamp] = nil }
                let gone = try #require(try reader.next())
                #expect(
                    gone.data == ["id": .string("\(FakeNode.lamp)"), "slug": "red-lamp", "removed": true]
                )
            }
        }
    }

    @Test func `a reader that comes back gets what it has missed, and no snapshot`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let id = try await onThread { try StreamReader(port: port).next()?.id }
            for colour in ["blue", "green"] { Self.paint(node, colour) }
            try await onThread {
                let reader = try StreamReader(port: port, after: id)
                for colour in ["blue", "green"] {
                    #expect(try reader.next()?.data["data"]?["color"]?.string == colour)
                }
            }
        }
    }

    @Test(arguments: ["other-1", "0123456789abcdef-99", "nonsense", "0123456789abcdef-0"])
    func `a reader that cannot be brought up to date starts over`(id: String) async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            try await onThread {
                let first = try StreamReader(port: port, after: id).next()
                #expect(first?.name == "state")
            }
        }
    }

    @Test func `a reader that was away for too many events starts over`() async throws {
        let node = try FakeNode()
        try await withWeb(node, { $0.maximumLogEvents = 2 }) { port in
            let id = try await onThread { try StreamReader(port: port).next()?.id }
            for name in ["a", "b", "c"] {
                node.change([.alert(name)]) {
                    let since = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
                    $0.alerts[name] = Alert(severity: .error, message: name, since: since)
                }
            }
            try await onThread {
                let first = try StreamReader(port: port, after: id).next()
                #expect(first?.name == "state")
            }
        }
    }

    @Test func `a silent stream says that the daemon lives, in an event that a page can hear`() async throws {
        try await withWeb(FakeNode(), { $0.pingInterval = .milliseconds(20) }) { port in
            try await onThread {
                let reader = try StreamReader(port: port)
                _ = try reader.next("permissions")
                for _ in 1...2 { #expect(try reader.nextBlock() == "event: ping\ndata: {}") }
            }
        }
    }

    @Test func `a reader that does not read gets the newest values when it does`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            try await onThread {
                let reader = try StreamReader(port: port)
                _ = try reader.next()
                // Far more than the buffers of the system and of the daemon hold.
                let padding = String(repeating: "x", count: 10_000)
                for number in 1...3000 {
                    node.change([.object(Self.lamp)]) {
                        $0.things[FakeNode.lamp]?.data["note"] = .string("\(number) \(padding)")
                    }
                }
                var (last, count) = ("", 0)
                while last != "3000" {
                    let event = try #require(try reader.next())
                    last = event.data["data"]?["note"]?.string.map { String($0.prefix { $0 != " " }) } ?? last
                    count += 1
                }
                #expect(count < 3000)
            }
        }
    }

    @Test func `no more streams are opened than are allowed, and a closed one makes room`() async throws {
        let node = try FakeNode()
        try await withWeb(node, { $0.maximumStreams = 2 }) { port in
            let first = try await onThread {
                let readers = try (0..<2).map { _ in try StreamReader(port: port) }
                #expect(readers.map(\.status) == [200, 200])
                let third = try StreamReader(port: port)
                #expect(third.status == 503)
                #expect(third.headers["retry-after"] != nil)
                return readers.count
            }
            #expect(first == 2)
            let isFree = try await eventually {
                try await onThread { try StreamReader(port: port).status == 200 }
            }
            #expect(isFree)
        }
    }

    @Test func `hundreds of streams get one change each, and thousands of attempts do no harm`() async throws
    {
        let node = try FakeNode()
        try await withWeb(node, { $0.listener.maximumConnections = 400 }) { port in
            try await onThread {
                let readers = try (0..<200).map { _ in try StreamReader(port: port) }
                for reader in readers { _ = try reader.next() }
                Self.paint(node, "blue")
                for reader in readers { #expect(try reader.next()?.data["data"]?["color"] == "blue") }
            }
            for _ in 0..<20 {
                try await onThread {
                    for _ in 0..<100 {
                        try WireClient(port: port).send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    }
                }
            }
            let isFree = try await eventually {
                try await onThread { try StreamReader(port: port).status == 200 }
            }
            #expect(isFree)
            #expect(await eventually { node.counters.streams == 0 })
        }
    }

    @Test func `a client of HTTP 1_0 gets the events as they are, until it goes`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            try await onThread {
                let wire = try WireClient(port: port)
                wire.send("GET /api/events HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
                let reply = try #require(try wire.reply(toHead: true))
                #expect(reply.status == 200 && reply.headers["transfer-encoding"] == nil)
                #expect(reply.headers["connection"] == "close")
                let start = try #require(try wire.bytes(30))
                #expect(String(decoding: start, as: UTF8.self).hasPrefix("retry: 1000\n\n"))
            }
        }
    }

    @Test func `a shutdown ends the streams`() async throws {
        let hasEnded = Locked(false)
        try await withWeb(FakeNode()) { port in
            let (opened, signal) = AsyncStream.makeStream(of: Void.self)
            Task {
                try await onThread {
                    let reader = try StreamReader(port: port)
                    _ = try reader.next()
                    signal.yield()
                    while try reader.next() != nil {}
                }
                hasEnded.withLock { $0 = true }
            }
            for await _ in opened { break }
        }
        #expect(await eventually { hasEnded.withLock { $0 } })
    }

    // MARK: Displays

    @Test func `a stream is a display's presence, and so is what it says`() async throws {
        let node = try FakeNode()
        try await withWeb(node, { $0.displayGrace = .milliseconds(10) }) { port in
            try await onThread { _ = try StreamReader(port: port, display: "wall").next() }
            let events: [ControllerEvent] = [
                .displayChanged(id: "web/wall", .hidden), .displayChanged(id: "web/wall", .gone),
            ]
            #expect(await eventually { node.events == events })
            for (body, presence) in [
                (#""visible""#, Lifecycle.DisplayPresence.visible), (#"{"presence":"gone"}"#, .gone),
            ] {
                let reply = try await post("/api/display/tab-1/presence", body, port: port)
                #expect(reply.status == 200)
                #expect(reply.body == #"{"status":"ok"}"#)
                #expect(node.events.last == .displayChanged(id: "web/tab-1", presence))
            }
        }
    }

    @Test(arguments: [
        ("/api/display/a%20b/presence", #""visible""#), ("/api/display/a/presence", #""seen""#),
        ("/api/display/a/presence", ""), ("/api/display/a/presence", "{}"),
        ("/api/display//presence", #""gone""#),
    ])
    func `a presence that cannot be understood is refused`(path: String, body: String) async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let reply = try await post(path, body, port: port)
            #expect(reply.status == 400)
            #expect(try JSONValue(parsing: reply.body)["error"]?["code"] == "invalid_value")
            #expect(node.events == [])
        }
    }

    @Test func `a stream of a display with an illegal id is refused`() async throws {
        try await withWeb(FakeNode()) { port in
            for query in ["display=a%20b", "display=", "display=a&display=b"] {
                let refused = try await request("GET", "/api/events?\(query)", port: port)
                #expect(refused.status == 400)
            }
            let head = try await request("HEAD", "/api/events", port: port)
            #expect(head.status == 200)
        }
    }

    @Test
    func `visible displays are sent the motion while the lifecycle is active, and others are not`()
        async throws
    {
        let node = try FakeNode()
        try await withWeb(node) { port in
            #expect(try await post("/api/display/wall/presence", #""visible""#, port: port).status == 200)
            try await onThread {
                let seeing = try StreamReader(port: port, display: "wall")
                let other = try StreamReader(port: port, display: "hall")
                for reader in [seeing, other] { _ = try reader.next() }
                node.change([.device, .position]) {
                    var device = FlareDevice(id: FakeNode.kitchen)
                    device.position = Point3D(x: 0, y: 0)
                    $0.device = device
                    $0.lifecycle.isLinked = true
                    $0.lifecycle.forcedLevel = .active
                    _ = $0.lifecycle.update()
                }
                node.change([.position]) { $0.device?.position = Point3D(x: 3, y: 0) }
                var places: [Double] = []
                while places.last != 3 {
                    let frame = try #require(try seeing.next("frame"))
                    if let x = frame.data["position"]?["x"]?.number { places.append(x) }
                }
                #expect(places == places.sorted())
                // A busy machine gets fewer frames, and the newest.
                #expect(places.count > 1)
                Self.paint(node, "blue")
                while let event = try other.next() {
                    #expect(event.name != "frame")
                    if event.name == "thing" { break }
                }
            }
        }
    }
}
