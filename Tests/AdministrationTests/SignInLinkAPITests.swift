import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing
import Threading

/// The links that `trilateral sign-in` prints.
struct SignInLinkAPITests {
    private func desk() throws -> TestAdministration {
        let desk = try TestAdministration()
        desk.registry.servePage(at: "http://127.0.0.1:8080")
        return desk
    }

    /// The secret in the address of an answer.
    private func link(_ answer: AccountsResponse) throws -> JSONValue {
        let url = try #require(answer.body?["url"]?.string)
        let start = "http://127.0.0.1:8080/sign-in?link="
        #expect(url.hasPrefix(start + "tll_"))
        return .string(String(url.dropFirst(start.count).prefix { $0 != "&" }))
    }

    private func signIn(_ link: JSONValue, _ desk: TestAdministration, session: String? = nil) async
        -> AccountsResponse
    {
        await desk.ask(.post, "session", ["link": link], as: nil, session: session)
    }

    private func session(_ answer: AccountsResponse) -> String? {
        guard case .begin(let text)? = answer.session else { return nil }
        return text
    }

    @Test func `a link signs in the owner once, with all rights, and is in the log without its secret`()
        async throws
    {
        let desk = try desk()
        let made = await desk.ask(.post, "sign-in-links")
        #expect(made.status == 201 && made.body?["user"] == "owner")
        #expect(made.body?["url"]?.string?.hasSuffix("&next=admin") == true)
        let link = try link(made)
        let answer = await signIn(link, desk)
        #expect(answer.status == 200 && answer.body?["administers"] == true)
        let text = try #require(session(answer))
        #expect(desk.registry.identify(.session(text)) == .user(desk.home.owner))
        let again = await signIn(link, desk)
        #expect(again.status == 403 && again.session == nil)
        let log = try desk.log()
        #expect(log.map(\.kind) == ["sign-in link add", "sign in", "sign in"])
        #expect(log.map(\.state).last == "refused" && log.map(\.target) == ["owner", "owner", nil])
        #expect(log.allSatisfy { !"\($0)".contains(link.string ?? "") })
        #expect(try desk.home.count("secret") == 1)
    }

    @Test func `a link counts for ten minutes, and a new one ends it`() async throws {
        let desk = try desk()
        let first = try link(await desk.ask(.post, "sign-in-links"))
        let second = try link(await desk.ask(.post, "sign-in-links"))
        #expect(await signIn(first, desk).status == 403)
        desk.now.withLock { $0 += 600_000 }
        #expect(await signIn(second, desk).status == 403)
    }

    @Test func `a link is for a user who is active, and leads to the own account`() async throws {
        let desk = try desk()
        let made = await desk.ask(.post, "sign-in-links", ["user": "bob"])
        #expect(made.body?["url"]?.string?.hasSuffix("&next=me") == true)
        #expect(await desk.ask(.post, "sign-in-links", ["user": "eve"]).status == 404)
        #expect(try !"\(desk.log())".contains("eve"))
        await desk.ask(.patch, "users/bob", ["state": "off"])
        #expect(await desk.ask(.post, "sign-in-links", ["user": "bob"]).status == 403)
        #expect(await signIn(try link(made), desk).status == 403)
    }

    @Test func `without an owner of the configured name the link is for one who administers`() async throws {
        var settings = AccountsAPI.Settings()
        settings.owner = "boss"
        let desk = try TestAdministration(settings)
        #expect(await desk.ask(.post, "sign-in-links").status == 403, "no page is served")
        desk.registry.servePage(at: "http://127.0.0.1:8080")
        #expect(await desk.ask(.post, "sign-in-links").body?["user"] == "owner")
    }

    @Test func `only the daemon's own user makes links, and they are no links of messages`() async throws {
        let desk = try desk()
        for caller in [desk.owner, desk.bob, nil] {
            #expect([401, 403].contains(await desk.ask(.post, "sign-in-links", as: caller).status))
        }
        let link = try link(await desk.ask(.post, "sign-in-links"))
        for body: JSONValue in [["token": link], ["token": link, "password": "another horse"]] {
            #expect(await desk.ask(.post, "verify", body, as: nil).status == 403)
        }
        let reset = try desk.home.store.addLink(.reset, of: desk.home.owner, at: TestAdministration.start)
        #expect(await signIn(.string(reset.text), desk).status == 403)
        for text: JSONValue in ["", "x"] { #expect(await signIn(text, desk).status == 403) }
        for text: JSONValue in [7, .null] { #expect(await signIn(text, desk).status == 400) }
        #expect(await signIn(link, desk).status == 200)
    }

    @Test func `signing in by a link ends the browser's former session`() async throws {
        let desk = try desk()
        let first = session(await signIn(try link(await desk.ask(.post, "sign-in-links")), desk))
        let link = try link(await desk.ask(.post, "sign-in-links"))
        let second = session(await signIn(link, desk, session: first))
        #expect(desk.registry.identify(.session(try #require(first))) == nil)
        #expect(desk.registry.identify(.session(try #require(second))) == .user(desk.home.owner))
    }
}
