import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing
import Threading

struct SigningInAPITests {
    private let password: JSONValue = "correct horse"

    private func withPassword(_ desk: TestAdministration) async {
        await desk.ask(.put, "users/bob/password", ["password": password])
    }

    private func session(_ answer: AccountsResponse) -> String? {
        guard case .begin(let text)? = answer.session else { return nil }
        return text
    }

    @Test func `signing in begins a session, and signing out ends it`() async throws {
        let desk = try TestAdministration()
        await withPassword(desk)
        let answer = await desk.ask(.post, "session", ["user": "bob", "password": password], as: nil)
        #expect(answer.status == 200)
        #expect(answer.body == ["user": "bob", "display": "", "administers": false])
        let text = try #require(session(answer))
        #expect(desk.registry.identify(.session(text)) == .user(desk.home.bob))
        let sessions = await desk.ask(.get, "sessions", as: desk.bob, session: text)
        #expect(sessions.rows.map { $0["current"] } == [true])
        let presence = await desk.ask(.get, "session", as: desk.bob, session: text)
        #expect(presence.body?["user"] == "bob")
        let end = await desk.ask(.delete, "session", as: desk.bob, session: text)
        #expect(end.status == 204)
        #expect(end.session == .end)
        #expect(desk.registry.identify(.session(text)) == nil)
        #expect(try desk.log().map(\.kind) == ["user password", "sign in", "sign out"])
        #expect(try desk.log().allSatisfy { !"\($0)".contains(text) })
    }

    @Test func `a wrong name and a wrong password are the same to everybody`() async throws {
        let desk = try TestAdministration()
        await withPassword(desk)
        let answers = [
            await desk.ask(.post, "session", ["user": "bob", "password": "wrong password"], as: nil),
            await desk.ask(.post, "session", ["user": "eve", "password": password], as: nil),
            await desk.ask(.post, "session", ["user": "owner", "password": password], as: nil),
        ]
        #expect(Set(answers).count == 1)
        #expect(answers.first?.status == 401)
        await desk.ask(.patch, "users/bob", ["state": "off"])
        let off = await desk.ask(.post, "session", ["user": "bob", "password": password], as: nil)
        #expect(off.status == 403)
        #expect(off.session == nil)
    }

    @Test func `guessing is slowed down from one address, and not for others`() async throws {
        let desk = try TestAdministration()
        await withPassword(desk)
        let wrong: JSONValue = ["user": "bob", "password": "short"]
        for _ in 0..<5 { #expect(await desk.ask(.post, "session", wrong, as: nil).status == 401) }
        let limited = await desk.ask(.post, "session", ["user": "bob", "password": password], as: nil)
        #expect(limited.status == 429)
        #expect(limited.retryAfter == 60)
        let right: JSONValue = ["user": "bob", "password": password]
        #expect(await desk.ask(.post, "session", right, as: nil, from: "192.0.2.2").status == 200)
        desk.now.withLock { $0 += 60_000 }
        #expect(await desk.ask(.post, "session", right, as: nil).status == 200)
    }

    @Test func `a thousand sign-ins at once are refused, save those that may wait`() async throws {
        let desk = try TestAdministration()
        await withPassword(desk)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let user: JSONValue = ["user": .string("u\(number)"), "password": "some password"]
                    return await desk.ask(.post, "session", user, as: nil, from: "192.0.2.\(number % 250)")
                        .status
                }
            }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(Set(statuses.keys) == [401, 429])
        #expect(statuses[429, default: 0] > 900)
    }

    @Test func `an address of IPv6 counts by its network`() async throws {
        let desk = try TestAdministration()
        let wrong: JSONValue = ["user": "bob", "password": "short"]
        for number in 0..<5 {
            _ = await desk.ask(.post, "session", wrong, as: nil, from: "2001:db8:1:2::\(number + 1)")
        }
        #expect(await desk.ask(.post, "session", wrong, as: nil, from: "2001:db8:1:2:ffff::1").status == 429)
        #expect(await desk.ask(.post, "session", wrong, as: nil, from: "2001:db8:1:3::1").status == 401)
        for _ in 0..<5 { _ = await desk.ask(.post, "session", wrong, as: nil, from: "::ffff:192.0.2.9") }
        #expect(await desk.ask(.post, "session", wrong, as: nil, from: "192.0.2.9").status == 429)
    }

    @Test func `the first password needs no old one, and the next one does`() async throws {
        let desk = try TestAdministration()
        #expect(await desk.ask(.put, "me/password", ["new": "short"], as: desk.bob).status == 400)
        #expect(await desk.ask(.put, "me/password", ["new": password], as: desk.bob).status == 204)
        let other: JSONValue = "another horse"
        #expect(await desk.ask(.put, "me/password", ["new": other], as: desk.bob).status == 403)
        let wrong = await desk.ask(.put, "me/password", ["old": other, "new": other], as: desk.bob)
        #expect(wrong.status == 403)
        let signedIn = await desk.ask(.post, "session", ["user": "bob", "password": password], as: nil)
        let first = try #require(session(signedIn))
        let changed = await desk.ask(
            .put,
            "me/password",
            ["old": password, "new": other],
            as: desk.bob,
            session: first
        )
        #expect(changed.status == 204)
        #expect(desk.registry.identify(.session(first)) == nil)
        let second = try #require(session(changed))
        #expect(desk.registry.identify(.session(second)) == .user(desk.home.bob))
    }

    @Test func `a password of a megabyte costs nothing`() async throws {
        let desk = try TestAdministration()
        let long = JSONValue.string(String(repeating: "x", count: 1_000_000))
        #expect(await desk.ask(.post, "session", ["user": "bob", "password": long], as: nil).status == 401)
        #expect(await desk.ask(.put, "users/bob/password", ["password": long]).status == 400)
    }

    @Test func `tokens are shown once, speak for their user, and are removed`() async throws {
        let desk = try TestAdministration()
        let added = await desk.ask(.post, "tokens", ["name": "panel", "access": "read"], as: desk.bob)
        #expect(added.status == 201)
        let (id, text) = (
            try #require(added.body?["id"]?.string), try #require(added.body?["token"]?.string)
        )
        #expect(text.hasPrefix("tlu_"))
        #expect(desk.registry.identify(.token(text)) == .user(desk.home.bob, ceiling: .read))
        let rows = await desk.ask(.get, "tokens", as: desk.bob)
        #expect(rows.texts("name") == ["panel"])
        #expect(rows.texts("access") == ["read"])
        #expect(rows.texts("used") != [nil])
        #expect(!"\(rows)".contains(text))
        #expect(await desk.ask(.post, "tokens", ["name": "panel"], as: desk.bob).status == 403)
        #expect(
            await desk.ask(.post, "tokens", ["name": "old", "until": "2001-01-01"], as: desk.bob).status
                == 409
        )
        #expect(await desk.ask(.post, "tokens", ["name": "x"]).status == 400)
        let limited = Caller.user(desk.home.bob, ceiling: .read)
        #expect(await desk.ask(.post, "tokens", ["name": "more"], as: limited).status == 403)
        await desk.ask(.post, "users", ["name": "eve"])
        let eve = Caller.user(try desk.registry.table.requireID("eve"))
        #expect(await desk.ask(.delete, "tokens/\(id)", as: eve).status == 404)
        #expect(await desk.ask(.delete, "sessions/\(id)", as: desk.bob).status == 404)
        #expect(await desk.ask(.delete, "tokens/\(id)", as: desk.bob).status == 204)
        #expect(desk.registry.identify(.token(text)) == nil)
        #expect(try desk.log().allSatisfy { !"\($0)".contains(text) })
    }

    @Test func `a sign-in with the former password is refused although it was right when it was checked`()
        async throws
    {
        let desk = try TestAdministration()
        await withPassword(desk)
        let known = try desk.home.store.credentials(ofUser: "bob")?.password
        await desk.ask(.put, "users/bob/password", ["password": "another horse"])
        let store = desk.home.store
        #expect(
            code {
                _ = try store.addSession(
                    of: desk.home.bob,
                    name: "",
                    until: TestAdministration.start + 1000,
                    verified: .stored(known),
                    at: TestAdministration.start
                )
            } == "unauthenticated"
        )
        let hash = try #require(PasswordHash(of: Array("third horse".utf8)))
        #expect(
            code {
                try store.setPassword(
                    hash,
                    ofUser: "bob",
                    replacing: .stored(known),
                    by: desk.home.asBob.at(TestAdministration.start)
                )
            } == "unauthenticated"
        )
        #expect(await desk.ask(.get, "sessions", as: desk.bob).rows.isEmpty)
    }

    @Test func `whoever signs in with the former password while it changes gets no session that lasts`()
        async throws
    {
        let desk = try TestAdministration()
        await withPassword(desk)
        let old = password
        let sessions = await withTaskGroup(of: String?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let user: JSONValue = ["user": "bob", "password": old]
                    return session(await desk.ask(.post, "session", user, as: nil, from: "192.0.2.\(number)"))
                }
            }
            group.addTask {
                await desk.ask(.put, "users/bob/password", ["password": "another horse"])
                return nil
            }
            return await group.reduce(into: [String]()) { all, text in text.map { all.append($0) } }
        }
        for text in sessions { #expect(desk.registry.identify(.session(text)) == nil) }
        #expect(await desk.ask(.get, "sessions", as: desk.bob).rows.isEmpty)
    }

    @Test func `signing in over a session ends it`() async throws {
        let desk = try TestAdministration()
        await withPassword(desk)
        let user: JSONValue = ["user": "bob", "password": password]
        let first = try #require(session(await desk.ask(.post, "session", user, as: nil)))
        let wrong: JSONValue = ["user": "bob", "password": "wrong password"]
        _ = await desk.ask(.post, "session", wrong, as: desk.bob, session: first)
        #expect(desk.registry.identify(.session(first)) != nil)
        let second = try #require(
            session(await desk.ask(.post, "session", user, as: desk.bob, session: first))
        )
        #expect(desk.registry.identify(.session(first)) == nil)
        #expect(desk.registry.identify(.session(second)) != nil)
    }

    @Test func `what a removed token or session began is refused when it is stored`() async throws {
        let desk = try TestAdministration()
        let made = await desk.ask(.post, "tokens", ["name": "panel"], as: desk.bob).body
        let (token, id) = (try #require(made?["token"]?.string), try #require(made?["id"]?.string))
        try desk.registry.change { store in
            try store.removeSecret(id, by: .program(at: TestAdministration.start))
        }
        for (path, body) in [
            ("tokens", ["name": "other"]), ("contacts", ["name": "Aunt"]),
        ] as [(String, JSONValue)] {
            #expect(await desk.ask(.post, path, body, as: desk.bob, token: token).status == 401)
        }
        #expect(await desk.ask(.patch, "me", ["display": "Bob"], as: desk.bob, token: token).status == 401)
        #expect(await desk.ask(.get, "tokens", as: desk.bob).rows.isEmpty)
    }

    @Test func `contacts are everybody's own`() async throws {
        let desk = try TestAdministration()
        let contact: JSONValue = [
            "name": "Aunt", "email": "aunt@example.org", "phone": "+49 30 1", "channels": ["email", "sms"],
        ]
        let added = await desk.ask(.post, "contacts", contact, as: desk.bob)
        #expect(added.status == 201)
        let id = try #require(added.body?["id"]?.integer)
        let rows = await desk.ask(.get, "contacts", as: desk.bob)
        #expect(rows.texts("name") == ["Aunt"])
        #expect(rows.rows.first?["channels"] == ["email", "sms"])
        #expect(await desk.ask(.get, "contacts", query: ["user": "bob"], as: desk.owner).rows.count == 1)
        #expect(await desk.ask(.get, "contacts", as: desk.owner).rows.isEmpty)
        #expect(await desk.ask(.get, "contacts").status == 400)
        #expect(
            await desk.ask(.post, "contacts", ["name": "x", "channels": ["fax"]], as: desk.bob).status == 400
        )
        #expect(await desk.ask(.delete, "contacts/\(id)", as: desk.owner).status == 404)
        #expect(await desk.ask(.delete, "contacts/\(id)", as: desk.bob).status == 204)
    }
}
