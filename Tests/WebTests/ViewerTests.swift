import Accounts
import Controller
import Flare
import JSON
import People
import TestSupport
import Testing

import Threading
@testable import Web

/// What users see at the web listener.
@Suite(.timeLimit(.minutes(1)))
struct ViewerTests {
    // MARK: What is seen

    private static func json(_ path: String, _ port: Int, _ headers: [String] = Users.token) async throws
        -> JSONValue
    {
        try JSONValue(parsing: try await request("GET", path, port: port, headers: headers).body)
    }

    @Test func `lists and the state have what may be seen, and name what is left out`() async throws {
        try await Users.serve { (port: Int, _: FakeNode) async throws in
            #expect(try await Self.json("/api/things", port).array?.map { $0["slug"] } == ["red-lamp"])
            #expect(try await Self.json("/api/zones", port) == [])
            #expect(try await Self.json("/api/environments", port) == [])
            let state = try await Self.json("/api/state", port)
            for name in ["device", "zone", "nearby"] { #expect(state[name] == .null) }
            #expect(state["hidden"] == ["device", "zone", "nearby", "environment"])
            #expect(try await Self.json("/api/things", port, []).array?.count == 2)
            #expect(try await Self.json("/api/state", port, [])["hidden"] == nil)
            let map = try await request("GET", "/api/map", port: port, headers: Users.token)
            #expect(map.status == 200 && !map.body.contains("Kettle"))
            #expect(try await request("GET", "/metrics", port: port, headers: Users.token).status == 403)
        }
    }

    @Test func `what may not be seen is unknown, and no hint names it`() async throws {
        try await Users.serve { (port: Int, _: FakeNode) async throws in
            for path in ["/api/things/kettle", "/api/things/kettel", "/api/things/kettle/actions"] {
                let reply = try await request("GET", path, port: port, headers: Users.token)
                #expect(reply.status == 404)
                #expect(!reply.body.contains("kettle\\\"?") && !reply.body.contains("mean"))
            }
            #expect(try await Self.json("/api/things/red-lamp", port)["slug"] == "red-lamp")
        }
    }

    @Test func `with all but devices the place is seen, and not who is in it`() async throws {
        try await Users.serve([(.read, .all)]) { (port: Int, _: FakeNode) async throws in
            #expect(try await Self.json("/api/things", port).array?.count == 2)
            let state = try await Self.json("/api/state", port)
            #expect(
                state["hidden"] == ["device", "zone", "nearby"] && state["environment"]?["slug"] == "flat"
            )
        }
    }

    @Test func `a zone or environment that may not be seen is not named by what is in it`() async throws {
        let move: @Sendable (FakeNode) -> Void = { node in
            node.change([.object(Users.lamp)]) { state in
                state.slugs.restore("kitchen", for: ObjectReference(.zone, FakeNode.kitchen))
                state.things[FakeNode.lamp]?.zone = FakeNode.kitchen
                state.zones[FakeNode.kitchen]?.environment = FakeNode.environment
                state.nearbyID = FakeNode.lamp
            }
        }
        try await Users.serve([(.read, .thing(FakeNode.lamp)), (.read, .devices)]) {
            (port: Int, node: FakeNode) async throws in
            move(node)
            for path in ["/api/things/red-lamp", "/api/things", "/api/state"] {
                let text = try await request("GET", path, port: port, headers: Users.token).body
                #expect(text.contains("red-lamp") && !text.contains("kitchen"), "\(text)")
            }
            #expect(try await Self.json("/api/things/red-lamp", port, [])["zone"] == "kitchen")
            try await onThread {
                let reader = try Self.stream(port)
                #expect(try reader.next("state")?.data["nearby"]?["zone"] == nil)
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                let thing = try reader.next("thing")
                #expect(thing?.data["slug"] == "red-lamp" && thing?.data["zone"] == nil)
            }
        }
        try await Users.serve([(.read, .zone(FakeNode.kitchen))]) {
            (port: Int, node: FakeNode) async throws in
            move(node)
            #expect(try await Self.json("/api/things/red-lamp", port)["zone"] == "kitchen")
            let zone = try await Self.json("/api/zones", port).array?.first
            #expect(zone?["slug"] == "kitchen" && zone?["environment"] == nil)
            #expect(try await Self.json("/api/zones", port, []).array?.first?["environment"] == "flat")
        }
    }

    // MARK: Streams

    private static func stream(_ port: Int, after id: String? = nil) throws -> StreamReader {
        try StreamReader(port: port, after: id, headers: Users.token)
    }

    @Test func `a stream tells what its reader may see, and never resumes what others saw`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            let kettle = FlareID(high: 3, low: 1)
            try await onThread {
                let reader = try Self.stream(port, after: "0123456789abcdef-1")
                let first = try #require(try reader.next())
                #expect(first.name == "state" && first.data["nearby"] == .null)
                node.change([.object(ObjectReference(.thing, kettle))]) {
                    $0.things[kettle]?.data["on"] = true
                }
                node.change([.nearby, .position]) { $0.nearbyID = nil }
                node.change([.alert("gps")]) {
                    let since = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
                    $0.alerts["gps"] = Alert(severity: .warning, message: "no fix", since: since)
                }
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                var names: [String] = []
                while let event = try reader.next() {
                    names.append(event.name)
                    if event.name == "thing" {
                        #expect(event.data["slug"] == "red-lamp" && event.data["data"]?["color"] == "blue")
                        break
                    }
                }
                #expect(Set(names).isSubset(of: ["state", "thing"]))
                // Moved to where its reader may not look, it is gone for them.
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp] = nil }
                #expect(try reader.next("thing")?.data["removed"] == true)
            }
        }
    }

    @Test func `a stream ends when its reader's rights change, or its token is gone`() async throws {
        let known = Users.Known()
        try await Users.serve([(.read, .thing(FakeNode.lamp))], known) {
            (port: Int, node: FakeNode) async throws in
            let look: @Sendable () -> Void = {
                node.loop.perform { node.hub.withLock { $0 }?.assumeIsolated { $0.lookAgain() } }
            }
            try await onThread {
                let reader = try Self.stream(port)
                _ = try reader.next()
                look()
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "green" }
                #expect(try reader.next("thing")?.data["data"]?["color"] == "green")
                Users.grant([(.read, .all)], node)
                look()
                #expect(try reader.next() == nil)
                let second = try Self.stream(port)
                _ = try second.next()
                known.claims.withLock { $0[.token("tlu_bob")] = nil }
                look()
                #expect(try second.next() == nil)
            }
        }
    }

    @Test(arguments: [false, true])
    func `the motion of the device is for who may see devices`(isSeen: Bool) async throws {
        let grants: [(Access, Scope)] = [(.read, .all)] + (isSeen ? [(.read, .devices)] : [])
        try await Users.serve(grants) { (port: Int, node: FakeNode) async throws in
            for headers in [[], Users.token] {
                let path = "/api/display/wall/presence"
                let presence = try await post(path, #""visible""#, port: port, headers: headers)
                #expect(presence.status == 200)
            }
            try await onThread {
                let owner = try StreamReader(port: port, display: "wall")
                let bob = try StreamReader(port: port, display: "wall", headers: Users.token)
                for reader in [owner, bob] { _ = try reader.next() }
                node.change([.lifecycle]) {
                    $0.lifecycle.isLinked = true
                    $0.lifecycle.forcedLevel = .active
                    _ = $0.lifecycle.update()
                }
                node.change([.position]) { $0.device?.position = Point3D(x: 3, y: 0) }
                _ = try #require(try owner.next("frame"))
                if isSeen { _ = try #require(try bob.next("frame")) }
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                while let event = try bob.next() {
                    #expect(isSeen || event.name != "frame")
                    if event.name == "thing" { break }
                }
            }
        }
    }

    @Test func `a stream ends at the moment when its reader's right ends`() async throws {
        try await Users.serve([]) { (port: Int, node: FakeNode) async throws in
            let end = FakeNode.now.wallMilliseconds + 1
            node.change([]) {
                let users = [User(id: Users.owner, name: "owner"), User(id: Users.bob, name: "bob")]
                let grants = [
                    Grant(id: 1, .user(Users.owner), .own, .all),
                    Grant(id: 2, .user(Users.bob), .read, .all, ends: end),
                ]
                $0.people = AccessTable(users: users, grants: grants)
            }
            try await onThread {
                let reader = try Self.stream(port)
                _ = try reader.next()
                node.wall.withLock { $0 = end }
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test func `a stream ends at the moment when its reader's token ends`() async throws {
        let known = Users.Known()
        let end = FakeNode.now.wallMilliseconds + 1
        known.ends.withLock { $0[.token("tlu_bob")] = end }
        try await Users.serve([(.read, .all)], known) { (port: Int, node: FakeNode) async throws in
            try await onThread {
                let reader = try Self.stream(port)
                _ = try reader.next()
                known.claims.withLock { $0[.token("tlu_bob")] = nil }
                node.wall.withLock { $0 = end }
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test func `a stream that has ended gets no state any more`() async throws {
        try await Users.serve([(.read, .all)]) { (_: Int, node: FakeNode) async throws in
            let hub = try #require(node.hub.withLock { $0 })
            let bob = Requester(caller: .user(Users.bob))
            let audience = Audience(holder: .user(Users.bob), isWatching: false)
            _ = await hub.view(77, by: bob, as: audience)
            let before = await hub.snapshot(for: nil, on: 77)
            #expect(before?.last != nil)
            Users.grant([], node)
            await hub.lookAgain()
            let after = await hub.snapshot(for: nil, on: 77)
            #expect(after?.last == nil)
        }
    }

    @Test func `a stream ends when its browser signs out of the listener's password`() async throws {
        let (node, accounts) = (try FakeNode(), try await RealAccounts())
        node.change([]) { $0.people = accounts.registry.table }
        accounts.registry.onChange { [weak node] in node?.look() }
        try await withWeb(node, people: accounts.people) { port in
            let signedIn = try await post("/api/sign-in", #"{"password":"open sesame"}"#, port: port)
            let cookie = signedIn.headers["set-cookie"].map { "Cookie: " + $0.prefix { $0 != ";" } } ?? ""
            try await onThread {
                let reader = try StreamReader(port: port, headers: [cookie])
                _ = try reader.next()
                let other = try WireClient(port: port)
                other.send(
                    "POST /api/sign-out HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\(cookie)\r\n\r\n"
                )
                #expect(try other.reply()?.status == 200)
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test func `what is hidden causes no event, and leaves no gap in the numbers of others`() async throws {
        try await Users.serve([(.read, .thing(FakeNode.lamp))]) { (port: Int, node: FakeNode) async throws in
            let kettle = FlareID(high: 3, low: 1)
            try await onThread {
                let reader = try Self.stream(port)
                let first = try #require(try reader.next())
                #expect(first.number == 1 && first.data["seq"] == nil)
                #expect(first.id?.hasPrefix("0123456789abcdef-") == false)
                node.change([.position, .device]) {
                    $0.device?.position = Point3D(x: 5, y: 5)
                    $0.sequence += 1
                }
                node.change([.nearby, .zone]) { ($0.nearbyID, $0.zoneID) = (kettle, nil) }
                node.change([.object(ObjectReference(.thing, kettle))]) {
                    $0.things[kettle]?.data["on"] = true
                }
                node.change([.lifecycle]) {
                    $0.lifecycle.isLinked = true
                    $0.lifecycle.isPlaceLoaded = true
                    _ = $0.lifecycle.setDisplay("web/wall", .visible)
                    _ = $0.lifecycle.update()
                }
                // The state follows at its own pace, so either may come first.
                let events = [try #require(try reader.next()), try #require(try reader.next())]
                #expect(events.map(\.number) == [2, 3])
                #expect(Set(events.map(\.name)) == ["lifecycle", "state"])
                #expect(events.first { $0.name == "lifecycle" }?.data["level"] == "LIMITED")
                // A thing is near.
                node.change([.lifecycle, .nearby]) {
                    $0.lifecycle.isThingNear = true
                    _ = $0.lifecycle.update()
                }
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                let thing = try #require(try reader.next())
                #expect(thing.name == "thing" && thing.number == 4)
            }
        }
    }

    @Test(arguments: ["/api/lifecycle", "/api/state"])
    func `the level of the lifecycle does not tell that a thing is near a hidden device`(
        path: String
    ) async throws {
        try await Users.serve([(.read, .all)]) { (port: Int, node: FakeNode) async throws in
            node.change([.lifecycle]) {
                $0.lifecycle.isLinked = true
                $0.lifecycle.isPlaceLoaded = true
                _ = $0.lifecycle.setDisplay("web/wall", .visible)
                $0.lifecycle.isThingNear = true
                _ = $0.lifecycle.update()
            }
            func level(_ headers: [String] = Users.token) async throws -> JSONValue? {
                let members = try await Self.json(path, port, headers)
                return members["level"] ?? members["lifecycle"]?["level"]
            }
            #expect(try await level([]) == "FULL")
            #expect(try await level() == "LIMITED")
        }
    }

    @Test func `with devices, but not all things, hidden zones and things are not near`() async throws {
        let grants: [(Access, Scope)] = [(.read, .devices), (.read, .thing(FakeNode.lamp))]
        try await Users.serve(grants) { (port: Int, node: FakeNode) async throws in
            let kettle = FlareID(high: 3, low: 1)
            let state = try await Self.json("/api/state", port)
            #expect(state["nearby"]?["slug"] == "red-lamp" && state["device"]?["position"]?["x"] == 1)
            #expect(state["zone"] == ["id": .null] && state["device"]?["zone"] == .null)
            try await onThread {
                let reader = try Self.stream(port)
                _ = try reader.next()
                node.change([.nearby]) { $0.nearbyID = kettle }
                let left = try #require(try reader.next("nearby"))
                #expect(left.data == ["id": .null, "state": .null])
                #expect(try reader.next()?.name == "state")
                node.change([.nearby, .object(ObjectReference(.thing, kettle))]) {
                    $0.things[kettle]?.data["on"] = true
                }
                node.change([.position]) { $0.device?.position = Point3D(x: 2, y: 1) }
                let moved = try #require(try reader.next())
                #expect(moved.name == "state" && moved.data["device"]?["position"]?["x"] == 2)
            }
        }
    }

    @Test func `a screen shows no thing that may not be seen`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            let kettle = FlareID(high: 3, low: 1)
            node.change([.screen("wall")]) {
                $0.screens["wall"] = ScreenStack("home")
                $0.screens["wall"]?.push(.init("details", thing: kettle))
            }
            try await onThread {
                let reader = try StreamReader(port: port, display: "wall", headers: Users.token)
                let first = try #require(try reader.next("screen"))
                #expect(
                    first.data["thing"] == .null && first.data["stack"]?.array?[1] == ["screen": "details"]
                )
                // The same for this reader.
                node.change([.screen("wall")]) {
                    $0.screens["wall"]?.back()
                    $0.screens["wall"]?.push(.init("details"))
                }
                node.change([.screen("wall")]) {
                    $0.screens["wall"]?.push(.init("details", thing: FakeNode.lamp))
                }
                let second = try #require(try reader.next())
                #expect(second.name == "screen" && second.data["thing"] == "red-lamp")
                #expect(second.number == first.number.map { $0 + 1 })
            }
        }
    }

    @Test func `with more rights than before a reader starts over`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            let id = try await onThread { try Self.stream(port).next()?.id }
            Users.grant([(.own, .all)], node)
            try await onThread {
                let first = try Self.stream(port, after: id).next()
                #expect(first?.name == "state" && first?.data["seq"] != nil)
            }
        }
    }
}
