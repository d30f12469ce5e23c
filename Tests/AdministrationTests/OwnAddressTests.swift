import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing
import Threading

/// The address is who an account belongs to, as its password is: a forgotten password is set by it.
struct OwnAddressTests {
    private let theirs: JSONValue = ["email": "eve@example.org"]

    private func email(_ desk: TestAdministration) async -> String? {
        await desk.ask(.get, "me", as: desk.bob).body?["email"]?.string
    }

    @Test func `a token that ends or allows less changes no address`() async throws {
        let desk = try TestAdministration.withEmail()
        await desk.ask(.patch, "users/bob", ["email": "bob@example.org"])
        let end: JSONValue = ["name": "t", "until": "2040-01-01T00:00:00Z"]
        let made = await desk.ask(.post, "tokens", end, as: desk.bob)
        let token = try #require(made.body?["token"]?.string)
        for body in [theirs, ["email": ""]] {
            #expect(await desk.ask(.patch, "me", body, as: desk.bob, token: token).status == 403)
        }
        let limited = Caller.user(desk.home.bob, ceiling: .write)
        #expect(await desk.ask(.patch, "me", theirs, as: limited).status == 403)
        #expect(desk.emails.withLock { $0.isEmpty })
        #expect(await email(desk) == "bob@example.org")
        // The name that others see is none, and neither is the address of now.
        let same: JSONValue = ["display": "Bob", "email": "bob@example.org"]
        #expect(await desk.ask(.patch, "me", same, as: desk.bob, token: token).status == 200)
    }

    @Test func `an administrator with a token that ends does not change their own address as a user's`()
        async throws
    {
        let desk = try TestAdministration()
        let end: JSONValue = ["name": "t", "until": "2040-01-01T00:00:00Z"]
        let made = await desk.ask(.post, "tokens", end, as: desk.owner)
        let token = try #require(made.body?["token"]?.string)
        let answer = await desk.ask(.patch, "users/owner", theirs, as: desk.owner, token: token)
        #expect(answer.status == 403)
    }

    @Test(arguments: [true, false])
    func `who has a password must know it for another address`(withEmail: Bool) async throws {
        let desk = withEmail ? try TestAdministration.withEmail() : try TestAdministration()
        await desk.ask(.put, "users/bob/password", ["password": "correct horse"])
        let session = try desk.registry.change { store in
            try store.addSession(
                of: desk.home.bob,
                name: "",
                until: TestAdministration.start + 5000,
                at: TestAdministration.start
            ).0.text
        }
        func change(_ old: String?) async -> AccountsResponse {
            let body: JSONValue = ["email": "new@example.org", "old": old.map { .string($0) } ?? .null]
            return await desk.ask(.patch, "me", body, as: desk.bob, session: session)
        }
        #expect(await change(nil).status == 403)
        #expect(await change("wrong horse").status == 403)
        // Nobody has a longer one, whether it is asked for or not.
        let long = JSONValue.string(String(repeating: "x", count: 1025))
        let renaming = await desk.ask(.patch, "me", ["display": "B", "old": long], as: desk.bob)
        #expect(renaming.status == 403)
        #expect(await email(desk)?.isEmpty == true)
        #expect(desk.emails.withLock { $0.isEmpty })
        #expect(await change("correct horse").status == 200)
        #expect(desk.emails.withLock { $0.count } == (withEmail ? 1 : 0))
        #expect(await email(desk) == (withEmail ? "" : "new@example.org"))
        // Guesses count as those of a sign-in.
        for _ in 0..<5 { _ = await change("wrong horse") }
        #expect(await change("wrong horse").status == (withEmail ? 429 : 200))
    }
}
