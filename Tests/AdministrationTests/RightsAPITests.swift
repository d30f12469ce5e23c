import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing

struct RightsAPITests {
    @Test func `a grant is given by slug, listed, checked and taken away`() async throws {
        let desk = try TestAdministration()
        let added = await desk.ask(
            .post,
            "grants",
            ["who": "bob", "scope": "thing:table-lamp", "access": "write", "ends": "2040-01-01T00:00:00Z"],
            as: desk.owner
        )
        #expect(added.status == 201)
        let id = try #require(added.body?["id"]?.integer)
        let list = await desk.ask(.get, "grants", query: ["of": "bob"], as: desk.owner)
        #expect(list.rows.count == 1)
        let row = list.rows.first
        #expect(row?["scope"] == "thing:table-lamp")
        #expect(row?["scopeId"]?.string == "thing:\(TestAccounts.lamp)")
        #expect(row?["ends"] == "2040-01-01T00:00:00Z")
        #expect(row?["giver"] == "owner")
        #expect(row?["who"] == "bob")
        func check(_ at: String? = nil) async -> String? {
            var query = ["user": "bob", "scope": "thing:table-lamp", "access": "write"]
            query["at"] = at
            return await desk.ask(.get, "grants/check", query: query).body?["text"]?.string
        }
        #expect(await check() == "granted by \(id)")
        #expect(await check("2040-01-01T00:00:00Z") == "refused: expired 2040-01-01T00:00:00Z")
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.owner).status == 204)
        #expect(await check() == "refused: no grant")
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.owner).status == 404)
        #expect(await desk.ask(.delete, "grants/x", as: desk.owner).status == 404)
    }

    @Test(
        arguments: [
            (["who": "bob", "scope": "thing:gone", "access": "read"], 404),
            (["who": "bob", "scope": "thing", "access": "read"], 400),
            (["who": "bob", "scope": "group:none", "access": "read"], 404),
            (["who": "eve", "scope": "all", "access": "read"], 404),
            (["who": "group:none", "scope": "all", "access": "read"], 404),
            (["who": "bob", "scope": "all", "access": "fly"], 400),
            (["who": "bob", "scope": "all"], 400),
            (
                [
                    "who": "bob", "scope": "all", "access": "read", "starts": "2030-01-02",
                    "ends": "2030-01-01",
                ], 409
            ),
            (["who": "bob", "scope": "all", "access": "read", "ends": "tomorrow"], 400),
        ] as [(JSONValue, Int)]
    )
    func `grants that cannot be are refused`(body: JSONValue, status: Int) async throws {
        let desk = try TestAdministration()
        #expect(await desk.ask(.post, "grants", body, as: desk.owner).status == status)
    }

    @Test func `a right of a device that is not there is given with a warning`() async throws {
        let desk = try TestAdministration()
        func give(_ scope: String, as caller: Caller) async -> (status: Int, warning: String?) {
            let body: JSONValue = ["who": "bob", "scope": .string(scope), "access": "read"]
            let answer = await desk.ask(.post, "grants", body, as: caller)
            return (answer.status, answer.body?["warning"]?.string)
        }
        // Nobody learns by it which devices there are.
        _ = try await desk.grant("device:hall", "own")
        let unseen = await give("device:hall", as: desk.bob)
        #expect(unseen.warning == #"there is no device "hall""#, "\(unseen)")
        let misspelt = await give("device:ann", as: desk.owner)
        #expect(misspelt.status == 201)
        #expect(misspelt.warning == #"there is no device "ann"; did you mean "anna"?"#)
        let known = await give("device:anna", as: desk.owner)
        #expect(known.status == 201 && known.warning == nil)
        #expect(await give("devices", as: desk.owner).warning == nil)
        let query = ["user": "bob", "scope": "device:wal", "access": "own"]
        let check = await desk.ask(.get, "grants/check", query: query)
        #expect(
            check.body?["text"] == #"refused: no grant; there is no device "wal"; did you mean "wall"?"#,
            "\(check)"
        )
        // Who may not see the device learns nothing.
        await desk.ask(.post, "users", ["name": "eve"])
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        for node in ["wall", "wal"] {
            let query = ["user": "eve", "scope": "device:\(node)", "access": "read"]
            let check = await desk.ask(.get, "grants/check", query: query, as: eve)
            #expect(check.body?["text"] == "refused: no grant", "\(check)")
        }
    }

    @Test func `who owns a zone gives rights in it, and sees no others`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        let bob = try await desk.grant("zone:kitchen", "own")
        let inside: JSONValue = ["who": "eve", "scope": "thing:table-lamp", "access": "read"]
        let given = await desk.ask(.post, "grants", inside, as: desk.bob)
        #expect(given.status == 201)
        let id = try #require(given.body?["id"]?.integer)
        let outside: JSONValue = ["who": "eve", "scope": "environment:home", "access": "read"]
        #expect(await desk.ask(.post, "grants", outside, as: desk.bob).status == 404)
        #expect(
            await desk.ask(
                .post,
                "grants",
                ["who": "eve", "scope": "devices", "access": "read"],
                as: desk.bob
            ).status == 403
        )
        let seen = await desk.ask(.get, "grants", as: desk.bob).rows.compactMap { $0["id"]?.integer }
        #expect(seen == [bob, id])
        // The owner's grants are not there.
        let others = await desk.ask(.get, "grants", query: ["of": "owner"], as: desk.bob)
        #expect(others.rows.isEmpty)
        #expect(await desk.ask(.delete, "grants/1", as: desk.bob).status == 404)
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.bob).status == 204)
        let asked = ["user": "eve", "scope": "thing:table-lamp", "access": "read"]
        #expect(await desk.ask(.get, "grants/check", query: asked, as: desk.bob).status == 200)
    }

    @Test(
        arguments: [
            ("grants", ["who": "bob", "scope": "all", "access": "read", "ends": "2020-01-01"]),
            ("shares", ["user": "bob", "thing": "table-lamp", "ends": "2020-01-01"]),
            ("tokens", ["user": "bob", "name": "panel", "until": "2020-01-01"]),
        ] as [(String, JSONValue)]
    )
    func `what would have ended already is refused`(kind: String, body: JSONValue) async throws {
        let answer = await (try TestAdministration()).ask(.post, kind, body)
        #expect(answer.status == 409)
        let message = answer.body?["message"]?.string ?? ""
        #expect(message == "the end must be in the future (is 2020-01-01T00:00:00Z)")
    }

    @Test func `a scope without its kind is refused with the whole one`() async throws {
        let desk = try TestAdministration()
        let grant: JSONValue = ["who": "bob", "scope": "kitchen", "access": "write"]
        let message = await desk.ask(.post, "grants", grant, as: desk.owner).body?["message"]?.string
        #expect(message?.hasSuffix("did you mean \"zone:kitchen\"?") == true)
    }

    @Test func `what may not be seen is not there`() async throws {
        let desk = try TestAdministration()
        _ = try await desk.grant("thing:table-lamp", "read")
        func add(_ scope: String) async -> AccountsResponse {
            await desk.ask(
                .post,
                "grants",
                ["who": "nobody-knows", "scope": .string(scope), "access": "read"],
                as: desk.bob
            )
        }
        #expect(await add("thing:table-lamp").status == 403)
        let hidden = await add("thing:desk-lamp")
        #expect(hidden.body?["message"] == "there is no thing \"desk-lamp\"")
        // A hint names only what may be seen.
        #expect(await add("thing:dask-lamp").body?["message"] == "there is no thing \"dask-lamp\"")
        let near = await add("thing:tible-lamp").body?["message"]
        #expect(near == "there is no thing \"tible-lamp\"; did you mean \"table-lamp\"?")
        let own = ["user": "bob", "scope": "thing:desk-lamp", "access": "read"]
        #expect(await desk.ask(.get, "grants/check", query: own, as: desk.bob).status == 404)
    }

    @Test func `a share counts once it is accepted, and only its people see it`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        _ = try await desk.grant("thing:table-lamp", "own")
        let shared = await desk.ask(.post, "shares", ["user": "eve", "thing": "table-lamp"], as: desk.bob)
        #expect(shared.status == 201)
        let id = try #require(shared.body?["id"]?.integer)
        let mine = await desk.ask(.get, "shares", as: eve)
        #expect(mine.texts("thing") == ["table-lamp"])
        #expect(mine.texts("user") == ["eve"])
        #expect(mine.rows.first?["accepted"] == .null)
        #expect(await desk.ask(.post, "shares/\(id)/accept", as: desk.bob).status == 404)
        #expect(await desk.ask(.post, "shares/\(id)/accept", as: eve).status == 204)
        let query = ["user": "eve", "scope": "thing:table-lamp", "access": "read"]
        #expect(await desk.ask(.get, "grants/check", query: query).body?["granted"] == true)
        let again: JSONValue = ["user": "eve", "thing": "table-lamp", "access": "write"]
        #expect(await desk.ask(.post, "shares", again, as: desk.bob).body?["id"]?.integer == id)
        // What was accepted stays, and the rest waits.
        #expect(await desk.ask(.get, "grants/check", query: query).body?["granted"] == true)
        let more = query.merging(["access": "write"]) { $1 }
        #expect(
            await desk.ask(.get, "grants/check", query: more).body?["text"]
                == "refused: the share is not accepted yet"
        )
        let row = await desk.ask(.get, "shares", as: eve).rows.first
        #expect(row?["accepted"] == .null && row?["kept"] == "read")
        #expect(await desk.ask(.post, "shares/\(id)/accept", as: eve).status == 204)
        #expect(await desk.ask(.get, "grants/check", query: more).body?["granted"] == true)
        #expect(
            await desk.ask(.post, "shares", ["user": "bob", "thing": "table-lamp"], as: desk.bob).status
                == 403
        )
        #expect(
            await desk.ask(
                .post,
                "shares",
                ["user": "eve", "thing": "table-lamp", "access": "own"],
                as: desk.bob
            ).status == 400
        )
        // Grants are no shares.
        let grant = try await desk.grant("thing:desk-lamp", "read")
        #expect(await desk.ask(.delete, "shares/\(grant)").status == 404)
        #expect(await desk.ask(.delete, "shares/\(id)", as: eve).status == 204)
        #expect(await desk.ask(.get, "shares", as: eve).rows.isEmpty)
    }

    @Test func `who can see what they have`() async throws {
        let desk = try TestAdministration()
        let id = try await desk.grant("thing:table-lamp", "own")
        let me = await desk.ask(.get, "me", as: desk.bob).body
        #expect(me?["name"] == "bob")
        #expect(me?["administers"] == false)
        #expect(me?["owns"] == true)
        #expect(me?["rights"]?.array?.compactMap { $0["id"]?.integer } == [id])
        let owner = await desk.ask(.get, "me", as: desk.owner).body
        #expect(owner?["administers"] == true)
        #expect(await desk.ask(.get, "me").status == 403)
        #expect(await desk.ask(.patch, "me", ["display": "Bob"], as: desk.bob).body?["display"] == "Bob")
        #expect(await desk.ask(.patch, "me", ["email": "no address"], as: desk.bob).status == 400)
        let limited = Caller.user(desk.home.bob, ceiling: .read)
        #expect(await desk.ask(.get, "me", as: limited).status == 200)
        let refused = await desk.ask(.patch, "me", ["display": "x"], as: limited)
        #expect(refused.status == 403)
        #expect(
            refused.body?["message"]?.string?.contains("no more than read is allowed with this token") == true
        )
        #expect(await desk.ask(.put, "me/password", ["new": "0123456789"], as: limited).status == 403)
    }

    @Test func `a name that a hidden thing has too means the one that may be seen`() async throws {
        let desk = try TestAdministration()
        _ = try await desk.grant("thing:table-lamp", "read")
        func check(_ access: String, as caller: Caller) async -> AccountsResponse {
            let query = ["user": "bob", "scope": "thing:Lamp", "access": access]
            return await desk.ask(.get, "grants/check", query: query, as: caller)
        }
        #expect(await check("read", as: desk.bob).body?["granted"] == true)
        let several = await check("read", as: desk.owner)
        #expect(several.status == 400)
        #expect(several.body?["message"] == #"several are called "Lamp": desk-lamp, table-lamp"#)
    }
}
