import Accounts
import Bindings
import Daemon
import JSON
import People
import Testing

/// What messages and the log say of users, groups and things that requests name.
@Suite(.timeLimit(.minutes(2)))
struct BindingNameTests {
    private func onboard(_ home: TestBindings, _ others: JSONObject = [:]) async -> (Int, JSONValue) {
        let members: JSONObject = ["vendorThingID": "v-1", "thingPassword": "secret", "owner": "bob"]
        let answer = await home.ask("POST", "/api/bindings/onboard", .object(members.merging(others) { $1 }))
        return (answer.status, answer.body)
    }

    private func rows(_ home: TestBindings, _ kind: String) throws -> [String?] {
        try home.log().filter { $0.kind == kind }.map(\.actions)
    }

    // MARK: Messages

    @Test(
        arguments: [
            ("user:bbo", #""user:bbo" here; did you mean "user:bob"?"#),
            ("group:stuff", #""group:stuff" here; did you mean "group:staff"?"#),
            ("staff", #""user:staff" here; did you mean "group:staff"?"#),
            ("somebody", #""user:somebody" here"#),
        ]
    )
    func `who is not there is named by what was asked for, with the nearest name`(who: String, end: String)
        async throws
    {
        try await withBindings { (home, _) async throws in
            let message = "there is no user or group \(end)"
            #expect(await onboard(home, ["owner": .string(who)]).1["message"]?.string == message)
            _ = await onboard(home)
            let owner: JSONValue = ["owner": .string(who)]
            let added = await home.ask("POST", "/api/bindings/v-1/owners", owner)
            #expect(added.status == 400 && added.body["message"]?.string == message)
            let removed = await home.ask("DELETE", "/api/bindings/v-1/owners/\(who)")
            #expect(removed.status == 400 && removed.body["message"]?.string == message)
            let push: JSONValue = ["installationRegistrationID": "push", "owner": .string(who)]
            let installed = await home.ask("POST", "/api/installations", push)
            #expect(installed.status == 400 && installed.body["message"]?.string == message)
        }
    }

    @Test func `who may not see all users gets no help with their names`() async throws {
        try await withBindings { (home, _) async throws in
            let result = try await home.onboardOwner(home.bob, owner: "user:carrol")
            guard case .failure(let refusal) = result else {
                Issue.record("an owner who is not there was accepted")
                return
            }
            #expect(refusal.message == #"there is no user or group "user:carrol" here"#)
        }
    }

    @Test func `an owner is added to what somebody has claimed, and to nothing else`() async throws {
        try await withBindings { (home, _) async throws in
            _ = await home.ask("POST", "/api/bindings/expect", ["vendorThingID": "v-1"])
            let owner: JSONValue = ["owner": "group:staff"]
            let early = await home.ask("POST", "/api/bindings/v-1/owners", owner)
            #expect(early.status == 409)
            #expect(
                early.body["message"]
                    == "nobody has claimed v-1 yet: its first owner claims it with its password"
            )
            _ = await onboard(home, ["vendorThingID": "v-2", "zone": "Kitchen"])
            for (method, path) in [("DELETE", "/user:\(home.bob)"), ("POST", "")] {
                let answer = await home.ask(method, "/api/bindings/v-2/owners\(path)", owner)
                #expect(answer.status == 204)
            }
        }
    }

    @Test func `who owns no thing is named when they are to lose it`() async throws {
        try await withBindings { (home, _) async throws in
            _ = await onboard(home)
            let answer = await home.ask("DELETE", "/api/bindings/v-1/owners/group:staff")
            #expect(answer.status == 404)
            #expect(answer.body["message"] == "group:staff is no owner of thing v-1")
        }
    }

    @Test func `an instance of another thing is refused with both names`() async throws {
        try await withBindings { (home, _) async throws in
            _ = await onboard(home, ["tag": "panel", "zone": "Kitchen"])
            _ = await onboard(home, ["vendorThingID": "v-2", "zone": "Kitchen"])
            let command: JSONValue = ["actions": [["on": true]], "tag": "panel"]
            let answer = await home.ask("POST", "/api/bindings/v-2/commands", command)
            #expect(answer.status == 400)
            #expect(answer.body["message"] == #"instance "panel" is of thing v-1, not of v-2"#)
        }
    }

    // MARK: The log

    @Test func `rows about owners say who got a thing, and who lost it`() async throws {
        try await withBindings { (home, _) async throws in
            _ = await onboard(home, ["zone": "Kitchen"])
            _ = await home.ask("POST", "/api/bindings/v-1/owners", ["owner": "group:staff"])
            _ = await home.ask("DELETE", "/api/bindings/v-1/owners/user:\(home.bob)")
            #expect(
                try rows(home, "thing onboard")
                    == [#"["vendorThingID","thingPassword","owner=user:bob","thing=v-1"]"#]
            )
            #expect(try rows(home, "thing owner add") == [#"["owner=group:staff"]"#])
            #expect(try rows(home, "thing owner rm") == [#"["owner=user:bob"]"#])
        }
    }

    @Test func `the log does not repeat a name that nobody has`() async throws {
        try await withBindings { (home, _) async throws in
            _ = await onboard(home)
            _ = await home.ask("POST", "/api/bindings/v-1/owners", ["owner": "s3cret-of-bob"])
            #expect(try rows(home, "thing owner add") == [#"["owner"]"#])
        }
    }
}
