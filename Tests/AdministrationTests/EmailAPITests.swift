import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing
import Threading

struct EmailAPITests {
    private let eve: JSONValue = ["user": "eve", "email": "eve@example.org", "password": "correct horse"]
    private let mallory: JSONValue = [
        "user": "mallory", "email": "mallory@example.org", "password": "correct horse",
    ]

    /// The next message, once it is sent.
    private func message(_ desk: TestAdministration, after count: Int = 0) async -> EmailMessage? {
        for _ in 0..<2000 {
            if let message = desk.emails.withLock({ $0.dropFirst(count).first }) { return message }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    /// A row of the log, once it is written.
    private func logRow(_ desk: TestAdministration, _ kind: String, _ state: String) async throws
        -> CommandLogEntry?
    {
        for _ in 0..<2000 {
            if let row = try desk.log().first(where: { $0.kind == kind && $0.state == state }) { return row }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    private func token(_ message: EmailMessage) -> JSONValue {
        let rest = message.text.components("token=")
        return .string(String(rest.prefix { !$0.isWhitespace }))
    }

    @Test func `nobody signs up and no email message is sent where that is off`() async throws {
        let desk = try TestAdministration()
        #expect(await desk.ask(.post, "sign-up", eve, as: nil).status == 403)
        #expect(await desk.ask(.post, "forgot", ["user": "bob"], as: nil).status == 403)
        #expect(await desk.ask(.get, "session", as: nil).body?["canSignUp"] == false)
    }

    @Test(arguments: [AccountsAPI.Settings.SignUp.verified, .approved])
    func `who signs up verifies the address with the link, once`(signUp: AccountsAPI.Settings.SignUp)
        async throws
    {
        let desk = try TestAdministration.withEmail(signUp)
        let answer = await desk.ask(.post, "sign-up", eve, as: nil)
        #expect(answer.status == 202)
        let message = try #require(await message(desk))
        #expect(message.to == "eve@example.org")
        #expect(message.kind == .verify)
        #expect(message.text.contains("https://panel.example/verify?token="))
        #expect(message.expires == TestAdministration.start + 86_400_000)
        #expect(desk.registry.table.user(named: "eve")?.state == .pending)
        let signIn: JSONValue = ["user": "eve", "password": "correct horse"]
        #expect(await desk.ask(.post, "session", signIn, as: nil).status == 403)
        let used = await desk.ask(.post, "verify", ["token": token(message)], as: nil)
        #expect(used.body?["kind"] == "verify")
        #expect(used.body?["user"] == "eve")
        let again = await desk.ask(.post, "verify", ["token": token(message)], as: nil)
        #expect(again.status == 403)
        if signUp == .approved {
            #expect(await desk.ask(.post, "session", signIn, as: nil).status == 403)
            await desk.ask(.patch, "users/eve", ["state": "active"], as: desk.owner)
        }
        #expect(await desk.ask(.post, "session", signIn, as: nil).status == 200)
        // The same answer, whether or not there is such a user.
        #expect(await desk.ask(.post, "sign-up", eve, as: nil) == answer)
        #expect(try desk.log().allSatisfy { !"\($0)".contains("correct horse") })
    }

    @Test func `nobody signs up as the user of a listed device`() async throws {
        let desk = try TestAdministration.withEmail()
        let answer = await desk.ask(.post, "sign-up", mallory, as: nil)
        _ = try #require(await message(desk))
        var settings = desk.registry.settings
        settings.listedUsers = ["eve"]
        desk.registry.use(settings)
        // The answer does not tell whose devices are listed.
        #expect(await desk.ask(.post, "sign-up", eve, as: nil) == answer)
        let row = try #require(try await logRow(desk, "sign up", "refused"))
        #expect(row.code == "not_allowed")
        #expect(desk.registry.table.user(named: "eve") == nil)
        #expect(desk.emails.withLock { $0.count } == 1)
        // An administrator decides who gets this name.
        #expect(await desk.ask(.post, "users", ["name": "eve"], as: desk.owner).status == 201)
    }

    @Test func `who signed up before the list of devices named them waits for an owner`() async throws {
        let desk = try TestAdministration.withEmail()
        _ = await desk.ask(.post, "sign-up", eve, as: nil)
        let message = try #require(await message(desk))
        var settings = desk.registry.settings
        settings.listedUsers = ["eve"]
        desk.registry.use(settings)
        let used = await desk.ask(.post, "verify", ["token": token(message)], as: nil)
        #expect(used.status == 200 && used.body?["state"] == "pending", "\(used)")
        #expect(desk.registry.table.user(named: "eve")?.state == .pending)
        await desk.ask(.patch, "users/eve", ["state": "active"], as: desk.owner)
        #expect(desk.registry.table.user(named: "eve")?.state == .active)
    }

    @Test(
        arguments: [
            ["user": "a/b", "email": "e@example.org", "password": "correct horse"],
            ["user": "eve", "email": "no address", "password": "correct horse"],
            ["user": "eve", "email": "", "password": "correct horse"],
            ["user": "eve", "email": "-oQ/tmp@example.org", "password": "correct horse"],
            ["user": "eve", "email": "eve@-example.org", "password": "correct horse"],
            ["user": "eve", "email": "eve@example.org\r\nBcc: x@y", "password": "correct horse"],
            ["user": "eve", "email": "eve@example.org,x@example.org", "password": "correct horse"],
            ["user": "eve", "email": "|sh@example.org", "password": "correct horse"],
            ["user": "eve", "email": "e@example.org", "password": "short"],
            ["user": "eve", "email": "e@example.org"],
        ] as [JSONValue]
    )
    func `a form that cannot be is refused`(form: JSONValue) async throws {
        let desk = try TestAdministration.withEmail()
        #expect(await desk.ask(.post, "sign-up", form, as: nil).status == 400)
    }

    @Test func `a forgotten password is set by a link, once, and ends all sessions`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        await desk.ask(.put, "users/bob/password", ["password": "correct horse"])
        let signIn = await desk.ask(.post, "session", ["user": "bob", "password": "correct horse"], as: nil)
        guard case .begin(let session)? = signIn.session else { throw AccessTable.Missing() }
        let unknown = await desk.ask(.post, "forgot", ["user": "nobody-here"], as: nil)
        let known = await desk.ask(.post, "forgot", ["user": "Bob@example.org"], as: nil)
        #expect(unknown == known)
        #expect(known.status == 202)
        let message = try #require(await message(desk))
        #expect(message.kind == .reset)
        #expect(message.to == "bob@example.org")
        let link = token(message)
        #expect(await desk.ask(.post, "verify", ["token": link], as: nil).status == 400)
        #expect(await desk.ask(.post, "verify", ["token": link, "password": "short"], as: nil).status == 400)
        let reset = await desk.ask(.post, "verify", ["token": link, "password": "another horse"], as: nil)
        #expect(reset.body?["kind"] == "reset")
        #expect(desk.registry.identify(.session(session)) == nil)
        #expect(
            await desk.ask(.post, "verify", ["token": link, "password": "third horse"], as: nil).status == 403
        )
        let after = await desk.ask(.post, "session", ["user": "bob", "password": "another horse"], as: nil)
        #expect(after.status == 200)
        #expect(desk.emails.withLock { $0.count } == 1)
    }

    @Test func `a link is of no use when it is old, cut or something else`() async throws {
        let desk = try TestAdministration.withEmail()
        _ = await desk.ask(.post, "sign-up", eve, as: nil)
        let link = token(try #require(await message(desk)))
        for text in ["", "x", String((link.string ?? "").dropLast()), (link.string ?? "") + "A"] {
            #expect(await desk.ask(.post, "verify", ["token": .string(text)], as: nil).status == 403)
        }
        desk.now.withLock { $0 += 86_400_000 }
        #expect(await desk.ask(.post, "verify", ["token": link], as: nil).status == 403)
    }

    @Test func `another address counts once its link is opened`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        func email() async -> String? { await desk.ask(.get, "me", as: desk.bob).body?["email"]?.string }
        let change: JSONValue = ["email": "new@example.org", "display": "Bob"]
        let answer = await desk.ask(.patch, "me", change, as: desk.bob)
        #expect(answer.status == 200)
        #expect(answer.body?["waiting"] == "new@example.org")
        #expect(answer.body?["display"] == "Bob")
        #expect(await email() == "bob@example.org")
        // A forgotten password is sent to the address that counts.
        await desk.ask(.post, "forgot", ["user": "bob"], as: nil)
        _ = await desk.ask(.post, "forgot", ["user": "new@example.org"], as: nil)
        let first = try #require(await message(desk))
        #expect(first.to == "new@example.org" && first.kind == .email)
        #expect(try #require(await message(desk, after: 1)).to == "bob@example.org")
        let used = await desk.ask(.post, "verify", ["token": token(first)], as: nil)
        #expect(used.body?["kind"] == "email")
        #expect(await email() == "new@example.org")
        #expect(await desk.ask(.post, "verify", ["token": token(first)], as: nil).status == 403)
        // Taking the address away needs no link.
        #expect(await desk.ask(.patch, "me", ["email": ""], as: desk.bob).status == 200)
        #expect(await email() == "")
    }

    @Test func `another address that waits ends with the password`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "me", ["email": "eve@example.org"], as: desk.bob)
        let message = try #require(await message(desk))
        await desk.ask(.put, "users/bob/password", ["password": "another horse"])
        #expect(await desk.ask(.post, "verify", ["token": token(message)], as: nil).status == 403)
        #expect(await desk.ask(.get, "me", as: desk.bob).body?["email"] == "")
    }

    @Test func `a second request leaves the link of the first valid`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        await desk.ask(.post, "forgot", ["user": "bob"], as: nil)
        let first = try #require(await message(desk))
        await desk.ask(.post, "forgot", ["user": "bob"], as: nil, from: "192.0.2.66")
        let second = try #require(await message(desk, after: 1))
        let reset: JSONValue = ["token": token(first), "password": "another horse"]
        #expect(await desk.ask(.post, "verify", reset, as: nil).status == 200)
        // The password is set: the other link has nothing left to do.
        let again: JSONValue = ["token": token(second), "password": "third horse 3"]
        #expect(await desk.ask(.post, "verify", again, as: nil).status == 403)
    }

    @Test func `a name and its address have one limit`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        for number in 0..<12 {
            let word: JSONValue = number.isMultiple(of: 2) ? "bob" : "Bob@Example.org"
            await desk.ask(.post, "forgot", ["user": word], as: nil, from: "192.0.2.\(number)")
        }
        _ = await message(desk, after: 4)
        // Another user's message comes after all of these.
        await desk.ask(.patch, "users/owner", ["email": "owner@example.org"])
        await desk.ask(.post, "forgot", ["user": "owner"], as: nil, from: "192.0.2.99")
        _ = await message(desk, after: 5)
        #expect(desk.emails.withLock { $0.count { $0.to == "bob@example.org" } } == 5)
    }

    @Test func `five messages an hour go to a name`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        for number in 0..<8 {
            let answer = await desk.ask(.post, "forgot", ["user": "bob"], as: nil, from: "192.0.2.\(number)")
            #expect(answer.status == 202)
        }
        _ = await message(desk, after: 4)
        #expect(desk.emails.withLock { $0.count } == 5)
    }
}

extension String {
    /// What follows the first occurrence of a text.
    fileprivate func components(_ separator: String) -> Substring {
        var rest = self[...]
        while !rest.isEmpty, !rest.hasPrefix(separator) { rest = rest.dropFirst() }
        return rest.dropFirst(separator.count)
    }
}
