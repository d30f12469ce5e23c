import Accounts
import Administration
import Controller
import Daemon
import Flare
import Foundation
import HTTPListener
import JSON
import Logging
import People
import Profiles
import Rules
import Settings
import TestSupport
import Things
import Threading

/// A home with users, a place and rules over a real database.
///
/// Its owner owns everything; bob may write in the kitchen, and carol may do nothing.
struct TestRules: Sendable {
    static let now: Int64 = 1_900_000_000_000
    static let home = FlareID(high: 1, low: 1)
    static let kitchen = FlareID(high: 2, low: 1)
    static let garden = FlareID(high: 2, low: 2)
    static let lamp = FlareID(high: 3, low: 1)
    static let radiator = FlareID(high: 3, low: 2)
    static let fan = FlareID(high: 3, low: 3)
    static let pump = FlareID(high: 3, low: 4)

    /// What is in the place.
    struct Place: Sendable {
        var slugs: [ObjectReference: String] = [
            .init(.zone, TestRules.kitchen): "kitchen", .init(.zone, TestRules.garden): "garden",
            .init(.thing, TestRules.lamp): "desk-lamp", .init(.thing, TestRules.radiator): "radiator",
            .init(.thing, TestRules.fan): "fan", .init(.thing, TestRules.pump): "pump",
        ]
        var zones: [FlareID: FlareID] = [
            TestRules.lamp: TestRules.kitchen, TestRules.radiator: TestRules.kitchen,
            TestRules.fan: TestRules.kitchen, TestRules.pump: TestRules.garden,
        ]
        var kinds: [FlareID: ThingKind] = [
            TestRules.radiator: TestRules.heating, TestRules.lamp: TestRules.dimmer,
        ]
        var timeZone: String?
        var position: GeoPoint?
        /// What things have told, by identifier.
        ///
        /// At first nothing: a thing that is not here is one with a connection of its own that has not reported yet.
        var data: [FlareID: JSONObject] = [:]
        /// Things that have data and a connection of their own.
        var edge: Set<FlareID> = []
        var actions: [FlareID: [String]] = [:]
        var displays: Set<String> = []
        /// The nodes of further devices; the daemon's own is `hall`.
        var nodes: [String] = []

        fileprivate func locate(_ object: ObjectReference) -> AccessObject? {
            guard slugs[object] != nil else { return nil }
            switch object.kind {
            case .thing: return .thing(object.id, zone: zones[object.id], environment: TestRules.home)
            case .zone: return .zone(object.id, environment: TestRules.home)
            case .environment, .device: return nil
            }
        }

        fileprivate func surroundings(_ wanted: RuleSurroundings.Wanted) -> RuleSurroundings {
            var found = RuleSurroundings()
            for (id, zone) in self.zones where wanted.has(id, in: zone) {
                var thing = FlareThing(id: id)
                (thing.zone, thing.environment) = (zone, TestRules.home)
                thing.name = slugs[.init(.thing, id)] ?? ""
                thing.data = data[id] ?? [:]
                thing.actions = actions[id] ?? []
                let isAtEdge = edge.contains(id) || data[id] == nil && kinds[id] == nil
                found.things[id] = .init(thing, kinds[id], isAtEdge: isAtEdge)
            }
            (found.timeZone, found.position, found.displays) = (timeZone, position, displays)
            (found.node, found.nodes) = ("hall", nodes)
            return found
        }
    }

    let store: StateStore
    let accounts: AccountsRegistry
    let service: RuleService
    let engine: TestEngine
    let place: Locked<Place>
    /// What happens while the service waits for the place.
    let meanwhile: Locked<(@Sendable () async -> Void)?>
    let owner, bob, carol: AccountID

    init(in folder: URL, zones: String = "/usr/share/zoneinfo") async throws {
        let store = try StateStore(folder: folder)
        try store.accounts.prepare(owner: "owner", at: 1)
        if try store.accounts.table().user(named: "bob") == nil {
            let program = Authority.program(at: 1)
            let bob = try store.accounts.addUser(NewUser("bob"), by: program)
            _ = try store.accounts.addUser(NewUser("carol"), by: program)
            _ = try store.accounts.addGrant(
                Grant(id: 0, .user(bob), .write, .zone(Self.kitchen)),
                by: program
            )
        }
        let accounts = try AccountsRegistry(
            store.accounts,
            AccountsRegistry.Settings(),
            clock: { Self.now },
            changed: { _ in }
        )
        let (place, engine) = (Locked(Place()), TestEngine(at: Self.now))
        let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)
        engine.change { view in
            for (object, slug) in Place().slugs { view.slugs[object.id] = slug }
            view.things = [Self.lamp: ["brightness": 0.2], Self.radiator: ["room_temp": 20], Self.fan: [:]]
        }
        let ports = RulePorts(
            place: AccountsPlace(
                find: { kind, word in
                    place.withLock { place in
                        let named = place.slugs.filter { $0.key.kind == kind && $0.value == word }.map(
                            \.key.id
                        )
                        return [named, [FlareID(word)].compactMap(\.self)]
                    }
                },
                locate: { object in place.withLock { $0.locate(object) } },
                slugs: { objects in
                    place.withLock { place in place.slugs.filter { objects.contains($0.key) } }
                },
                all: { kind in place.withLock { place in place.slugs.keys.filter { $0.kind == kind } } }
            ),
            bound: { $0 == "v-lamp" ? Self.lamp : nil },
            surroundings: { wanted in
                if let work = meanwhile.withLock({ $0 }) { await work() }
                return place.withLock { $0.surroundings(wanted) }
            },
            engine: engine.port
        )
        service = RuleService(
            .init(epoch: "e"),
            accounts,
            ports,
            calendars: RuleCalendars(TimeZoneDatabase(["TZ": "UTC", "TZDIR": zones])),
            logger: Logger(label: "rules") { _ in SwiftLogNoOpLogHandler() }
        )
        (self.store, self.accounts, self.engine, self.place) = (store, accounts, engine, place)
        self.meanwhile = meanwhile
        let table = accounts.table
        func id(_ name: String) throws -> AccountID {
            guard let user = table.user(named: name) else { throw AccountsError.unknown(name) }
            return user.id
        }
        (owner, bob, carol) = (try id("owner"), try id("bob"), try id("carol"))
        try await service.begin()
    }

    // MARK: Profiles

    /// Says that room_temp is neither for notifications nor for schedules.
    static let heating = kind("heating", ["room_temp": (false, false), "target": (true, true)])
    static let dimmer = kind("dimmer", ["on": (true, true), "brightness": (true, true)])

    static func kind(
        _ name: String,
        _ properties: [String: (notifies: Bool, isScheduled: Bool)]
    ) -> ThingKind {
        var profile = Profile(name: name, model: nil, origin: .builtIn)
        profile.properties = properties.sorted { $0.key < $1.key }.map { name, flags in
            var property = ProfileProperty(name: name)
            (property.notifies, property.isScheduled) = flags
            return property
        }
        return ThingKind(profile)
    }

    // MARK: Requests

    typealias Reply = (status: Int, body: JSONValue)

    private static func request(
        _ method: String,
        _ path: String,
        _ body: JSONValue?,
        _ query: [String: String]
    ) -> LocalRequest {
        let words = ["api", "rules"] + path.split(separator: "/").map(String.init)
        return LocalRequest(method, words, query: query, body: body?.bytes ?? [])
    }

    private static func reply(_ response: LocalResponse) -> Reply {
        (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    /// What a verb asks at the socket of this machine, below `/api/rules`.
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        query: [String: String] = [:]
    ) async -> Reply {
        let request = Self.request(method, path, body, query)
        guard let response = await RulesLocalAPI(service).answer(request) else { return (0, .null) }
        return Self.reply(response)
    }

    /// What a user asks over HTTP.
    func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        as user: AccountID,
        ceiling: Access? = nil,
        query: [String: String] = [:]
    ) async -> Reply {
        let request = Self.request(method, path, body, query)
        let caller = Caller.user(user, ceiling: ceiling)
        return Self.reply(await RulesLocalAPI(service).answer(request, by: caller, from: "192.0.2.1"))
    }

    /// A rule that `rule add` sends.
    func addAsVerb(_ options: RuleOptions, as user: String? = nil) async throws -> Reply {
        let rule: JSONValue = ["rule": .object(try options.json()), "form": "rule"]
        return await ask("POST", "add", rule, query: user.map { ["as": $0] } ?? [:])
    }

    /// Lets a user do something with something.
    func allow(_ user: AccountID, _ access: Access, _ scope: Scope) throws {
        try accounts.change { store in
            _ = try store.addGrant(Grant(id: 0, .user(user), access, scope), by: .program(at: 1))
        }
    }

    /// The suspensions that the engine was told.
    var judgements: [RuleSuspension?] {
        engine.changes.compactMap {
            if case .judged(_, let suspension) = $0 { .some(suspension) } else { nil }
        }
    }

    /// A rule that sets the brightness of the lamp when the fan is on.
    static func simple(_ title: String = "Simple", on thing: String = "fan", target: String = "desk-lamp")
        -> JSONValue
    {
        [
            "title": .string(title),
            "when": [
                [
                    "on": "state", "thing": .string(thing),
                    "clause": ["type": "eq", "field": "on", "value": true],
                ]
            ],
            "then": [["set": ["brightness": 1], "target": .string("thing:\(target)")]],
        ]
    }
}

/// Runs a test with a home.
func withRules(_ body: (TestRules, _ folder: URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let home = try await TestRules(in: folder.url)
        defer { home.store.close() }
        try await body(home, folder.url)
    }
}
