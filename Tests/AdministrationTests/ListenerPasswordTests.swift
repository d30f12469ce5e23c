import Accounts
import AccountsFixture
import Administration
import Foundation
import GRDB
import JSON
import People
import Testing
import Threading

/// The listener's own password is that of a built-in user without a name.
struct ListenerPasswordTests {
    private static let password = "secret"

    /// A desk whose listener has a password, and whose page is the owner's.
    private static func desk(_ password: String? = password, path: String? = nil) async throws
        -> TestAdministration
    {
        let desk = try TestAdministration(path: path)
        var settings = desk.registry.settings
        settings.unnamed = [.kiosk: "owner"]
        desk.registry.use(settings)
        await desk.registry.useListenerPassword(password.map { Array($0.utf8) })
        return desk
    }

    private func signIn(_ desk: TestAdministration, _ password: String = password) async -> AccountsResponse {
        await desk.ask(.post, "sign-in", ["password": .string(password)], as: nil)
    }

    private func session(_ answer: AccountsResponse) throws -> Claim {
        guard case .begin(let text)? = answer.session else { throw AccessTable.Missing() }
        return .listenerSession(text)
    }

    private func signOut(_ desk: TestAdministration, _ claim: Claim) async -> AccountsResponse {
        await desk.api.answer(
            AccountsRequest(
                .post,
                ["sign-out"],
                caller: desk.registry.identify(claim),
                by: claim,
                interface: "kiosk",
                source: "192.0.2.1"
            )
        )
    }

    @Test func `it signs in as the page's user, with all rights, and signs out`() async throws {
        let desk = try await Self.desk()
        let answer = await signIn(desk)
        #expect(answer.status == 200 && answer.body == ["status": "ok"])
        let claim = try session(answer)
        #expect(desk.registry.identify(claim) == desk.owner)
        guard case .listenerSession(let text) = claim else { return }
        #expect(desk.registry.identify(.session(text)) == nil)
        let out = await signOut(desk, claim)
        #expect(out.status == 200 && out.session == .end)
        #expect(desk.registry.identify(claim) == nil)
        let log = try desk.log()
        #expect(
            log.map(\.kind) == ["sign in", "sign out"] && log.map(\.caller) == ["user:owner", "user:owner"]
        )
        #expect(!"\(log)".contains(Self.password) && !"\(log)".contains(text))
    }

    @Test func `sessions last while they are used, and are listed for who administers`() async throws {
        let desk = try await Self.desk()
        let claim = try session(await signIn(desk))
        for _ in 0..<3 {
            desk.now.withLock { $0 += 29 * 86_400_000 }
            #expect(desk.registry.identify(claim) == desk.owner)
        }
        let rows = await desk.ask(.get, "sessions", as: desk.owner)
        #expect(rows.texts("user") == [AccountsStore.listenerName])
        let id = try #require(rows.texts("id").first ?? nil)
        #expect(await desk.ask(.delete, "sessions/\(id)", as: desk.bob).status == 404)
        #expect(await desk.ask(.delete, "sessions/\(id)", as: desk.owner).status == 204)
        #expect(desk.registry.identify(claim) == nil)
    }

    @Test func `in the list of sessions that of the caller is the current one`() async throws {
        let desk = try await Self.desk()
        var current: Set<String> = []
        for claim in [try session(await signIn(desk)), try session(await signIn(desk))] {
            let answer = await desk.api.answer(
                AccountsRequest(
                    .get,
                    ["sessions"],
                    caller: desk.registry.identify(claim),
                    by: claim,
                    interface: "kiosk",
                    source: "192.0.2.1"
                )
            )
            let own = answer.body?.array?.filter { $0["current"] == true } ?? []
            #expect(answer.body?.array?.count == 2 && own.count <= 1)
            current.formUnion(own.compactMap { $0["id"]?.string })
        }
        #expect(current.count == 2)
    }

    @Test func `the built-in user is in no list, and has no name to sign in by`() async throws {
        let desk = try await Self.desk()
        #expect(await desk.ask(.get, "users").texts("name") == ["bob", "owner"])
        #expect(desk.registry.table.users.count == 2)
        let name = JSONValue.string(AccountsStore.listenerName)
        let named = await desk.ask(
            .post,
            "session",
            ["user": name, "password": .string(Self.password)],
            as: nil
        )
        #expect(named.status == 401)
        #expect(await desk.ask(.put, "users/listener password/password", ["password": .null]).status == 404)
        #expect(await desk.ask(.post, "users", ["name": name]).status == 400)
    }

    @Test func `sessions outlive a restart and end with the password`() async throws {
        try await withFolderAsync { folder in
            let path = folder.appending(path: "a.db").path(percentEncoded: false)
            let desk = try await Self.desk(path: path)
            let claim = try session(await signIn(desk))
            func restarted(_ password: String?) async throws -> Caller? {
                let registry = try AccountsRegistry(
                    desk.home.store,
                    desk.registry.settings,
                    clock: desk.registry.clock,
                    changed: { _ in }
                )
                #expect(registry.identify(claim) == nil)
                await registry.useListenerPassword(password.map { Array($0.utf8) })
                return registry.identify(claim)
            }
            #expect(try await restarted(Self.password) == desk.owner)
            #expect(try await restarted("another") == nil)
            #expect(try await restarted(Self.password) == nil)
            #expect(try desk.home.count("secret") == 0 && desk.home.count("user") == 3)
            #expect(try await restarted(nil) == nil)
            #expect(try desk.home.count("user") == 2)
        }
    }

    @Test func `without a password there is nothing to sign in to`() async throws {
        let desk = try await Self.desk(nil)
        #expect(await signIn(desk).status == 404)
        #expect(await desk.ask(.post, "sign-out", as: nil).status == 404)
        #expect(
            await desk.api.checkListenerPassword("x", from: nil, interface: "kiosk") == .limited(seconds: 1)
        )
    }

    @Test func `guesses are limited as those of users, in whatever way they come`() async throws {
        let desk = try await Self.desk()
        func check(_ text: String, from source: String = "192.0.2.1") async -> PasswordVerdict {
            await desk.api.checkListenerPassword(text, from: source, interface: "kiosk")
        }
        #expect(await check(Self.password) == .right)
        for number in 0..<3 { #expect(await check("guess \(number)") == .wrong) }
        for _ in 0..<2 {
            let wrong = await signIn(desk, "guess")
            #expect(wrong.status == 403 && wrong.code == "not_allowed")
        }
        // Also the right one, that is known.
        #expect(await check(Self.password) == .limited(seconds: 60))
        let limited = await signIn(desk)
        #expect(limited.status == 429 && limited.retryAfter == 60)
        #expect(await check(Self.password, from: "192.0.2.2") == .right)
        let refused = try desk.log().filter { $0.kind == "sign in" && $0.code != nil }
        #expect(refused.first?.code == "unauthenticated")
        #expect(refused.reduce(0) { $0 + $1.times } == 7 && refused.allSatisfy { $0.source == "192.0.2.1" })
        desk.now.withLock { $0 += 60_000 }
        #expect(await check(Self.password) == .right)
    }

    @Test func `many requests at once with the same password are one guess`() async throws {
        let desk = try await Self.desk()
        for text in [Self.password, "wrong"] {
            let verdicts = await withTaskGroup(of: PasswordVerdict.self) { tasks in
                for _ in 0..<40 {
                    tasks.addTask {
                        await desk.api.checkListenerPassword(text, from: "192.0.2.1", interface: "kiosk")
                    }
                }
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(verdicts) == [text == Self.password ? .right : .wrong])
        }
    }

    @Test(arguments: [[:], [], ["password": 7], ["password": .null]] as [JSONValue])
    func `a sign-in without a password is malformed`(body: JSONValue) async throws {
        let desk = try await Self.desk()
        #expect(await desk.ask(.post, "sign-in", body, as: nil).status == 400)
        #expect(await signIn(desk, "").status == 403)
    }

    @Test func `a password that cannot be stored counts, and its sessions begin when it can`() async throws {
        let desk = try await Self.desk("former")
        let former = try session(await signIn(desk, "former"))
        try await desk.home.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
        await desk.registry.useListenerPassword(Array(Self.password.utf8))
        #expect(desk.registry.identify(former) == nil)
        let check = desk.api.checkListenerPassword
        #expect(await check(Self.password, "192.0.2.1", "kiosk") == .right)
        #expect(await check("former", "192.0.2.1", "kiosk") == .wrong)
        #expect(await signIn(desk).status >= 500)
        try await desk.home.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 0") }
        let answer = await signIn(desk)
        #expect(answer.status == 200)
        #expect(try desk.registry.identify(session(answer)) == desk.owner)
        #expect(desk.registry.identify(former) == nil)
    }
}
