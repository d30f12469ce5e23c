import Flare
import FlareServer
import Foundation
import JSON
import People
import SocketIO
import TestSupport
import Testing
import Threading

/// Who may use the server over the network.
@Suite(.timeLimit(.minutes(1)))
struct FlareAccessTests {
    private static let owner = AccountID(high: 0, low: 1)
    private static let bob = AccountID(high: 0, low: 2)
    private static let token = "tlu_bob"
    private static let lamp = Hall.lamp.description

    /// Claims and what they may do; may change while the server runs.
    private final class Known: Sendable {
        static let everything = FlareRights(readsPlace: true, readsDevices: true)
        let rights: Locked<[Claim: FlareRights]>
        /// What nobody with a token sees.
        let hidden = Locked<Set<FlareID>>([])
        let changes = Locked<[(change: ClientChange, reason: String?)]>([])

        init(_ bob: FlareRights = everything) {
            rights = Locked([
                .unnamed(.flare): Self.everything, .trusted(.flare): Self.everything, .token(token): bob,
            ])
        }
    }

    private static let place = FlareRights(readsPlace: true, readsDevices: false)

    /// A hub that asks; bob may change the lamp, and the owner everything.
    private static func hub(
        _ mode: FlareAccess.Mode,
        _ known: Known,
        trusts: Bool = false
    ) async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        hub.restrict(
            FlareAccess(
                mode,
                isTrusted: { _ in trusts },
                identify: { claim in
                    known.rights.withLock { $0[claim] } == nil
                        ? nil : .user(claim == .token(token) ? bob : owner)
                },
                sees: { claim, object in
                    guard case .thing(let id, _, _) = object else { return true }
                    return claim != .token(token) || known.hidden.withLock { !$0.contains(id) }
                }
            ) { claim in known.rights.withLock { $0[claim] } ?? .none }
        )
        await hub.add { change in
            change.visitor.claim != .token(token) || change.object.id == Hall.lamp ? nil : "bob may not"
        }
        await hub.add { change, reason in known.changes.withLock { $0.append((change, reason)) } }
        return hub
    }

    private static func basic(_ password: String) -> String {
        "Authorization: Basic " + Data("any:\(password)".utf8).base64EncodedString()
    }

    private static let environments = "/environments"

    @Test(arguments: [
        (FlareAccess.Mode.auto, [], 200), (.auto, ["X-Forwarded-For: 127.0.0.1"], 401),
        (.auto, ["Forwarded: for=127.0.0.1"], 401), (.token, [], 401), (.open, [], 200),
        (.open, ["X-Forwarded-For: 192.0.2.1"], 200), (.token, ["Authorization: Bearer tlu_bob"], 200),
        (.token, [basic("tlu_bob")], 200), (.token, ["Authorization: Bearer tlu_eve"], 401),
        (.token, [basic("tlu_bo")], 401), (.auto, ["Authorization: Bearer tlu_eve"], 401),
        (.auto, ["Authorization: Bearer other"], 401), (.auto, [basic("x")], 401),
        (.open, ["Authorization: Bearer other"], 200), (.open, [basic("x")], 200),
        (.auto, ["X-Forwarded-For: 192.0.2.1", "Authorization: Bearer tlu_bob"], 200),
    ]) func `a request needs what its way in asks for`(mode: FlareAccess.Mode, headers: [String], status: Int)
        async throws
    {
        try await withREST(try await Self.hub(mode, Known())) { (client: RESTClient) async throws in
            for path in [Self.environments, "/environments/\(Hall.hall)/devices", "/"] {
                let reply = try await client.send("GET", path, headers: headers)
                #expect(reply.status == status, "\(path)")
                #expect((reply.headers["www-authenticate"] == nil) == (status == 200))
            }
            let poll = "/socket.io/?EIO=4&transport=polling"
            let opened = try await client.send("GET", poll, headers: headers)
            #expect(opened.status == status)
        }
    }

    @Test func `a token may be in the address`() async throws {
        try await withREST(try await Self.hub(.token, Known())) { (client: RESTClient) async throws in
            let reply = try await client.send("GET", Self.environments + "?access_token=tlu_bob")
            #expect(reply.status == 200 && reply.body.contains("Hall"))
            #expect(try await client.send("GET", Self.environments + "?access_token=tlu_x").status == 401)
            // Pages ask before they send one.
            #expect(try await client.send("OPTIONS", Self.environments).status == 200)
        }
    }

    @Test(arguments: [(FlareAccess.Mode.auto, false), (.auto, true), (.open, false)])
    func `this machine is not trusted by itself, networks of the configuration are`(
        mode: FlareAccess.Mode,
        trusts: Bool
    ) async throws {
        let known = Known()
        let hub = try await Self.hub(mode, known, trusts: trusts)
        try await withREST(hub) { (client: RESTClient) async throws in
            let path = "/environments/\(Hall.hall)/zones/\(Hall.west)/things/\(Hall.lamp)"
            #expect(try await client.send("PUT", path, json: ["description": "x"]).status == 200)
        }
        let claims = known.changes.withLock { $0.map { $0.change.visitor.claim } }
        #expect(claims == [trusts || mode == .open ? .trusted(.flare) : .unnamed(.flare)])
    }

    @Test func `a trusted network needs no token`() async throws {
        let known = Known()
        known.rights.withLock { $0[.unnamed(.flare)] = nil }
        try await withREST(try await Self.hub(.auto, known)) { (client: RESTClient) async throws in
            // There is no user for who brings nothing.
            #expect(try await client.send("GET", Self.environments).status == 401)
            #expect(try await client.send("GET", Self.environments + "?access_token=tlu_bob").status == 200)
        }
    }

    @Test func `who may not read devices gets the place only`() async throws {
        try await withREST(try await Self.hub(.token, Known(Self.place))) {
            (client: RESTClient) async throws in
            let bearer = ["Authorization: Bearer tlu_bob"]
            let things = try await client.send("GET", "/environments/\(Hall.hall)/things", headers: bearer)
            #expect(things.status == 200)
            let devices = try await client.send("GET", "/environments/\(Hall.hall)/devices", headers: bearer)
            #expect(devices.status == 403)
            #expect(try JSONValue(parsing: devices.body)["name"] == "NotAllowed")
        }
    }

    @Test func `what somebody may not see is as if it were not there, also when a change is refused`()
        async throws
    {
        let known = Known()
        let hub = try await Self.hub(.token, known)
        try await withREST(hub) { (client: RESTClient) async throws in
            let bearer = ["Authorization: Bearer tlu_bob"]
            let things = "/environments/\(Hall.hall)/zones/\(Hall.east)/things/"
            func answers(to id: FlareID) async throws -> [String] {
                var answers: [String] = []
                for method in ["PUT", "DELETE"] {
                    let reply = try await client.send(
                        method,
                        things + "\(id)",
                        json: ["name": "x"],
                        headers: bearer
                    )
                    answers.append("\(reply.status) \(reply.body)")
                }
                return answers
            }
            #expect(try await answers(to: Hall.sign).allSatisfy { $0.hasPrefix("403") })
            known.hidden.withLock { $0 = [Hall.sign] }
            #expect(try await answers(to: Hall.sign) == answers(to: FlareID(high: 77, low: 77)))
            #expect(known.changes.withLock { $0.allSatisfy { $0.reason != nil } && $0.count == 4 })
        }
        #expect(await hub.record(ObjectReference(.thing, Hall.sign))?.members["name"] != "x")
    }

    @Test func `changes are asked for and recorded with who wants them`() async throws {
        let known = Known()
        let hub = try await Self.hub(.token, known)
        try await withREST(hub) { (client: RESTClient) async throws in
            let bearer = ["Authorization: Bearer tlu_bob"]
            let zone = "/environments/\(Hall.hall)/zones/\(Hall.west)"
            func status(_ method: String, _ path: String) async throws -> Int {
                try await client.send(method, path, json: ["name": "x"], headers: bearer).status
            }
            #expect(try await status("PUT", "\(zone)/things/\(Hall.lamp)") == 200)
            #expect(try await status("PUT", "\(zone)/things/\(Hall.sofa)") == 403)
            #expect(try await status("POST", "\(zone)/things") == 403)
            #expect(try await status("POST", "/environments") == 403)
            #expect(try await client.send("DELETE", zone, headers: bearer).status == 403)
        }
        let seen = known.changes.withLock { $0 }
        #expect(seen.map { $0.reason == nil } == [true, false, false, false, false])
        let visitors = seen.map(\.change.visitor)
        #expect(visitors.allSatisfy { $0.claim == .token(Self.token) && $0.address == "127.0.0.1" })
    }

    @Test func `who moves a thing needs the right to change where it comes to`() async throws {
        let known = Known()
        let hub = try await Self.hub(.token, known)
        // Bob may change the lamp, and the zone where it is.
        await hub.add { change in
            change.object.kind == .zone && change.object.id != Hall.west ? "not that zone" : nil
        }
        try await withREST(hub) { (client: RESTClient) async throws in
            let bearer = ["Authorization: Bearer tlu_bob"]
            let path = "/environments/\(Hall.hall)/zones/\(Hall.west)/things/\(Hall.lamp)"
            func status(_ members: JSONValue) async throws -> Int {
                try await client.send("PUT", path, json: members, headers: bearer).status
            }
            #expect(try await status(["zone": .string(Hall.east.description)]) == 403)
            #expect(try await status(["zone": .string(Hall.west.description), "name": "y"]) == 200)
            #expect(await hub.record(Hall.lampObject)?.zone == Hall.west)
        }
        #expect(known.changes.withLock { $0.map { $0.reason == nil } } == [false, true])
    }

    @Test(arguments: SocketClient.Route.allCases, [EngineRevision.three, .four])
    func `a session is its token's, until that ends`(route: SocketClient.Route, revision: EngineRevision)
        async throws
    {
        let known = Known()
        let hub = try await Self.hub(.token, known)
        try await withREST(hub) { (rest: RESTClient) async throws in
            let client = try await onThread {
                #expect(throws: (any Error).self) { try SocketClient(port: rest.port, route, revision) }
                #expect(throws: (any Error).self) {
                    try SocketClient(port: rest.port, route, revision, token: "tlu_eve")
                }
                let client = try SocketClient(port: rest.port, route, revision, token: Self.token)
                try client.emit("setData", ["thing": .string(Self.lamp), "key": "brightness", "value": 0.25])
                try client.emit("getData", ["thing": .string(Self.lamp), "key": "brightness"])
                #expect(try client.receivedEvents().last?.argument["data"]?["brightness"] == 0.25)
                return UnsafeTransfer(client)
            }
            known.rights.withLock { $0[.token(Self.token)] = nil }
            await hub.accessChanged()
            let isOver = try await onThread {
                for _ in 0..<100 where (try? client.value.receivedEvents()) == nil { return true }
                return false
            }
            #expect(isOver)
            let late = try await onThread {
                try? SocketClient(port: rest.port, route, revision, token: Self.token).id
            }
            #expect(late == nil)
        }
    }

    @Test(arguments: [SocketClient.Route.websocket, .polling])
    func `the session of a token that reaches its end is over with the next heartbeat`(
        route: SocketClient.Route
    ) async throws {
        let known = Known()
        let hub = try await Self.hub(.token, known)
        var settings = SocketSettings()
        settings.identificationPause = 0
        try await withREST(hub, sockets: settings) { (rest: RESTClient) async throws in
            try await onThread {
                let client = try SocketClient(port: rest.port, route, token: Self.token)
                known.rights.withLock { $0[.token(Self.token)] = nil }
                if route == .polling {
                    #expect(try client.post(["2"]).status == 400)
                } else {
                    try client.send("2")
                    #expect(try client.closing() == [.text("1"), .close(1000)])
                }
            }
        }
    }

    @Test func `notices and answers stop for who may not read any more, and devices for who never might`()
        async throws
    {
        let known = Known(Self.place)
        let hub = try await Self.hub(.token, known)
        try await withREST(hub) { (rest: RESTClient) async throws in
            let client = try await onThread {
                let client = try SocketClient(port: rest.port, token: Self.token)
                try client.emit("subscribe", ["environment": .string(Hall.hall.description), "all": true])
                try client.emit("subscribe", ["device": .string(Hall.phone.description)])
                try client.emit("getPosition", ["device": .string(Hall.phone.description)])
                #expect(try client.receivedEvents().map { $0.argument["position"] } == [.null])
                return UnsafeTransfer(client)
            }
            try await hub.setData(Hall.lampObject, ["brightness": 0.75])
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 1, y: 1))
            let heard = try await onThread { try client.value.receivedEvents().map(\.name) }
            #expect(heard == ["data"])
            known.rights.withLock { $0[.token(Self.token)] = FlareRights.none }
            await hub.accessChanged()
            try await hub.setData(Hall.lampObject, ["brightness": 0.5])
            try await onThread {
                try client.value.emit("getData", ["thing": .string(Self.lamp)])
                #expect(try client.value.receivedEvents().map { $0.argument["data"] } == [.null])
            }
        }
    }

    /// A blocking client that one thread after another uses.
    private struct UnsafeTransfer: @unchecked Sendable {
        let value: SocketClient

        init(_ value: SocketClient) { self.value = value }
    }
}
