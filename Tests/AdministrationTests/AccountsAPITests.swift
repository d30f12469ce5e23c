import Accounts
import AccountsFixture
import Administration
import Flare
import JSON
import People
import Testing

struct AccountsAPITests {
    @Test(arguments: [
        (AccountsRequest.Method.get, "me"), (.get, "users"), (.post, "users"), (.get, "groups"),
        (.get, "grants"),
        (.get, "grants/check"), (.get, "shares"), (.get, "contacts"), (.get, "tokens"), (.get, "sessions"),
        (.get, "log"), (.delete, "users/bob"), (.get, "nothing"),
    ])
    func `who is not signed in gets nothing`(method: AccountsRequest.Method, path: String) async throws {
        let desk = try TestAdministration()
        let answer = await desk.ask(method, path, as: nil)
        #expect(answer.status == 401)
        #expect(answer.code == "unauthenticated")
    }

    @Test(
        arguments: [
            (AccountsRequest.Method.get, "users", nil), (.post, "users", ["name": "eve"]),
            (.patch, "users/owner", ["state": "off"]), (.delete, "users/owner", nil),
            (.put, "users/owner/password", ["password": "correct horse"]),
            (.put, "users/bob/password", ["password": "correct horse"]), (.get, "groups", nil),
            (.post, "groups", ["name": "staff", "kind": "users"]),
            (.post, "groups/all/members", ["members": ["bob"]]),
            (.post, "groups/all/leave", ["members": ["bob"]]), (.delete, "groups/all", nil),
            (.post, "grants", ["who": "bob", "scope": "all", "access": "own"]), (.get, "log", nil),
            (.post, "tokens", ["user": "owner", "name": "x"]),
            (.post, "contacts", ["user": "owner", "name": "x"]),
        ] as [(AccountsRequest.Method, String, JSONValue?)]
    )
    func `who owns nothing administers nothing, and that is logged`(
        method: AccountsRequest.Method,
        path: String,
        body: JSONValue?
    ) async throws {
        let desk = try TestAdministration()
        let answer = await desk.ask(method, path, body, as: desk.bob)
        #expect(answer.status == 403, "\(answer)")
        #expect(answer.code == "not_allowed")
        let rows = try desk.log()
        if method == .get {
            #expect(rows.isEmpty)
        } else {
            #expect(rows.count == 1)
            #expect(rows.first?.caller == "user:bob")
            #expect(rows.first?.code == "not_allowed")
        }
        for name in ["tokens", "sessions", "contacts"] {
            let others = await desk.ask(.get, name, query: ["user": "owner"], as: desk.bob)
            #expect(others.status == 403)
        }
    }

    @Test func `users are added, edited, switched and removed`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "groups", ["name": "staff", "kind": "users"], as: desk.owner)
        let added = await desk.ask(
            .post,
            "users",
            [
                "name": "eve", "display": "Eve", "email": "eve@example.org", "group": "staff",
                "password": "0123456789",
            ],
            as: desk.owner
        )
        #expect(added.status == 201)
        #expect(added.body?["name"] == "eve")
        let list = await desk.ask(.get, "users", as: desk.owner)
        #expect(list.texts("name") == ["bob", "eve", "owner"])
        #expect(list.rows[1]["groups"] == ["staff"])
        #expect(list.rows[1]["password"] == true)
        let edited = await desk.ask(.patch, "users/eve", ["state": "off", "display": "E."], as: desk.owner)
        #expect(edited.body?["state"] == "off")
        #expect(edited.body?["display"] == "E.")
        #expect(edited.body?["email"] == "eve@example.org")
        #expect(await desk.ask(.put, "users/eve/password", [:], as: desk.owner).status == 400)
        #expect(await desk.ask(.put, "users/eve/password", ["password": .null], as: desk.owner).status == 204)
        #expect(await desk.ask(.delete, "users/eve", as: desk.owner).status == 204)
        #expect(await desk.ask(.delete, "users/eve", as: desk.owner).status == 404)
        #expect(desk.registry.table.user(named: "eve") == nil)
        let kinds = try desk.log().map(\.kind)
        #expect(
            kinds == [
                "group add", "user add", "user off", "user password", "user password", "user rm", "user rm",
            ]
        )
        #expect(try desk.log().allSatisfy { !($0.actions ?? "").contains("0123456789") })
        #expect(try desk.log().allSatisfy { $0.caller == "user:owner" && $0.source == "192.0.2.1" })
    }

    @Test(arguments: [
        "a/b", "+", "#", "a\u{0}b", "a\nb", "", "Bob", "none", String(repeating: "a", count: 65), "bob",
    ])
    func `names that cannot be, or are taken, are refused with a sentence`(name: String) async throws {
        let desk = try TestAdministration()
        let answer = await desk.ask(.post, "users", ["name": .string(name)])
        #expect(answer.status == (name == "bob" ? 403 : 400), "\(answer)")
        #expect(answer.body?["message"]?.string?.isEmpty == false)
    }

    @Test func `users and groups are found by the identifier that making them returned`() async throws {
        let desk = try TestAdministration()
        let eve = try #require(await desk.ask(.post, "users", ["name": "eve"]).body?["id"]?.string)
        let staff = try #require(await desk.ask(.post, "groups", ["name": "staff"]).body?["id"]?.string)
        #expect(await desk.ask(.patch, "users/\(eve)", ["display": "E"], as: desk.bob).status == 403)
        let edited = await desk.ask(.patch, "users/\(eve)", ["display": "E"], as: desk.owner)
        #expect(edited.status == 200 && edited.body?["name"] == "eve" && edited.body?["display"] == "E")
        let members: JSONValue = ["members": ["eve"]]
        #expect(await desk.ask(.post, "groups/\(staff)/members", members, as: desk.owner).status == 204)
        #expect(await desk.ask(.post, "groups/\(staff)/leave", members, as: desk.owner).status == 204)
        #expect(await desk.ask(.delete, "groups/\(staff)", as: desk.owner).status == 204)
        #expect(await desk.ask(.delete, "users/\(eve)", as: desk.owner).status == 204)
        #expect(try desk.log().last?.target == "eve")
    }

    @Test(arguments: [false, true])
    func `the answer to a removal names the devices that are nobody's now`(isByIdentifier: Bool) async throws
    {
        let desk = try TestAdministration()
        let phil = try #require(await desk.ask(.post, "users", ["name": "phil"]).body?["id"]?.string)
        let word = isByIdentifier ? phil : "phil"
        let removed = await desk.ask(.delete, "users/\(word)", as: desk.owner)
        #expect(removed.status == 200 && removed.body == ["name": "phil", "devices": ["anna", "watch"]])
        let again = await desk.ask(.delete, "users/phil", as: desk.owner)
        #expect(again.status == 404 && again.body?["devices"] == nil)
    }

    @Test func `the last owner stays`() async throws {
        let desk = try TestAdministration()
        for answer in [
            await desk.ask(.delete, "users/owner", as: desk.owner),
            await desk.ask(.patch, "users/owner", ["state": "off"], as: desk.owner),
        ] {
            #expect(answer.status == 403)
            #expect(answer.body?["message"]?.string?.contains("nobody with 'own all'") == true)
        }
        let own = desk.registry.table.grants.first { $0.access == .own }
        let id = try #require(own?.id)
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.owner).status == 403)
        _ = try await desk.grant("all", "own")
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.owner).status == 204)
        #expect(await desk.ask(.get, "users", as: desk.owner).status == 403)
    }

    @Test func `groups of users and of things have members by name and by slug`() async throws {
        let desk = try TestAdministration()
        #expect(await desk.ask(.post, "groups", ["name": "staff"]).status == 201)
        #expect(await desk.ask(.post, "groups", ["name": "lights", "kind": "things"]).status == 201)
        #expect(await desk.ask(.post, "groups", ["name": "lights", "kind": "things"]).status == 403)
        #expect(await desk.ask(.post, "groups", ["name": "x", "kind": "zones"]).code == "invalid_value")
        #expect(await desk.ask(.post, "groups/staff/members", ["members": ["bob"]]).status == 204)
        let lamps: JSONValue = ["members": ["table-lamp", .string("\(TestAdministration.desk)")]]
        #expect(await desk.ask(.post, "groups/lights/members", lamps).status == 204)
        #expect(await desk.ask(.post, "groups/lights/members", ["members": ["nothing"]]).status == 404)
        #expect(await desk.ask(.post, "groups/staff/members", ["members": ["nobody-here"]]).status == 404)
        #expect(await desk.ask(.post, "groups/staff/members", ["members": [1]]).status == 400)
        let list = await desk.ask(.get, "groups")
        #expect(list.texts("name") == ["all", "lights", "staff"])
        #expect(list.rows[1]["members"] == ["desk-lamp", "table-lamp"])
        #expect(list.rows[2]["members"] == ["bob"])
        #expect(await desk.ask(.post, "groups/lights/leave", ["members": ["table-lamp"]]).status == 204)
        #expect(await desk.ask(.delete, "groups/staff").status == 204)
        #expect(await desk.ask(.delete, "groups/all").status == 403)
        #expect(await desk.ask(.delete, "groups/gone").status == 404)
    }

    @Test func `an unknown route and an unknown member are told`() async throws {
        let desk = try TestAdministration()
        #expect(await desk.ask(.get, "nothing").status == 404)
        #expect(await desk.ask(.patch, "users").status == 405)
        #expect(
            await desk.ask(.post, "users", ["nmae": "x"]).body?["message"]?.string?.contains("name") == true
        )
        #expect(await desk.ask(.post, "users", ["x"]).status == 400)
        #expect(await desk.ask(.post, "users").status == 400)
        #expect(await desk.ask(.post, "users", ["name": 7]).status == 400)
        #expect(await desk.ask(.get, "log", query: ["thign": "x"]).status == 400)
    }

    @Test func `a token is refused where none belongs, and not repeated; one in a row of the log is masked`()
        async throws
    {
        let desk = try TestAdministration()
        let token = "tlu_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"
        for (path, body) in [
            ("users", ["name": .string(token)]), ("tokens", ["user": "bob", "name": .string(token)]),
            ("grants", ["who": "bob", "scope": ["thing": .string(token)], "access": "own"]),
        ] as [(String, JSONValue)] {
            let answer = await desk.ask(.post, path, body, as: desk.owner)
            #expect(answer.status == 400)
            #expect(answer.body.map { !$0.text.contains("tlu_") } == true)
        }
        let signIn = await desk.ask(.post, "session", ["link": "tll_x"])
        #expect(signIn.body?["message"]?.string?.contains("where none belongs") == false)
        var entry = CommandLogEntry(
            at: TestAdministration.start,
            interface: "mqtt",
            caller: "user:bob",
            kind: token,
            state: "accepted"
        )
        (entry.source, entry.slug, entry.actions, entry.tx) = ("a/\(token)", token, "{\"\(token)\":1}", token)
        desk.registry.log(entry)
        let row = try #require(try desk.log().first { $0.caller == "user:bob" })
        #expect(
            [row.kind, row.source, row.slug, row.actions, row.tx] == [
                "***", "a/***", "***", "{\"***\":1}", "***",
            ]
        )
    }

    @Test func `the log is for who administers, and can be narrowed`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"], as: desk.owner)
        await desk.ask(.delete, "users/owner", as: desk.bob)
        let all = await desk.ask(.get, "log", as: desk.owner)
        #expect(all.texts("kind") == ["user add", "user rm"])
        #expect(all.texts("state") == ["accepted", "refused"])
        #expect(all.rows.first?["actions"] == ["name": "eve"])
        let bobs = await desk.ask(.get, "log", query: ["user": "bob"])
        #expect(bobs.texts("speaker") == ["user:bob"])
        #expect(await desk.ask(.get, "log", query: ["limit": "1"]).texts("kind") == ["user rm"])
        #expect(await desk.ask(.get, "log", query: ["since": "2999-01-01"]).rows.isEmpty)
        #expect(await desk.ask(.get, "log", query: ["since": "soon"]).status == 400)
        #expect(await desk.ask(.get, "log", query: ["limit": "0"]).status == 400)
        #expect(await desk.ask(.get, "log", query: ["before": "2"]).texts("kind") == ["user add"])
        for before in ["0", "-1", "x"] {
            let answer = await desk.ask(.get, "log", query: ["before": before])
            #expect(answer.code == "invalid_value" && answer.status == 400, "\(answer)")
        }
        #expect(await desk.ask(.get, "log", as: desk.bob).status == 403)
    }

    @Test func `what is gone is found by its identifier`() async throws {
        let desk = try TestAdministration()
        let gone = FlareID(high: 1, low: 99)
        for (number, target) in [TestAccounts.lamp, gone, gone].enumerated() {
            var entry = CommandLogEntry(
                at: TestAdministration.start + Int64(number),
                interface: "mqtt",
                caller: "user:bob",
                kind: "set",
                state: "accepted"
            )
            (entry.target, entry.slug) = ("\(target)", target == gone ? "old-lamp" : "table-lamp")
            desk.registry.log(entry)
        }
        func slugs(_ thing: String) async -> [String?] {
            await desk.ask(.get, "log", query: ["thing": thing]).texts("slug")
        }
        #expect(await slugs("\(gone)") == ["old-lamp", "old-lamp"])
        #expect(await slugs("old-lamp") == ["old-lamp", "old-lamp"])
        #expect(await slugs("table-lamp") == ["table-lamp"])
        #expect(await slugs("\(TestAccounts.lamp)") == ["table-lamp"])
        for unknown in ["tabel-lamp", "\(FlareID(high: 9, low: 9))"] {
            let answer = await desk.ask(.get, "log", query: ["thing": unknown])
            #expect(answer.status == 404, "nothing was ever called so: \(answer)")
        }
    }

    @Test func `the log is asked for by a user who is there or was, a user of this machine, or nobody`()
        async throws
    {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"], as: desk.owner)
        var act = CommandLogEntry(
            at: TestAdministration.start,
            interface: "command line",
            caller: "system:root",
            kind: "user add",
            state: "accepted"
        )
        desk.registry.log(act)
        act.caller = "user:gone"
        desk.registry.log(act)
        func ask(_ user: String) async -> AccountsResponse {
            await desk.ask(.get, "log", query: ["user": user])
        }
        for (user, caller) in [
            ("owner", "user:owner"), ("user:owner", "user:owner"), ("system:root", "system:root"),
            ("gone", "user:gone"),
        ] {
            #expect(await ask(user).texts("speaker") == [caller], "\(user)")
        }
        for user in ["eve", "nobody"] { #expect(await ask(user).status == 200, "\(user)") }
        let unknown = await ask("ownr")
        #expect(unknown.status == 404)
        #expect(unknown.body?["message"] == "there is no user \"ownr\"; did you mean \"owner\"?")
        #expect(await ask("system:rot").status == 404)
    }
}
