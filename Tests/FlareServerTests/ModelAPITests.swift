import Flare
import FlareServer
import Glibc
import HTTPListener
import JSON
import OperatingSystem
import TestSupport
import Testing
import Threading

/// The requests of the command line to a process that has the database open.
@Suite(.timeLimit(.minutes(1)))
struct ModelAPITests {
    private static let model: JSONValue = ["environments": [["name": "Flat", "zones": [["name": "Hall"]]]]]

    private let hub: FlareHub
    private let api: ModelAPI

    init() throws {
        hub = try FlareHub(FlareStore())
        api = ModelAPI(hub)
    }

    private func post(
        _ path: [String],
        _ body: JSONValue,
        _ query: [String: String] = [:]
    ) async throws -> (status: Int, json: JSONValue) {
        let request = LocalRequest("POST", path, query: query, body: body.bytes, user: getuid())
        return try Self.parsed(await api.answer(request))
    }

    private func get(_ path: [String]) async throws -> JSONValue {
        let answer = try Self.parsed(await api.answer(LocalRequest("GET", path)))
        #expect(answer.status == 200)
        return answer.json
    }

    private static func parsed(_ response: LocalResponse?) throws -> (status: Int, json: JSONValue) {
        let response = try #require(response)
        return (response.status, try JSONValue(parsing: response.body))
    }

    @Test func `a model is imported, replaced and exported`() async throws {
        #expect(try await post(ModelAPI.model, Self.model, ["mode": "refuse"]).status == 200)
        let again = try await post(ModelAPI.model, Self.model, ["mode": "refuse"])
        #expect(again.status == 409 && again.json["complete"] == true)
        let problems = again.json["problems"]?.array ?? []
        #expect(problems.compactMap(ModelError.init(json:)).map(\.isReplaceable) == [true, true])
        let check = try await post(ModelAPI.model, Self.model, ["mode": "add", "check": "1"])
        #expect(
            check.status == 200 && check.json["doubles"]?.array?.count == 1,
            "the zone has another parent"
        )
        #expect(try await post(ModelAPI.model, Self.model, ["mode": "replace"]).status == 200)
        #expect(try await post(ModelAPI.model, Self.model, ["mode": "replaced"]).status == 400)
        #expect(await hub.records(.environment).count == 1)
        let export = try await get(ModelAPI.model)
        #expect(export["model"]?["environments"]?.array?.count == 1 && export["orphans"] == [])
    }

    @Test func `an invalid model is refused and changes nothing`() async throws {
        for model: JSONValue in [5, ["environments": [["name": []]]]] {
            let reply = try await post(ModelAPI.model, model)
            #expect(reply.status == 409 && reply.json["problems"]?.array?.isEmpty == false)
        }
        #expect(await hub.records(.environment).isEmpty)
    }

    @Test func `orphans are listed and removed`() async throws {
        _ = try await post(ModelAPI.model, Self.model)
        let flat = try #require(await hub.records(.environment).first)
        try await withREST(hub) { (client: RESTClient) async throws in
            _ = try await client.send("DELETE", "/environments/\(flat.id)")
        }
        let orphans = try await get(ModelAPI.orphans).array ?? []
        #expect(orphans.compactMap { $0["name"]?.string } == ["Hall"])
        #expect(try await post(ModelAPI.orphans, ["ids": []]).status == 400)
        let removed = try await post(ModelAPI.orphans, .array(orphans.compactMap { $0["id"] }))
        #expect(removed.status == 200 && removed.json.array?.count == 1)
        #expect(try await get(ModelAPI.orphans) == [])
    }

    @Test func `imports and removals are recorded with who asked for them, checks and refusals are not`()
        async throws
    {
        let seen = Locked<[ModelChange]>([])
        await hub.add(recorder: { change in seen.withLock { $0.append(change) } } as ModelChangeRecord)
        _ = try await post(ModelAPI.model, Self.model, ["mode": "add", "check": "1"])
        _ = try await post(ModelAPI.model, Self.model, ["mode": "add"])
        _ = try await post(ModelAPI.model, Self.model, ["mode": "refuse"])
        _ = try await post(ModelAPI.orphans, [])
        let user = SystemUser.name(of: getuid())
        #expect(
            seen.withLock { $0 } == [
                ModelChange(.import(.add), objects: 2, by: user), ModelChange(.tidy, objects: 0, by: user),
            ]
        )
    }

    @Test func `requests about something else are left to others`() async {
        for (method, path) in [("GET", ["api", "users"]), ("PUT", ModelAPI.model), ("GET", ["model"])] {
            #expect(await api.answer(LocalRequest(method, path)) == nil, "\(method) \(path)")
        }
    }

    @Test func `nothing about models is answered at the network`() async throws {
        try await withREST(hub) { (client: RESTClient) async throws in
            for path in ["/.trilateral/model", "/.trilateral/orphans", "/api/model"] {
                #expect(try await client.send("GET", path).status == 404, "\(path)")
                #expect(try await client.send("POST", path, json: Self.model).status == 404, "\(path)")
            }
        }
        #expect(await hub.records(.environment).isEmpty)
    }
}
