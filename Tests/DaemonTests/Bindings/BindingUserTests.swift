import Accounts
import Bindings
import Bridge
import Daemon
import HTTPListener
import JSON
import Messages
import People
import Testing

/// What users may do with bindings over HTTP.
@Suite(.timeLimit(.minutes(2)))
struct BindingUserTests {
    /// What is asked of a thing, and what its owner is answered.
    private static let acts: [(method: String, path: String, body: JSONValue?, status: Int)] = [
        ("GET", "v-1", nil, 200), ("POST", "v-1/owners", ["owner": "carol"], 204),
        ("DELETE", "v-1/owners/carol", nil, 204), ("POST", "v-1/token", [:], 200),
        ("DELETE", "v-1", nil, 204),
    ]

    /// Onboards v-1, which bob owns.
    private func onboard(_ home: TestBindings, isLinked: Bool) async throws {
        let properties: JSONObject = isLinked ? ["thingProperties": ["zone": "Kitchen"]] : [:]
        _ = try await home.onboardOwner(home.bob, with: properties).get()
    }

    @Test(arguments: [true, false])
    func `an owner sees and manages the thing, linked or not`(isLinked: Bool) async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: isLinked)
            for act in Self.acts {
                let answer = await home.ask(act.method, "/api/bindings/\(act.path)", act.body, as: home.bob)
                // Owners of a thing without a place take nothing from each other.
                let status = !isLinked && act.path.hasPrefix("v-1/owners/") ? 403 : act.status
                #expect(answer.status == status, "\(act.method) \(act.path): \(answer.body)")
            }
            #expect(try home.binding() == nil)
        }
    }

    @Test(arguments: [true, false])
    func `who administers sees and manages every thing`(isLinked: Bool) async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: isLinked)
            for act in Self.acts {
                let answer = await home.ask(act.method, "/api/bindings/\(act.path)", act.body, as: home.owner)
                #expect(answer.status == act.status, "\(act.method) \(act.path): \(answer.body)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `others may do nothing with a thing, and do not learn that it is there`(isLinked: Bool) async throws
    {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: isLinked)
            for act in Self.acts {
                let answer = await home.ask(act.method, "/api/bindings/\(act.path)", act.body, as: home.carol)
                #expect(answer.status == 403 && answer.body["error"] == "not_allowed", "\(act.path)")
                let path = "/api/bindings/\(act.path.replacing("v-1", with: "v-9"))"
                let other = await home.ask(act.method, path, act.body, as: home.carol)
                #expect(other.status == 403, "\(act.path)")
            }
            #expect(try home.binding()?.binding.isOwned == true)
        }
    }

    @Test func `a token that allows less than own manages nothing`() async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: true)
            for user in [home.bob, home.owner] {
                for act in Self.acts {
                    let answer = await home.ask(
                        act.method,
                        "/api/bindings/\(act.path)",
                        act.body,
                        as: user,
                        ceiling: .write
                    )
                    #expect(answer.status == 403, "\(act.method) \(act.path)")
                }
            }
        }
    }

    @Test func `a list has the things that the reader owns, and all for who administers`() async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: true)
            try home.letWrite(home.carol)
            _ = try await home.onboardOwner(home.carol, "v-2").get()
            _ = try await home.onboardThing("v-3").get()
            func vendors(_ user: AccountID, _ filter: String = "") async -> [String] {
                let answer = await home.ask("GET", "/api/bindings", as: user, query: ["filter": filter])
                return (answer.body["bindings"]?.array ?? []).compactMap { $0["vendor"]?.string }.sorted()
            }
            #expect(await vendors(home.bob) == ["v-1"])
            #expect(await vendors(home.carol) == ["v-2"])
            #expect(await vendors(home.owner) == ["v-1", "v-2", "v-3"])
            #expect(await vendors(home.owner, "pending") == ["v-3"])
            #expect(await vendors(home.bob, "pending") == [])
        }
    }

    @Test func `a user claims a thing as themselves, and only who administers expects one`() async throws {
        try await withBindings { (home, _) async throws in
            let wanted: JSONValue = ["vendorThingID": "v-1"]
            #expect(await home.ask("POST", "/api/bindings/expect", wanted, as: home.bob).status == 403)
            let expected = await home.ask("POST", "/api/bindings/expect", wanted, as: home.owner)
            let password = try #require(expected.body["thingPassword"]?.string)
            func claim(_ password: String, _ others: JSONObject = [:]) async -> (status: Int, body: JSONValue)
            {
                let members: JSONObject = ["vendorThingID": "v-1", "thingPassword": .string(password)]
                let body = JSONValue.object(members.merging(others) { $1 })
                return await home.ask("POST", "/api/bindings/onboard", body, as: home.bob)
            }
            #expect(await claim("a wrong one").status == 403)
            #expect(await claim(password, ["owner": "carol"]).status == 403)
            // Instances are those of programs on this machine.
            #expect(await claim(password, ["tag": "panel"]).status == 400)
            #expect(await claim(password, ["zone": "Kitchen"]).status == 200)
            let new = await claim("any", ["vendorThingID": "v-2"])
            #expect(new.body["accessToken"]?.string?.hasPrefix("tlt_") == true)
            #expect(await home.ask("GET", "/api/bindings/v-1", as: home.bob).body["owners"] == ["bob"])
        }
    }

    @Test(arguments: [false, true])
    func `what a gateway sees is claimed as its end node, expected or not`(isExpected: Bool) async throws {
        try await withBindings { (home, _) async throws in
            let gateway = try await home.onboardOwner(home.bob, "g").get().thing
            var password = "x"
            if isExpected {
                let wanted: JSONValue = ["vendorThingID": "w"]
                let expected = await home.ask("POST", "/api/bindings/expect", wanted, as: home.owner)
                password = try #require(expected.body["thingPassword"]?.string)
            }
            #expect(await EdgePorts(home.service).nodes(EdgeAddress("g"), [EdgeNode("w")]) == nil)
            let pending = ["filter": "pending"]
            let list = await home.ask("GET", "/api/bindings", as: home.owner, query: pending)
            #expect(list.body["bindings"]?.array?.compactMap { $0["gateway"] } == ["g"])
            let body: JSONValue = [
                "gatewayThingID": .string("\(gateway)"), "endNodeVendorThingID": "w",
                "endNodePassword": .string(password), "zone": "Kitchen",
            ]
            // Who does not own the gateway adds nothing to it.
            #expect(await home.ask("POST", "/api/bindings/onboard", body, as: home.carol).status == 403)
            let answer = await home.ask("POST", "/api/bindings/onboard", body, as: home.owner)
            #expect(answer.status == 200 && answer.body["thingID"] == nil, "\(answer.body)")
            let node = try #require(try home.binding("w")?.binding)
            #expect(answer.body["endNodeThingID"]?.string == "\(node.id)")
            #expect(node.gateway == gateway && node.isOwned)
        }
    }

    @Test func `what speaks itself is no gateway's, whatever that sees`() async throws {
        try await withBindings { (home, _) async throws in
            _ = try await home.onboardOwner(home.bob, "g").get()
            let ports = EdgePorts(home.service)
            _ = try await home.onboardThing("w").get()
            #expect(await ports.status(EdgeAddress("w"), .online) == nil)
            #expect(try home.binding("w")?.binding.route == .edge)
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("w")]) == nil)
            let list = await home.ask("GET", "/api/bindings", as: home.owner, query: ["filter": "pending"])
            #expect(list.body["bindings"]?.array?.compactMap { $0["gateway"]?.string } == [])
        }
    }

    @Test func `a list says which interval a thing has given, so that a claim gives none`() async throws {
        try await withBindings { (home, _) async throws in
            _ = try await home.onboardThing(with: ["dataGroupingInterval": "1_HOUR"]).get()
            let pending = ["filter": "pending"]
            let list = await home.ask("GET", "/api/bindings", as: home.owner, query: pending)
            #expect(list.body["bindings"]?.array?.compactMap { $0["interval"] } == ["1_HOUR"])
            let body: JSONValue = [
                "vendorThingID": "v-1", "thingPassword": .string(TestBindings.password), "zone": "Kitchen",
            ]
            let answer = await home.ask("POST", "/api/bindings/onboard", body, as: home.owner)
            #expect(answer.status == 200 && answer.body["ignored"] == nil, "\(answer.body)")
            #expect(try home.binding()?.binding.interval == .hour)
        }
    }

    @Test(arguments: [true, false])
    func `an owner lets others in, and they do not shut the owner out`(isLinked: Bool) async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: isLinked)
            let body: JSONValue = ["owner": "carol"]
            #expect(await home.ask("POST", "/api/bindings/v-1/owners", body, as: home.bob).status == 204)
            let first = "/api/bindings/v-1/owners/bob"
            #expect(await home.ask("DELETE", first, as: home.carol).status == 403)
            let own = "/api/bindings/v-1/owners/carol"
            #expect(await home.ask("DELETE", own, as: home.carol).status == 204)
            #expect(await home.ask("DELETE", first, as: home.owner).status == 204)
        }
    }

    @Test func `only bindings are there for users`() async throws {
        try await withBindings { (home, _) async throws in
            for path in ["/api/instances", "/api/installations", "/api/users"] {
                #expect(await home.ask("GET", path, as: home.owner).status == 404)
            }
        }
    }

    @Test func `the log has what users did and what they were refused, without secrets`() async throws {
        try await withBindings { (home, _) async throws in
            try await onboard(home, isLinked: false)
            let token = await home.ask("POST", "/api/bindings/v-1/token", [:], as: home.bob).body[
                "accessToken"
            ]
            _ = await home.ask("DELETE", "/api/bindings/v-1", as: home.carol)
            let rows = try home.log()
            let made = try #require(rows.first { $0.kind == "thing token" })
            #expect(made.interface == "kiosk" && made.caller == "user:bob" && made.state == "accepted")
            let refused = try #require(rows.first { $0.kind == "thing forget" })
            #expect(refused.caller == "user:carol" && refused.code == "not_allowed")
            let secret = try #require(token?.string)
            #expect(!rows.contains { "\($0)".contains(secret) })
        }
    }
}

extension TestBindings {
    /// What a user asks over HTTP.
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        as user: AccountID,
        ceiling: Access? = nil,
        query: [String: String] = [:]
    ) async -> (status: Int, body: JSONValue) {
        let words = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        let request = LocalRequest(method, words, query: query, body: body?.bytes ?? [])
        let caller = Caller.user(user, ceiling: ceiling)
        let response = await BindingsLocalAPI(service).answer(request, by: caller, from: "192.0.2.1")
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }
}
