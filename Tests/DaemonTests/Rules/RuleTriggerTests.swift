import Accounts
import Administration
import Bindings
import Controller
import Daemon
import Flare
import JSON
import Logging
import People
import Rules
import Settings
import Testing
import Things

/// Rules as the triggers of things with owners.
@Suite(.timeLimit(.minutes(2)))
struct RuleTriggerTests {
    /// Bindings with a thing in the kitchen, which bob owns, and rules over the same accounts.
    private struct Home {
        let bindings: TestBindings
        let triggers: RuleTriggers
        let rules: RuleService
        let target: TargetName
        var bob: BindingCaller { .user(.user(bindings.bob)) }

        init(_ bindings: TestBindings) async throws {
            let answer = try await bindings.onboardOwner(
                bindings.bob,
                with: ["thingProperties": ["zone": "Kitchen"]]
            ).get()
            var place = bindings.place.accountsPlace
            place.find = { _, word in [[FlareID(word)].compactMap(\.self)] }
            let directory = bindings.service.directory
            let ports = RulePorts(
                place: place,
                bound: { name in BindingID(name).flatMap { directory.entry($0)?.thing } },
                surroundings: { _ in RuleSurroundings() },
                engine: TestEngine(at: TestPlace.now.wallMilliseconds).port
            )
            rules = RuleService(
                .init(epoch: "e"),
                bindings.accounts,
                ports,
                calendars: RuleCalendars(TimeZoneDatabase(["TZ": "UTC"])),
                logger: Logger(label: "rules") { _ in SwiftLogNoOpLogHandler() }
            )
            try await rules.begin()
            triggers = RuleTriggers(rules, bindings.service)
            (self.bindings, target) = (bindings, .thing(answer.thing))
        }

        func add(_ body: JSONObject, by caller: BindingCaller? = nil) async -> Result<String, BindingsError> {
            await triggers.addTrigger(body, of: target, by: caller ?? bob, from: nil)
        }

        func list(_ limit: Int = 200, after key: String? = nil) async throws -> JSONObject {
            try await triggers.triggers(of: target, limit: limit, after: key, for: bob).get()
        }

        func trigger(_ id: String) async throws -> JSONObject {
            try await triggers.trigger(id, of: target, for: bob).get()
        }
    }

    private static func withHome(_ body: (Home) async throws -> Void) async throws {
        try await withBindings { (bindings, _) async throws in try await body(try await Home(bindings)) }
    }

    private static let trigger: JSONObject = [
        "predicate": [
            "eventSource": "STATES", "triggersWhen": "CONDITION_FALSE_TO_TRUE",
            "condition": ["type": "eq", "field": "on", "value": true],
        ],
        "command": [
            "actions": [["brightness": 0.5]], "issuer": "user:bob", "schema": "lamp", "schemaVersion": 2,
        ],
        "triggersWhat": "COMMAND", "title": "Evening", "metadata": ["colour": "red"],
    ]

    @Test func `a trigger is a rule, and is shown as it was made`() async throws {
        try await Self.withHome { (home: Home) async throws in
            let id = try await home.add(Self.trigger).get()
            let shown = try await home.trigger(id)
            #expect(shown["triggerID"]?.string == id && shown["disabled"] == false)
            // Commands of the rule name it so, too.
            #expect(RuleSource("rule:\(id)")?.triggerID == id)
            #expect(shown["predicate"] == Self.trigger["predicate"])
            #expect(shown["title"] == "Evening" && shown["metadata"] == ["colour": "red"])
            let command = shown["command"]
            #expect(command?["actions"] == [["brightness": 0.5]] && command?["schemaVersion"] == 2)
            guard case .thing(let thing) = home.target else { return }
            #expect(command?["target"]?.string == "thing:\(thing)")
            #expect(try home.bindings.store.accounts.rules().map(\.slug) == ["evening"])
        }
    }

    @Test func `a trigger is changed, switched and removed`() async throws {
        try await Self.withHome { (home: Home) async throws in
            let id = try await home.add(Self.trigger).get()
            func turn(_ isOn: Bool) async throws {
                try await home.triggers.turnTrigger(id, of: home.target, isOn: isOn, by: home.bob, from: nil)
                    .get()
            }
            try await turn(false)
            try await turn(false)
            let predicate: JSONValue = ["eventSource": "SCHEDULE", "schedule": "0 7 * * *"]
            try await home.triggers.changeTrigger(
                id,
                of: home.target,
                with: ["predicate": predicate],
                by: home.bob,
                from: nil
            ).get()
            let changed = try await home.trigger(id)
            #expect(changed["predicate"] == predicate && changed["title"] == "Evening")
            #expect(changed["disabled"] == true)
            try await turn(true)
            #expect(try await home.trigger(id)["disabled"] == false)
            try await home.triggers.removeTrigger(id, of: home.target, by: home.bob, from: nil).get()
            let gone = await home.triggers.trigger(id, of: home.target, for: home.bob)
            #expect(gone.code == "unknown_rule")
        }
    }

    @Test func `a list has what this form can say, in parts`() async throws {
        try await Self.withHome { (home: Home) async throws in
            var ids: [String] = []
            for number in 0..<3 {
                var trigger = Self.trigger
                trigger["title"] = .string("Evening \(number)")
                ids.append(try await home.add(trigger).get())
            }
            func found(_ list: JSONObject) -> [String?] {
                (list["triggers"]?.array ?? []).map { $0["triggerID"]?.string }
            }
            let first = try await home.list(2)
            #expect(found(first) == Array(ids.prefix(2)))
            let key = try #require(first["nextPaginationKey"]?.string)
            let rest = try await home.list(2, after: key)
            #expect(found(rest) == Array(ids.suffix(1)) && rest["nextPaginationKey"] == nil)
            let wrong = await home.triggers.triggers(of: home.target, limit: 2, after: "x", for: home.bob)
            #expect(wrong.code == "invalid_value")
        }
    }

    @Test func `triggers are those of users who may see the thing`() async throws {
        try await Self.withHome { (home: Home) async throws in
            let id = try await home.add(Self.trigger).get()
            guard case .thing(let thing) = home.target else { return }
            for caller in [BindingCaller.thing(thing), .app, .anonymous, .user(.user(home.bindings.carol))] {
                #expect(await home.add(Self.trigger, by: caller).code == "not_allowed")
            }
            // The owner of the house sees the triggers of others, too.
            let owner = BindingCaller.user(.user(home.bindings.owner))
            #expect(
                try await home.triggers.trigger(id, of: home.target, for: owner).get()["title"] == "Evening"
            )
            let other = TargetName.vendor("v-9")
            #expect(await home.triggers.trigger(id, of: other, for: owner).code == "unknown_thing")
        }
    }

    @Test func `a thing that nobody has claimed has no triggers`() async throws {
        try await Self.withHome { (home: Home) async throws in
            _ = try await home.bindings.onboardThing("v-2").get()
            let target = TargetName.vendor("v-2")
            let answer = await home.triggers.addTrigger(Self.trigger, of: target, by: home.bob, from: nil)
            #expect(answer.code == "not_onboarded")
        }
    }

    @Test(
        arguments: [
            [:], ["predicate": [:]], ["triggersWhat": "SERVER_CODE"],
            ["predicate": ["eventSource": "NEVER"]],
            ["command": ["actions": []]], ["when": []],
        ] as [JSONObject]
    )
    func `what is no trigger is refused`(members: JSONObject) async throws {
        try await Self.withHome { (home: Home) async throws in
            let body = members.isEmpty ? members : Self.trigger.merging(members) { $1 }
            #expect(await home.add(body).code == "invalid_value")
            #expect(try home.bindings.store.accounts.rules().isEmpty)
        }
    }

    @Test(arguments: [
        "predicate", "command", "predicate.eventSource", "predicate.condition", "command.actions",
    ])
    func `a trigger without one of its parts is refused by its name`(part: String) async throws {
        try await Self.withHome { (home: Home) async throws in
            let names = part.split(separator: ".").map(String.init)
            var body = Self.trigger
            if names.count == 1 {
                body[part] = nil
            } else {
                var inner = body[names[0]]?.object ?? [:]
                inner[names[1]] = nil
                body[names[0]] = .object(inner)
            }
            guard case .failure(let error) = await home.add(body) else {
                Issue.record("made without \(part)")
                return
            }
            #expect(error.refusal.code == .invalidValue && error.refusal.message.contains(part), "\(error)")
            #expect(try home.bindings.store.accounts.rules().isEmpty)
        }
    }
}
