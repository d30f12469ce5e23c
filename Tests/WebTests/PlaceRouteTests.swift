import CommandFixture
import Controller
import Flare
import JSON
import People
import TestSupport
import Testing
import Things
@testable import Web

/// Environments, zones and things of every place over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct PlaceRouteTests {
    private static let hut = FlareID(high: 1, low: 1)
    private static let porch = FlareID(high: 2, low: 1)
    private static let cellar = FlareID(high: 2, low: 2)
    private static let lantern = FlareID(high: 3, low: 9)

    /// A node with a hut elsewhere that is read as a command.
    private static func node(
        _ grants: [(Access, Scope)] = [],
        isReachable: Bool = true
    ) throws -> FakeNode {
        let node = try FakeNode { command in
            var answer = Answer(ticket: command.ticket, tx: nil, subject: .get)
            answer.actor = command.actor
            guard command.operation == .readPlace(hut) else { return answer }
            guard isReachable else {
                answer.refusal = Refusal(.serverUnreachable, "the Flare server cannot be reached")
                return answer
            }
            var zone = FlareZone(id: porch)
            (zone.name, zone.environment) = ("Porch", hut)
            var cellar = FlareZone(id: Self.cellar)
            (cellar.name, cellar.environment) = ("Cellar", hut)
            var thing = FlareThing(id: lantern)
            (thing.name, thing.zone, thing.environment) = ("Lantern", porch, hut)
            answer.place = PlaceContents(environment: hut, zones: [zone, cellar], things: [thing])
            return answer
        }
        let table = Users.table(grants)
        node.change([.environment]) { state in
            var environment = FlareEnvironment(id: hut)
            environment.name = "Hut"
            state.environments[hut] = environment
            state.people = table
            state.slugs.restore("hut", for: ObjectReference(.environment, hut))
            state.slugs.restore("porch", for: ObjectReference(.zone, porch), home: hut)
            state.slugs.restore("cellar", for: ObjectReference(.zone, cellar), home: hut)
            state.slugs.restore("lantern", for: ObjectReference(.thing, lantern), home: hut)
        }
        return node
    }

    private static func slugs(_ path: String, _ port: Int, _ headers: [String] = []) async throws
        -> [JSONValue?]
    {
        let reply = try await request("GET", "/api/" + path, port: port, headers: headers)
        #expect(reply.status == 200, "\(path): \(reply)")
        return try JSONValue(parsing: reply.body).array?.map { $0["slug"] } ?? []
    }

    @Test func `lists are of the current environment, of another one, or of all`() async throws {
        try await withWeb(try Self.node()) { (port: Int) async throws in
            #expect(try await Self.slugs("things", port) == ["red-lamp"])
            #expect(try await Self.slugs("things?environment=flat", port) == ["red-lamp"])
            #expect(try await Self.slugs("things?environment=hut", port) == ["lantern"])
            #expect(try await Self.slugs("things?environment=\(Self.hut)", port) == ["lantern"])
            #expect(try await Self.slugs("things?environment=*", port) == ["red-lamp", "lantern"])
            #expect(try await Self.slugs("zones?environment=hut", port) == ["cellar", "porch"])
            #expect(try await Self.slugs("zones?environment=%2A", port) == ["kitchen", "cellar", "porch"])
            let missing = try await request("GET", "/api/zones?environment=hat", port: port)
            #expect(missing.status == 404 && missing.body.contains("unknown_environment"))
            #expect(missing.body.contains("hut"))
        }
    }

    @Test func `one object is found wherever it is, and says what it is in`() async throws {
        try await withWeb(try Self.node()) { (port: Int) async throws in
            for (path, member, value) in [
                ("environments/flat", "name", "Flat"), ("environments/\(Self.hut)", "slug", "hut"),
                ("zones/kitchen", "environment", "flat"), ("zones/porch", "environment", "hut"),
                ("zones/\(Self.porch)", "slug", "porch"), ("things/red-lamp", "zone", "kitchen"),
                ("things/lantern", "zone", "porch"), ("things/\(Self.lantern)", "name", "Lantern"),
            ] {
                let reply = try await request("GET", "/api/" + path, port: port)
                #expect(try JSONValue(parsing: reply.body)[member] == .string(value), "\(path): \(reply)")
            }
            for path in ["environments/hat", "zones/porsch", "things/lanterns", "zones/", "environments/"] {
                #expect(try await request("GET", "/api/" + path, port: port).status == 404, "\(path)")
            }
        }
    }

    @Test func `a list of another place that cannot be read is an error, not an empty one`() async throws {
        let node = try FakeNode { command in
            var answer = Answer(ticket: command.ticket, tx: nil, subject: .get)
            answer.actor = command.actor
            answer.refusal = Refusal(.serverUnreachable, "the Flare server cannot be reached")
            return answer
        }
        node.change([.environment]) { state in
            state.environments[Self.hut] = FlareEnvironment(id: Self.hut)
            state.slugs.restore("hut", for: ObjectReference(.environment, Self.hut))
        }
        try await withWeb(node) { (port: Int) async throws in
            for environment in ["hut", "*"] {
                let path = "/api/things?environment=\(environment)"
                #expect(try await request("GET", path, port: port).status == 503)
            }
            #expect(try await Self.slugs("things", port) == ["red-lamp"])
        }
    }

    @Test func `what a user may not see of another place stays hidden`() async throws {
        let known = Users.Known()
        let grants: [(Access, Scope)] = [(.read, .zone(Self.porch))]
        try await withWeb(try Self.node(grants), people: Users.people(known)) { (port: Int) async throws in
            #expect(try await Self.slugs("things?environment=*", port, Users.token) == ["lantern"])
            #expect(try await Self.slugs("zones?environment=*", port, Users.token) == ["porch"])
            #expect(try await Self.slugs("environments", port, Users.token) == [])
            for path in [
                "things?environment=hut", "zones/cellar", "environments/hut", "things/red-lamp",
            ] {
                let reply = try await request("GET", "/api/" + path, port: port, headers: Users.token)
                #expect(reply.status == 404 && !reply.body.contains("flat"), "\(path): \(reply)")
            }
            let porch = try await request("GET", "/api/zones/porch", port: port, headers: Users.token)
            let zone = try JSONValue(parsing: porch.body)
            #expect(zone["name"] == "Porch" && zone["environment"] == nil)
        }
    }

    @Test(arguments: [true, false])
    func `what is hidden elsewhere is answered as what is nowhere, also if it cannot be read`(
        isReachable: Bool
    ) async throws {
        let node = try Self.node([(.read, .zone(Self.porch))], isReachable: isReachable)
        try await withWeb(node, people: Users.people(Users.Known())) { (port: Int) async throws in
            func answer(_ path: String, _ name: String) async throws -> String {
                let reply = try await request(
                    "GET",
                    "/api/\(path)\(name)",
                    port: port,
                    headers: Users.token
                )
                return "\(reply.status) \(reply.body.replacing(name, with: "it"))"
            }
            for (path, name) in [
                ("zones/", "cellar"), ("environments/", "hut"), ("things?environment=", "hut"),
                ("zones/", "\(Self.cellar)"), ("things/", "red-lamp"), ("zones/", "kitchen"),
            ] {
                let absent = name.count == 24 ? "\(FlareID(high: 9, low: 9))" : "nowhere"
                let hidden = try await answer(path, name)
                #expect(try await hidden == answer(path, absent), "\(path)\(name)")
            }
        }
    }

    @Test func `users who may see a part of a place learn that it cannot be read`() async throws {
        let grants: [(Access, Scope)] = [(.read, .zone(Self.porch)), (.read, .thing(Self.lantern))]
        let node = try Self.node(grants, isReachable: false)
        try await withWeb(node, people: Users.people(Users.Known())) { (port: Int) async throws in
            for path in ["zones/porch", "zones/\(Self.porch)", "things/lantern"] {
                let reply = try await request("GET", "/api/" + path, port: port, headers: Users.token)
                #expect(reply.status == 503 && reply.body.contains("server_unreachable"), "\(path): \(reply)")
            }
        }
    }

    @Test func `environments and zones are made, changed and removed by paths of their own`() async throws {
        let node = try Self.node()
        try await withWeb(node) { (port: Int) async throws in
            let type = ["Content-Type: application/json"]
            for (method, path, body) in [
                ("POST", "environments", #"{"name":"Barn"}"#),
                ("PATCH", "environments/hut", #"{"angle":3}"#),
                ("DELETE", "environments/hut", ""),
                ("POST", "zones", #"{"name":"Loft","environment":"hut"}"#),
                ("PATCH", "zones/porch", #"{"perimeter":null}"#), ("DELETE", "zones/porch?contents=true", ""),
                ("DELETE", "zones/porch?contents=false", ""),
            ] {
                let reply = try await request(method, "/api/" + path, port: port, headers: type, body: body)
                #expect(reply.status == 200, "\(method) \(path): \(reply)")
            }
            var barn = ObjectEdit()
            barn.name = "Barn"
            var turned = ObjectEdit()
            turned.angle = 3
            var loft = ObjectEdit()
            loft.name = "Loft"
            var open = ObjectEdit()
            open.removed = [.perimeter]
            #expect(
                node.commands.map(\.operation) == [
                    .add(.environment, barn, to: nil), .edit(.environment, "hut", turned, zone: nil),
                    .remove(.environment, "hut", withContents: false), .add(.zone, loft, to: "hut"),
                    .edit(.zone, "porch", open, zone: nil), .remove(.zone, "porch", withContents: true),
                    .remove(.zone, "porch", withContents: false),
                ]
            )
            let unclear = try await request("DELETE", "/api/zones/porch?contents=yes", port: port)
            #expect(unclear.status == 400 && unclear.body.contains("true or false"))
            #expect(node.commands.count == 7)
        }
    }

    @Test func `what is not empty is a conflict, and what is hardly meant is told beside the answer`()
        async throws
    {
        let node = try FakeNode { command in
            var answer = Answer(ticket: command.ticket, tx: nil, subject: .set)
            answer.actor = command.actor
            if command.operation.base is RemoveObject {
                answer.refusal = Refusal(.notEmpty, "the zone holds 1 thing (Lamp)")
            } else {
                answer.warnings = [
                    .init(field: "position", message: "position is outside its zone"),
                    .init(field: nil, message: "the thing has no name"),
                ]
            }
            return answer
        }
        try await withWeb(node) { (port: Int) async throws in
            let full = try await request("DELETE", "/api/zones/kitchen", port: port)
            #expect(full.status == 409)
            #expect(try JSONValue(parsing: full.body)["error"]?["code"] == "not_empty")
            let added = try await post("/api/things", #"{"name":"x","zone":"kitchen"}"#, port: port)
            #expect(
                try JSONValue(parsing: added.body)["warnings"] == [
                    ["field": "position", "message": "position is outside its zone"],
                    ["message": "the thing has no name"],
                ]
            )
        }
    }
}
