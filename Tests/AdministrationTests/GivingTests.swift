import Accounts
import AccountsFixture
import Administration
import GRDB
import JSON
import People
import Testing
import Threading

/// Nobody gives more than they have, in time either.
struct GivingTests {
    private func ends(_ desk: TestAdministration, of who: String) -> [Int64?] {
        let table = desk.registry.table
        return table.grants.filter { table.name(of: $0.grantee) == who }.map(\.ends)
    }

    private func give(
        _ desk: TestAdministration,
        _ who: String,
        _ scope: String,
        _ access: String,
        as giver: Caller
    ) async
        -> AccountsResponse
    {
        await desk.ask(
            .post,
            "grants",
            ["who": .string(who), "scope": .string(scope), "access": .string(access)],
            as: giver
        )
    }

    @Test(arguments: ["zone:kitchen", "all"])
    func `who owns something until a date gives it until then`(scope: String) async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        let own: JSONValue = [
            "who": "bob", "scope": .string(scope), "access": "own", "ends": "2040-01-01T00:00:00Z",
        ]
        await desk.ask(.post, "grants", own, as: desk.owner)
        let end = ends(desk, of: "bob")
        for who in ["bob", "eve"] {
            #expect(await give(desk, who, scope, "own", as: desk.bob).status == 201)
            #expect(await give(desk, who, "thing:table-lamp", "write", as: desk.bob).status == 201)
        }
        let share: JSONValue = ["user": "eve", "thing": "desk-lamp", "ends": "2050-01-01T00:00:00Z"]
        #expect(await desk.ask(.post, "shares", share, as: desk.bob).status == 201)
        #expect(ends(desk, of: "bob") == end + end + end)
        #expect(ends(desk, of: "eve") == end + end + end)
        let late: JSONValue = [
            "who": "eve", "scope": "thing:table-lamp", "access": "read", "starts": "2045-01-01T00:00:00Z",
        ]
        #expect(await desk.ask(.post, "grants", late, as: desk.bob).status == 403)
    }

    @Test func `what was given goes with the right by which it was given, and on along the chain`()
        async throws
    {
        let desk = try TestAdministration()
        for name in ["eve", "ann"] { await desk.ask(.post, "users", ["name": .string(name)]) }
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        let own = try await desk.grant("zone:kitchen", "own")
        #expect(await give(desk, "bob", "thing:table-lamp", "own", as: desk.bob).status == 201)
        #expect(await give(desk, "eve", "thing:desk-lamp", "own", as: desk.bob).status == 201)
        #expect(await give(desk, "ann", "thing:desk-lamp", "write", as: eve).status == 201)
        await desk.ask(.post, "shares", ["user": "ann", "thing": "desk-lamp"], as: eve)
        #expect(desk.registry.table.grants.count == 8)
        #expect(await desk.ask(.delete, "grants/\(own)", as: desk.owner).status == 204)
        #expect(desk.registry.table.grants.count == 3)
    }

    @Test func `what was given by a group's right goes when its giver leaves, and not before`() async throws {
        let desk = try TestAdministration()
        for name in ["eve", "ann"] { await desk.ask(.post, "users", ["name": .string(name)]) }
        await desk.ask(.post, "groups", ["name": "staff"])
        await desk.ask(.post, "groups/staff/members", ["members": ["bob", "ann"]])
        #expect(await give(desk, "group:staff", "zone:kitchen", "own", as: .nobody).status == 201)
        for who in ["bob", "eve"] {
            #expect(await give(desk, who, "thing:table-lamp", "own", as: desk.bob).status == 201)
        }
        await desk.ask(.post, "groups/staff/leave", ["members": ["ann"]])
        #expect(ends(desk, of: "eve").count == 1 && ends(desk, of: "bob").count == 1)
        await desk.ask(.post, "groups/staff/leave", ["members": ["bob"]])
        #expect(ends(desk, of: "eve").isEmpty && ends(desk, of: "bob").isEmpty)
        // Joining again brings nothing back.
        await desk.ask(.post, "groups/staff/members", ["members": ["bob"]])
        #expect(ends(desk, of: "eve").isEmpty)
        #expect(await give(desk, "eve", "thing:table-lamp", "read", as: desk.bob).status == 201)
        await desk.ask(.delete, "groups/staff")
        #expect(ends(desk, of: "eve").isEmpty)
    }

    @Test func `what an administrator gave to others stays, and what they gave themselves does not`()
        async throws
    {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        await desk.ask(.post, "groups", ["name": "admins"])
        await desk.ask(.post, "groups/admins/members", ["members": ["bob"]])
        #expect(await give(desk, "group:admins", "all", "own", as: .nobody).status == 201)
        #expect(await give(desk, "bob", "all", "own", as: desk.bob).status == 201)
        #expect(await give(desk, "eve", "zone:kitchen", "write", as: desk.bob).status == 201)
        await desk.ask(.post, "groups/admins/leave", ["members": ["bob"]], as: desk.owner)
        #expect(ends(desk, of: "bob").isEmpty)
        #expect(ends(desk, of: "eve").count == 1)
    }

    @Test func `administration that ends changes nothing that has no end`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        await desk.ask(.post, "groups", ["name": "admins"])
        #expect(await give(desk, "group:admins", "all", "own", as: .nobody).status == 201)
        let own: JSONValue = ["who": "bob", "scope": "all", "access": "own", "ends": "2040-01-01T00:00:00Z"]
        await desk.ask(.post, "grants", own, as: desk.owner)
        for (method, path, body) in [
            (.post, "groups/admins/members", ["members": ["bob"]]),
            (.put, "users/owner/password", ["password": "correct horse"]),
            (.patch, "users/owner", ["email": "bob@example.org"]),
            (.post, "users", ["name": "ann", "group": "admins"]),
            // A token goes on when the right that made it is taken away, and an address gets messages.
            (.post, "tokens", ["user": "owner", "name": "t"]),
            (.post, "contacts", ["user": "owner", "name": "Bob", "email": "bob@example.org"]),
        ] as [(AccountsRequest.Method, String, JSONValue)] {
            #expect(await desk.ask(method, path, body, as: desk.bob).status == 403)
        }
        #expect(await desk.ask(.post, "users", ["name": "ann"], as: desk.bob).status == 201)
        #expect(try desk.home.store.secrets(ofUser: "owner", at: TestAdministration.start).isEmpty)
        // Their own are no concern of anybody else.
        #expect(await desk.ask(.post, "tokens", ["name": "t"], as: desk.bob).status == 201)
        #expect(await desk.ask(.post, "contacts", ["name": "Bob"], as: desk.bob).status == 201)
    }

    @Test func `an equal right is not given again`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        let own = try await desk.grant("zone:kitchen", "own")
        #expect(try await desk.grant("zone:kitchen", "own") == own)
        let first = await give(desk, "eve", "thing:table-lamp", "write", as: desk.bob)
        let second = await give(desk, "eve", "thing:table-lamp", "write", as: desk.bob)
        #expect(first.status == 201 && second.body == first.body)
        // The home's goes on without the giver's, so it is another one; so is another right.
        for (access, giver) in [("write", desk.owner), ("read", desk.bob)] {
            let other = await give(desk, "eve", "thing:table-lamp", access, as: giver)
            #expect(other.status == 201 && other.body != first.body)
        }
        #expect(ends(desk, of: "eve").count == 3)
    }

    @Test func `nobody uses up the rights that can be given`() throws {
        let home = try TestAccounts()
        let kitchen = Grant(id: 0, .user(home.bob), .own, .zone(TestAccounts.kitchen))
        _ = try home.store.addGrant(kitchen, by: .program(at: 3))
        func give(_ end: Int, by authority: Authority) -> String? {
            let grant = Grant(
                id: 0,
                .user(home.owner),
                .read,
                .thing(TestAccounts.lamp),
                ends: Int64(1000 + end)
            )
            return code { _ = try home.store.addGrant(grant, by: authority.at(4)) }
        }
        try home.store.atomically { _ in
            for end in 0..<500 { #expect(give(end, by: home.asBob) == nil) }
        }
        #expect(give(500, by: home.asBob) == "not_allowed")
        // One that is there is no new one.
        #expect(give(0, by: home.asBob) == nil)
        let count = try home.count("permission")
        try home.database.write { database in
            try database.execute(
                sql: "UPDATE permission SET giver = NULL WHERE giver IS NOT NULL AND share = 0"
            )
            for end in count..<9000 {
                try database.execute(
                    sql:
                        "INSERT INTO permission (grantee, scope, access, ends, share) VALUES (?, ?, 'read', ?, 0)",
                    arguments: ["user:\(home.owner)", "thing:\(TestAccounts.lamp)", end]
                )
            }
        }
        #expect(give(9001, by: home.asBob) == "not_allowed")
        #expect(give(9001, by: Authority(.user(home.owner), at: 4)) == nil)
    }

    @Test func `a token ends no later than the token or session that it is made with`() async throws {
        let desk = try TestAdministration()
        let first = await desk.ask(
            .post,
            "tokens",
            ["name": "first", "until": "2040-01-01T00:00:00Z"],
            as: desk.bob
        )
        let token = try #require(first.body?["token"]?.string)
        let second = await desk.ask(.post, "tokens", ["name": "second"], as: desk.bob, token: token)
        #expect(second.body?["until"] == "2040-01-01T00:00:00Z")
        let third: JSONValue = ["name": "third", "until": "2050-01-01T00:00:00Z"]
        #expect(
            await desk.ask(.post, "tokens", third, as: desk.bob, token: token).body?["until"]
                == "2040-01-01T00:00:00Z"
        )
        // It sets no password, with which one signs in for ever.
        #expect(
            await desk.ask(.put, "me/password", ["new": "correct horse"], as: desk.bob, token: token).status
                == 403
        )
        let session = try desk.registry.change { store in
            try store.addSession(
                of: desk.home.bob,
                name: "",
                until: TestAdministration.start + 5000,
                at: TestAdministration.start
            ).0
        }
        let fourth = await desk.ask(.post, "tokens", ["name": "fourth"], as: desk.bob, session: session.text)
        #expect(fourth.body?["until"] != .null && fourth.status == 201)
        let text = try #require(fourth.body?["token"]?.string)
        desk.now.withLock { $0 += 5000 }
        #expect(desk.registry.identify(.token(text)) == nil)
        #expect(desk.registry.identify(.token(token)) != nil)
    }

    @Test func `what a token with an end gives ends with it`() async throws {
        let desk = try TestAdministration()
        await desk.ask(.post, "users", ["name": "eve"])
        _ = try await desk.grant("zone:kitchen", "own")
        let made = await desk.ask(
            .post,
            "tokens",
            ["name": "t", "until": "2040-01-01T00:00:00Z"],
            as: desk.bob
        )
        let token = try #require(made.body?["token"]?.string)
        let grant: JSONValue = ["who": "eve", "scope": "thing:table-lamp", "access": "write"]
        #expect(await desk.ask(.post, "grants", grant, as: desk.bob, token: token).status == 201)
        #expect(ends(desk, of: "eve") == [2_208_988_800_000])
    }
}

/// The user of a listed device owns it without a grant.
struct DeviceGivingTests {
    private let anna: JSONValue = ["who": "eve", "scope": "device:anna", "access": "read"]

    /// A home whose device `anna` is bob's.
    private func desk() async throws -> TestAdministration {
        let desk = try TestAdministration()
        for name in ["eve", "ann"] { await desk.ask(.post, "users", ["name": .string(name)]) }
        list(["anna": "bob"], desk)
        return desk
    }

    private func list(
        _ owners: [String: String],
        hidden: [String: String] = [:],
        _ desk: TestAdministration
    ) {
        var settings = desk.registry.settings
        (settings.deviceOwners, settings.hiddenOwners) = (owners, hidden)
        desk.registry.use(settings)
    }

    private func sees(_ desk: TestAdministration, _ who: String, _ node: String = "anna") throws -> Bool {
        let table = desk.registry.table
        let user = Caller.user(try table.requireID(who))
        return table.verdict(of: user, .read, on: .device(node), at: TestAdministration.start).isGranted
    }

    @Test func `the user of a device gives rights on it, and on nothing else`() async throws {
        let desk = try await desk()
        let given = await desk.ask(.post, "grants", anna, as: desk.bob)
        #expect(given.status == 201)
        #expect(try sees(desk, "eve"))
        #expect(await desk.ask(.get, "me", as: desk.bob).body?["devices"] == ["anna"])
        // For bob, who may not see it, the lamp is not there.
        for (scope, status) in [
            ("device:wall", 403), ("devices", 403), ("all", 403), ("thing:table-lamp", 404),
        ] {
            let other: JSONValue = ["who": "eve", "scope": .string(scope), "access": "read"]
            #expect(await desk.ask(.post, "grants", other, as: desk.bob).status == status, "\(scope)")
        }
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        let further: JSONValue = ["who": "ann", "scope": "device:anna", "access": "read"]
        #expect(await desk.ask(.post, "grants", further, as: eve).status == 403)
        let limited = Caller.user(desk.home.bob, ceiling: .write)
        #expect(await desk.ask(.post, "grants", further, as: limited).status == 403)
        // Bob sees what he gave, and takes it away.
        let id = try #require(given.body?["id"]?.integer)
        #expect(await desk.ask(.get, "grants", as: desk.bob).rows.contains { $0["id"]?.integer == id })
        #expect(await desk.ask(.delete, "grants/\(id)", as: desk.bob).status == 204)
        #expect(try !sees(desk, "eve"))
    }

    @Test(arguments: [["anna": "ann"], [:]] as [[String: String]])
    func `what a device's user gave goes when the device is no longer theirs`(owners: [String: String])
        async throws
    {
        let desk = try await desk()
        let own: JSONValue = ["who": "eve", "scope": "device:anna", "access": "own"]
        #expect(await desk.ask(.post, "grants", own, as: desk.bob).status == 201)
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        let further: JSONValue = ["who": "ann", "scope": "device:anna", "access": "read"]
        #expect(await desk.ask(.post, "grants", further, as: eve).status == 201)
        // What an owner of the home gave stays.
        let homes: JSONValue = ["who": "eve", "scope": "device:anna", "access": "write"]
        #expect(await desk.ask(.post, "grants", homes, as: desk.owner).status == 201)
        // Nothing else that changes takes it away.
        await desk.ask(.post, "users", ["name": "zoe"])
        await desk.ask(.delete, "users/zoe")
        list(["anna": "bob", "watch": "bob"], desk)
        func given() -> [Access] {
            desk.registry.table.grants.filter { $0.scope == .device("anna") }.map(\.access)
        }
        #expect(given() == [.own, .read, .write])
        list(owners, desk)
        #expect(given() == [.write])
        // It does not come back.
        list(["anna": "bob"], desk)
        #expect(given() == [.write])
    }

    @Test func `what a device's user gave waits for a device that does not count for a while`() async throws {
        let desk = try await desk()
        #expect(await desk.ask(.post, "grants", anna, as: desk.bob).status == 201)
        list([:], hidden: ["anna": "bob"], desk)
        list(["anna": "bob"], desk)
        #expect(try sees(desk, "eve"))
        // Somebody else's device of that name counts.
        list(["anna": "ann"], hidden: ["anna": "bob"], desk)
        list(["anna": "bob"], desk)
        #expect(try !sees(desk, "eve"))
    }

    @Test func `what a device's user gave goes with them`() async throws {
        let desk = try await desk()
        #expect(await desk.ask(.post, "grants", anna, as: desk.bob).status == 201)
        #expect(await desk.ask(.delete, "users/bob", as: desk.owner).status == 204)
        #expect(try !sees(desk, "eve"))
    }

    @Test func `what a device's user gave is removed at the next start, too`() async throws {
        let desk = try await desk()
        #expect(await desk.ask(.post, "grants", anna, as: desk.bob).status == 201)
        // A program that does not know the list leaves it alone.
        #expect(try desk.home.registry().table.grants.contains { $0.scope == .device("anna") })
        var settings = AccountsRegistry.Settings()
        settings.deviceOwners = ["anna": "ann"]
        #expect(try !desk.home.registry(settings).table.grants.contains { $0.scope == .device("anna") })
    }
}
