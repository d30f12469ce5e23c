import Accounts
import Administration
import Flare
import Foundation
import GRDB
import JSON
import People

import Threading
@testable import Web

/// Real users in memory behind a listener: the owner, bob with a password, a right, a share, a token, a contact and a
/// session, and the groups `staff` and `lights`.
final class RealAccounts: Sendable {
    static let password = "open sesame"
    /// Computed once: it takes a while.
    private static let hash = Task { try await PasswordWorker().hash(Array(password.utf8)) }
    private static let now: Int64 = 1_900_000_000_000
    /// Moves the clock of limits, milliseconds.
    let steady: Locked<Int64>

    let registry: AccountsRegistry
    private let api: AccountsAPI
    /// Identifiers by the name of the part of a path, which the description cannot know.
    let identifiers: [String: String]
    /// The secret of a link for another password.
    let link: String
    /// A token of bob.
    let token: String

    init() async throws {
        let database = try DatabaseQueue()
        try await database.write {
            try AccountsSchema.migrate($0)
            try AccountsSchema.addOrigins($0)
            try AccountsSchema.indexTargets($0)
            try AccountsSchema.addBindings($0)
        }
        let store = AccountsStore(database)
        let (now, steady) = (Self.now, Locked(Self.now))
        self.steady = steady
        try store.prepare(owner: "owner", at: now)
        try store.setListenerPassword(try await Self.hash.value, at: now)
        let bob = try store.addUser(NewUser("bob"), by: .program(at: now))
        try store.setPassword(try await Self.hash.value, ofUser: "bob", by: .program(at: now))
        var settings = AccountsRegistry.Settings()
        settings.unnamed = [.kiosk: "owner"]
        let registry = try AccountsRegistry(store, settings, clock: { now }, changed: { _ in })
        var options = AccountsAPI.Settings()
        (options.signUp, options.canReset, options.publicURL) = (.verified, true, "https://panel.example")
        let lamp = ObjectReference(.thing, FakeNode.lamp)
        let kitchen = ObjectReference(.zone, FakeNode.kitchen)
        let slugs = [lamp: "red-lamp", kitchen: "kitchen"]
        let place = AccountsPlace(
            find: { kind, word in
                [slugs.keys.filter { $0.kind == kind && slugs[$0] == word }.map(\.id)]
            },
            locate: { reference in
                switch reference.kind {
                case .thing: .thing(reference.id, zone: FakeNode.kitchen, environment: FakeNode.environment)
                case .zone: .zone(reference.id, environment: FakeNode.environment)
                case .environment, .device: nil
                }
            },
            slugs: { references in slugs.filter { references.contains($0.key) } }
        )
        api = AccountsAPI(registry, options, place: place, steady: { steady.withLock { $0 } }, send: { _ in })
        self.registry = registry
        let api = api
        func identifier(_ path: String, _ body: JSONValue) async throws -> String {
            let words = path.split(separator: "/").map(String.init)
            let answer = await api.answer(
                AccountsRequest(.post, words, body: body, caller: .nobody, interface: "test")
            )
            guard answer.status == 201, let id = answer.body?["id"] else { throw Failure(answer: answer) }
            return id.string ?? id.text
        }
        var found: [String: String] = [:]
        _ = try await identifier("groups", ["name": "staff"])
        _ = try await identifier("groups", ["name": "lights", "kind": "things"])
        // So that there is somebody to leave.
        _ = await api.answer(
            AccountsRequest(
                .post,
                ["groups", "staff", "members"],
                body: ["members": ["bob"]],
                caller: .nobody,
                interface: "test"
            )
        )
        found["grant"] = try await identifier(
            "grants",
            ["who": "bob", "scope": "thing:red-lamp", "access": "own"]
        )
        found["share"] = try await identifier("shares", ["user": "owner", "thing": "red-lamp"])
        found["contact"] = try await identifier("contacts", ["user": "owner", "name": "Mum"])
        found["token"] = try await identifier("tokens", ["user": "bob", "name": "tablet"])
        found["session"] = try registry.change { store in
            try store.addSession(of: bob, name: "x", until: now + 1000, at: now).1.id
        }
        identifiers = found
        token = try registry.change { store in
            try store.addToken("panel", ofUser: "bob", ceiling: nil, until: nil, by: .program(at: now)).0.text
        }
        link = try store.addLink(.reset, of: bob, at: now).text
    }

    struct Failure: Error { let answer: AccountsResponse }

    /// With the listener's own password, which is the same.
    var people: WebPeople {
        let password = WebPeople.Password(
            cookie: SessionCookie(key: [UInt8](repeating: 7, count: 32), isSecure: false, isFramed: false)
        ) { [api] text, source in
            await api.checkListenerPassword(text, from: source, interface: WebHub.interface)
        }
        return WebPeople(
            identify: registry.identify,
            handler: { [api] in await api.answer($0) },
            password: password
        ) { [registry] in
            await registry.useListenerPassword(Array(Self.password.utf8))
        }
    }
}
