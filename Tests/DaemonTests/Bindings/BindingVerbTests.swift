import Accounts
import Bindings
import Daemon
import JSON
import People
import Testing

/// What verbs ask at the socket of this machine.
@Suite(.timeLimit(.minutes(2)))
struct BindingVerbTests {
    private func onboard(_ home: TestBindings, _ others: JSONObject = [:]) async -> (Int, JSONValue) {
        let members: JSONObject = ["vendorThingID": "v-1", "thingPassword": "secret", "owner": "bob"]
        return await home.ask("POST", "/api/bindings/onboard", .object(members.merging(others) { $1 }))
    }

    @Test func `an onboarded thing is listed, and a thing without an owner is pending`() async throws {
        try await withBindings { home, _ in
            let (status, answer) = await onboard(home, ["thingType": "meter", "zone": "Kitchen"])
            #expect(status == 200 && answer["accessToken"]?.string?.hasPrefix("tlt_") == true)
            _ = try await home.onboardThing("v-2").get()
            let onboarded = await home.ask("GET", "/api/bindings", query: ["filter": "onboarded"])
            let row = try #require(onboarded.body["bindings"]?.array?.first)
            #expect(onboarded.body["bindings"]?.array?.count == 1)
            #expect(row["vendor"] == "v-1" && row["type"] == "meter" && row["thing"] == "v-1")
            #expect(row["owned"] == true && row["route"] == "edge" && row["owners"] == ["bob"])
            let pending = await home.ask("GET", "/api/bindings", query: ["filter": "pending"])
            #expect(pending.body["bindings"]?.array?.map { $0["vendor"] } == ["v-2"])
            let id = try #require(answer["thingID"]?.string)
            for name in [id, "v-1"] {
                #expect(await home.ask("GET", "/api/bindings/\(name)").body["thingID"]?.string == id)
            }
            #expect(await home.ask("GET", "/api/bindings/v-3").status == 404)
            #expect(await home.ask("GET", "/api/bindings", query: ["filter": "all"]).status == 400)
        }
    }

    @Test func `an expected thing has a password that onboards it`() async throws {
        try await withBindings { home, _ in
            let body: JSONValue = ["vendorThingID": "v-1", "type": "meter"]
            let answer = await home.ask("POST", "/api/bindings/expect", body)
            let password = try #require(answer.body["thingPassword"]?.string)
            #expect(try home.binding()?.binding.isOwned == false)
            #expect(try await home.onboardThing("v-1", "another").code == "not_allowed")
            let thing = try await home.onboardThing("v-1", password, with: ["thingType": "lamp"]).get()
            #expect(thing.ignored == ["thingType"] && thing.token != nil)
            #expect(await home.ask("POST", "/api/bindings/expect", body).status == 409)
        }
    }

    @Test(arguments: [true, false])
    func `owners come and go, linked or not`(isLinked: Bool) async throws {
        try await withBindings { (home, _) async throws in
            _ = await onboard(home, isLinked ? ["zone": "Kitchen"] : [:])
            func owners() async -> [String?]? {
                let row = await home.ask("GET", "/api/bindings/v-1").body
                return row["owners"]?.array?.map(\.string)
            }
            #expect(
                await home.ask("POST", "/api/bindings/v-1/owners", ["owner": "group:staff"]).status == 204
            )
            #expect(await owners() == ["bob", "group:staff"])
            #expect(await home.ask("DELETE", "/api/bindings/v-1/owners/bob").status == 204)
            #expect(await home.ask("DELETE", "/api/bindings/v-1/owners/bob").status == 404)
            #expect(await home.ask("DELETE", "/api/bindings/v-1/owners/group:staff").status == 204)
            #expect(await owners() == [])
            // What is fixed stays so.
            #expect(try home.binding()?.binding.isOwned == true)
        }
    }

    @Test func `another token ends those before`() async throws {
        try await withBindings { (home, _) async throws in
            let first = try #require(await onboard(home).1["accessToken"]?.string)
            let answer = await home.ask("POST", "/api/bindings/v-1/token")
            let second = try #require(answer.body["accessToken"]?.string)
            #expect(home.accounts.thing(bringing: first) == nil)
            #expect(home.accounts.thing(bringing: second) != nil)
        }
    }

    @Test func `an instance has one thing, and is copied with another`() async throws {
        try await withBindings { (home, _) async throws in
            #expect(await onboard(home, ["tag": "a"]).0 == 200)
            let again = await onboard(home, ["vendorThingID": "v-2", "tag": "a"])
            #expect(again.0 == 409 && again.1["error"] == "already_onboarded")
            #expect(try home.binding("v-2") == nil)
            #expect(await onboard(home, ["vendorThingID": "v-2"]).0 == 200)
            let copy: JSONValue = ["thing": "v-2", "to": "b"]
            #expect(await home.ask("POST", "/api/instances/a/copy", copy).status == 201)
            #expect(await home.ask("POST", "/api/instances/a/copy", copy).status == 409)
            let made = await home.ask("GET", "/api/instances/b").body
            let second = try #require(try home.binding("v-2")).binding.id
            #expect(made["thing"]?.string == "\(second)" && made["owner"] == "bob")
            #expect(made["realm"]?.string == TestBindings.app && made["site"] == "EU")
            #expect(await home.ask("DELETE", "/api/instances/a").status == 204)
            #expect(await home.ask("GET", "/api/instances/a").status == 404)
            #expect(await home.ask("DELETE", "/api/instances").status == 204)
            #expect(await home.ask("GET", "/api/instances").body == ["instances": []])
        }
    }

    @Test func `an instance of another app is of no use`() async throws {
        try await withBindings { home, _ in
            try home.store.accounts.save(AppInstance("a", realm: "other", site: .europe))
            #expect(await home.ask("GET", "/api/instances/a").status == 409)
            #expect(await onboard(home, ["tag": "a"]).0 == 409)
            let listed = await home.ask("GET", "/api/instances").body["instances"]?.array?.first
            #expect(listed?["problem"]?.string?.contains("other") == true)
        }
    }

    @Test func `an installation is kept in its instance`() async throws {
        try await withBindings { (home, _) async throws in
            let body: JSONValue = [
                "installationRegistrationID": "push", "owner": "bob", "development": true, "tag": "",
            ]
            let made = await home.ask("POST", "/api/installations", body)
            let id = try #require(made.body["installationID"]?.string)
            #expect(await home.ask("GET", "/api/instances/-").body["installation"]?.string == id)
            let rows = await home.ask("GET", "/api/installations").body["installations"]?.array
            #expect(rows?.map { $0["owner"] } == ["bob"])
            #expect(await home.ask("DELETE", "/api/installations/-", query: ["tag": "-"]).status == 204)
            #expect(await home.ask("DELETE", "/api/installations/\(id)").status == 404)
        }
    }

    @Test(
        arguments: [
            ("POST", "/api/bindings/onboard", ["vendorThingID": "v-1"]),
            ("POST", "/api/bindings/onboard", ["vendorThingID": "v-1", "thingPassword": "x", "what": 1]),
            ("POST", "/api/bindings/expect", ["vendorThingID": "a b"]),
            ("POST", "/api/bindings/expect", []),
            ("POST", "/api/installations", ["installationRegistrationID": ""]),
        ] as [(String, String, JSONValue)]
    )
    func `what is not right is refused`(method: String, path: String, body: JSONValue) async throws {
        try await withBindings { home, _ in
            let answer = await home.ask(method, path, body)
            #expect(answer.status == 400 && answer.body["message"]?.string?.isEmpty == false)
        }
    }

    @Test func `other requests are for others`() async throws {
        try await withBindings { home, _ in
            #expect(await home.ask("GET", "/api/users").status == 0)
            #expect(await home.ask("PUT", "/api/bindings").status == 404)
        }
    }
}
