import Accounts
import AccountsFixture
import Administration
import Flare
import JSON
import People
import Threading

/// A home with an API over it, two lamps, and a clock that the test moves.
struct TestAdministration {
    let home: TestAccounts
    let registry: AccountsRegistry
    let api: AccountsAPI
    let now: Locked<Int64>
    let emails: Locked<[EmailMessage]>

    static let desk = FlareID(high: 1, low: 2)
    static let start: Int64 = 1_900_000_000_000

    init(_ settings: AccountsAPI.Settings = AccountsAPI.Settings(), path: String? = nil) throws {
        let home = try TestAccounts(path: path)
        let now = Locked(Self.start)
        let emails = Locked<[EmailMessage]>([])
        (self.home, self.now, self.emails) = (home, now, emails)
        let clock: @Sendable () -> Int64 = { now.withLock { $0 } }
        registry = try AccountsRegistry(
            home.store,
            AccountsRegistry.Settings(),
            clock: clock,
            changed: { _ in }
        )
        let slugs = [
            ObjectReference(.thing, TestAccounts.lamp): "table-lamp",
            ObjectReference(.thing, Self.desk): "desk-lamp",
            ObjectReference(.zone, TestAccounts.kitchen): "kitchen",
            ObjectReference(.environment, TestAccounts.environment): "home",
        ]
        let place = AccountsPlace(
            find: { kind, word in
                let objects = slugs.filter { $0.key.kind == kind }
                let exact = objects.filter { $0.value == word || "\($0.key.id)" == word }
                // By name: both lamps are a "Lamp".
                let named = objects.filter { $0.value.hasSuffix("-\(word.lowercased())") }
                return [exact, named].map { $0.keys.map(\.id).sorted() }
            },
            locate: { reference in
                guard slugs[reference] != nil else { return nil }
                return switch reference.kind {
                case .thing:
                    .thing(reference.id, zone: TestAccounts.kitchen, environment: TestAccounts.environment)
                case .zone: .zone(reference.id, environment: TestAccounts.environment)
                case .environment: .environment(reference.id)
                case .device: nil
                }
            },
            slugs: { references in
                slugs.filter { references.contains($0.key) }
            },
            all: { kind in slugs.keys.filter { $0.kind == kind } },
            nodes: { ["wall", "anna"] },
            devices: { $0 == "phil" ? ["anna", "watch"] : [] }
        )
        let send: @Sendable (EmailMessage) -> Void = { message in emails.withLock { $0.append(message) } }
        api = AccountsAPI(
            registry,
            settings,
            place: place,
            steady: clock,
            send: settings.publicURL == nil ? nil : send
        )
    }

    /// Email can be sent.
    static func withEmail(_ signUp: AccountsAPI.Settings.SignUp = .verified) throws -> TestAdministration {
        var settings = AccountsAPI.Settings()
        (settings.signUp, settings.canReset, settings.publicURL) = (signUp, true, "https://panel.example/")
        return try TestAdministration(settings)
    }

    var owner: Caller { .user(home.owner) }
    var bob: Caller { .user(home.bob) }

    /// Sends a request, as the program itself if nobody else is named.
    @discardableResult
    func ask(
        _ method: AccountsRequest.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        query: [String: String] = [:],
        as caller: Caller? = .nobody,
        session: String? = nil,
        token: String? = nil,
        from source: String? = "192.0.2.1"
    ) async -> AccountsResponse {
        await api.answer(
            AccountsRequest(
                method,
                path.split(separator: "/").map(String.init),
                query: query,
                body: body,
                caller: caller,
                by: session.map { .session($0) } ?? token.map { .token($0) },
                interface: "kiosk",
                source: source
            )
        )
    }

    /// Gives a right to bob; the identifier.
    func grant(_ scope: String, _ access: String) async throws -> Int {
        let answer = await ask(
            .post,
            "grants",
            ["who": "bob", "scope": .string(scope), "access": .string(access)]
        )
        guard let id = answer.body?["id"]?.integer else { throw AccessTable.Missing() }
        return id
    }

    func log() throws -> [CommandLogEntry] {
        try registry.flush()
        return try home.store.log()
    }
}

extension AccountsResponse {
    /// The code of a refusal.
    var code: String? { body?["error"]?.string }
    var rows: [JSONValue] { body?.array ?? [] }

    /// A member of each row.
    func texts(_ key: String) -> [String?] { rows.map { $0[key]?.string } }
}
