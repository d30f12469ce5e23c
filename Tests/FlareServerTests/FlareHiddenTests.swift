import Flare
import FlareServer
import JSON
import People
import TestSupport
import Testing
import Threading

/// What a user with rights in a part of the place gets to know, and where such a user can put things.
///
/// Bob owns the west zone of the hall and all of a cabin, and sees nothing else of the place.
@Suite(.timeLimit(.minutes(1)))
struct FlareHiddenTests {
    private static let bearer = ["Authorization: Bearer tlu_bob"]
    private static let bob = Claim.token("tlu_bob")
    private static let cabin = Hall.id(20)
    private static let loft = Hall.id(21)
    private static let stove = Hall.id(22)
    private static let missing = FlareID(high: 77, low: 77)

    private static func owns(_ object: AccessObject) -> Bool {
        switch object {
        case .thing(_, let zone, let environment): zone == Hall.west || environment == cabin
        case .zone(let id, let environment): id == Hall.west || environment == cabin
        case .environment(let id): id == cabin
        case .devices, .device: true
        case .group, .everything, .administration: false
        }
    }

    private static func hub() async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.insert([
            FlareRecord(.environment, cabin, ["name": "Cabin"]),
            FlareRecord(.zone, loft, ["environment": Hall.text(cabin), "name": "Loft"]),
            FlareRecord(
                .thing,
                stove,
                ["environment": Hall.text(cabin), "zone": Hall.text(loft), "name": "Stove"]
            ),
        ])
        hub.restrict(
            FlareAccess(
                .token,
                identify: { $0 == bob ? .user(AccountID(high: 0, low: 2)) : nil },
                sees: { _, object in owns(object) }
            ) { _ in FlareRights(readsPlace: false, readsDevices: true) }
        )
        await hub.add { (change: ClientChange) -> String? in
            let object = change.object
            let place = AccessObject(object.reference, zone: object.zone, environment: object.environment)
            return owns(place ?? .devices) ? nil : "you may not own \(object.members["name"]?.string ?? "it")"
        }
        return hub
    }

    private static func path(_ environment: FlareID, _ zone: FlareID, _ thing: FlareID? = nil) -> String {
        "/environments/\(environment)/zones/\(zone)/things" + (thing.map { "/\($0)" } ?? "")
    }

    private static func answer(
        _ client: RESTClient,
        _ method: String,
        _ path: String,
        _ body: JSONValue
    ) async throws -> String {
        let reply = try await client.send(method, path, json: body, headers: bearer)
        return "\(reply.status) \(reply.body)"
    }

    @Test func `nothing is moved or made where its owner has no rights in both zone and environment`()
        async throws
    {
        let hub = try await Self.hub()
        let before = await hub.exportModel().json
        try await withREST(hub) { (client: RESTClient) async throws in
            let stove = Self.path(Self.cabin, Self.loft, Self.stove)
            let loft = "/environments/\(Self.cabin)/zones/\(Self.loft)"
            let (hall, east) = (Hall.text(Hall.hall), Hall.text(Hall.east))
            let refused: [(String, String, JSONValue)] = [
                ("PUT", stove, ["environment": hall]), ("PUT", stove, ["zone": east]),
                ("PUT", stove, ["environment": hall, "zone": east]),
                ("PUT", stove, ["$set": ["environment": hall]]),
                ("PUT", stove, ["zone": .null, "environment": hall]),
                ("PUT", stove, ["environment": .string("\(Self.missing)")]),
                ("PUT", loft, ["environment": hall]),
                ("PUT", loft, ["environment": .string("\(Self.missing)")]),
                ("POST", Self.path(Self.cabin, Hall.east), [:]),
                ("POST", Self.path(Hall.hall, Hall.east), [:]),
                ("POST", Self.path(Hall.hall, Self.loft), [:]),
                ("POST", Self.path(Self.missing, Hall.west), [:]),
                ("POST", Self.path(Self.cabin, Self.missing), ["name": "x"]),
                ("POST", "/environments/\(Hall.hall)/zones", [:]), ("POST", "/environments", [:]),
            ]
            for (method, path, body) in refused {
                let answer = try await Self.answer(client, method, path, body)
                #expect(answer.hasPrefix("403"), "\(method) \(path) \(body): \(answer)")
            }
            // One of several is enough to refuse all.
            let several: JSONValue = [["name": "a"], ["name": "b", "zone": east]]
            let zones = try await Self.answer(client, "POST", "/environments/\(Self.missing)/zones", several)
            #expect(zones.hasPrefix("403"))
        }
        #expect(await hub.exportModel().json == before)
    }

    @Test func `nothing is taken out of a zone or an environment where its owner has no rights`() async throws
    {
        let hub = try await Self.hub()
        try await withREST(hub) { (client: RESTClient) async throws in
            let lamp = Self.path(Hall.hall, Hall.west, Hall.lamp)
            let west = "/environments/\(Hall.hall)/zones/\(Hall.west)"
            let bodies: [JSONValue] = [
                ["environment": .null], ["zone": .null, "environment": .null], ["environment": ""],
                ["$unset": ["environment": 1]], ["zone": .null],
            ]
            let before = await hub.exportModel().json
            for body in bodies {
                for path in [lamp, west] where path == lamp || body["zone"] == nil {
                    _ = try await Self.answer(client, "PUT", path, body)
                    #expect(await hub.exportModel().json == before, "\(path) \(body)")
                }
            }
            for path in [lamp, west] {
                let answer = try await Self.answer(client, "PUT", path, ["environment": .null])
                #expect(answer.hasPrefix("403") && !answer.contains("\(Hall.hall)"), "\(path): \(answer)")
            }
            // Who owns them may.
            let stove = Self.path(Self.cabin, Self.loft, Self.stove)
            for body: JSONValue in [["zone": .null], ["environment": .null]] {
                #expect(try await Self.answer(client, "PUT", stove, body).hasPrefix("200"))
            }
        }
    }

    @Test func `things are moved and made between places that one owns`() async throws {
        try await withREST(try await Self.hub()) { (client: RESTClient) async throws in
            let stove = Self.path(Self.cabin, Self.loft, Self.stove)
            let (hall, west) = (Hall.text(Hall.hall), Hall.text(Hall.west))
            let allowed: [(String, String, JSONValue)] = [
                ("PUT", stove, ["zone": west, "environment": hall]),
                ("PUT", stove, ["name": "Oven"]),
                ("PUT", stove, ["zone": Hall.text(Self.loft), "environment": Hall.text(Self.cabin)]),
                ("POST", Self.path(Hall.hall, Hall.west), ["name": "Vase"]),
                ("POST", Self.path(Self.cabin, Self.loft), [["name": "Bed"], ["name": "Rug"]]),
                ("POST", "/environments/\(Self.cabin)/zones", ["name": "Cellar"]),
            ]
            for (method, path, body) in allowed {
                let answer = try await Self.answer(client, method, path, body)
                #expect(answer.hasPrefix("200"), "\(method) \(path) \(body): \(answer)")
            }
        }
    }

    @Test func `a place that is hidden is refused in the words for one that does not exist`() async throws {
        try await withREST(try await Self.hub()) { (client: RESTClient) async throws in
            let stove = Self.path(Self.cabin, Self.loft, Self.stove)
            func answers(zone: FlareID, environment: FlareID) async throws -> [String] {
                let bodies: [JSONValue] = [
                    ["zone": .string("\(zone)")], ["environment": .string("\(environment)")],
                ]
                var answers: [String] = []
                for body in bodies { answers.append(try await Self.answer(client, "PUT", stove, body)) }
                for path in [Self.path(Self.cabin, zone), "/environments/\(environment)/zones"] {
                    answers.append(try await Self.answer(client, "POST", path, ["name": "x"]))
                }
                return answers.map {
                    $0.replacing("\(zone)", with: "Z").replacing("\(environment)", with: "E")
                }
            }
            let hidden = try await answers(zone: Hall.east, environment: Hall.hall)
            #expect(hidden.allSatisfy { $0.hasPrefix("403") && !$0.contains("Hall") })
            #expect(try await answers(zone: Self.missing, environment: Hall.id(99)) == hidden)
        }
    }

    @Test func `an identifier of one's own is refused, whether it is hidden, seen or free`() async throws {
        let hub = try await Self.hub()
        try await withREST(hub) { (client: RESTClient) async throws in
            let path = Self.path(Hall.hall, Hall.west)
            var answers: Set<String> = []
            for id in [Hall.sign, Hall.lamp, Self.missing] {
                answers.insert(try await Self.answer(client, "POST", path, ["_id": .string("\(id)")]))
                answers.insert(
                    try await Self.answer(client, "POST", path, [["name": "y"], ["_id": .string("\(id)")]])
                )
            }
            #expect(answers.count == 1 && answers.first?.hasPrefix("403") == true, "\(answers)")
            #expect(
                try await Self.answer(client, "POST", path, ["_id": .null, "name": "x"]).hasPrefix("200")
            )
        }
        #expect(await hub.records(.thing).count == 5)
    }

    @Test(arguments: [
        #"{"position":{"x":"far"}}"#, #"{"_id":"000000000000000000000000"}"#, #"{"$inc":{"angle":1}}"#,
        #"{"zone":"nowhere"}"#, #"{"name":"#, "[1]", "5", "{}", #"{"data.":1}"#,
    ])
    func `an invalid change of a hidden object is answered as of one that does not exist`(body: String)
        async throws
    {
        try await withREST(try await Self.hub()) { (client: RESTClient) async throws in
            func answer(_ method: String, _ id: FlareID) async throws -> String {
                let reply = try await request(
                    method,
                    Self.path(Hall.hall, Hall.east, id),
                    port: client.port,
                    headers: Self.bearer + ["Content-Type: application/json"],
                    body: body
                )
                return "\(reply.status) \(reply.body)"
            }
            for method in ["PUT", "DELETE", "POST", "PATCH"] {
                let missing = try await answer(method, Self.missing)
                let hidden = try await answer(method, Hall.sign)
                #expect(
                    hidden == missing.replacing("\(Self.missing)", with: "\(Hall.sign)"),
                    "\(method) \(body)"
                )
            }
        }
    }

    @Test func `who reads devices only is not told of zones and things that are hidden`() async throws {
        let hub = try await Self.hub()
        try await withREST(hub) { (client: RESTClient) async throws in
            let path = "/environments/\(Hall.hall)/devices"
            func seen(at x: Double) async throws -> [[String]] {
                try await hub.setPosition(Hall.phoneObject, Point3D(x: x, y: 2))
                var seen: [[String]] = []
                for target in [path, path + "?x=0&y=0&distance=99", "\(path)/\(Hall.phone)"] {
                    let reply = try await client.send("GET", target, headers: Self.bearer)
                    let json = try JSONValue(parsing: reply.body)
                    let device = json.array?.first ?? json
                    seen.append(["zone", "nearest"].filter { device[$0] != nil })
                }
                let put = try await client.send(
                    "PUT",
                    "\(path)/\(Hall.phone)",
                    json: ["name": "Phone"],
                    headers: Self.bearer
                )
                let device = try JSONValue(parsing: put.body)
                seen.append(["zone", "nearest"].filter { device[$0] != nil })
                return seen
            }
            #expect(try await seen(at: 2) == Array(repeating: ["zone", "nearest"], count: 4))
            #expect(try await seen(at: 25) == Array(repeating: [], count: 4))
            #expect(await hub.record(Hall.phoneObject)?.zone == Hall.east)
        }
    }

    @Test func `who reads devices only hears what a device enters and is near, if it is not hidden`()
        async throws
    {
        let hub = try await Self.hub()
        try await withREST(hub) { (rest: RESTClient) async throws in
            let client = try await onThread {
                let client = try SocketClient(port: rest.port, token: "tlu_bob")
                try client.emit("subscribe", ["device": Hall.text(Hall.phone)])
                #expect(try client.receivedEvents() == [])
                return UnsafeTransfer(value: client)
            }
            func heard(at x: Double) async throws -> [String] {
                try await hub.setPosition(Hall.phoneObject, Point3D(x: x, y: 2))
                return try await onThread { try client.value.receivedEvents().map(\.name) }
            }
            #expect(try await heard(at: 2) == ["position", "enter", "near"])
            #expect(try await heard(at: 15) == ["position", "exit", "far"])
            #expect(try await heard(at: 25) == ["position"])
            #expect(try await heard(at: 15) == ["position"])
        }
    }

    /// A blocking client that one thread after another uses.
    private struct UnsafeTransfer: @unchecked Sendable {
        let value: SocketClient
    }
}
