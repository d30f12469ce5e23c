import Accounts
import Bindings
import Controller
import Flare
import JSON
import People
import Rules
import Things

@testable import Daemon

/// A node with rules as one value: its Flare server replies within the turn, its records are kept, and its clocks stand
/// still until they are moved.
struct RuleBench {
    static let lamp = TestPlace.thing(1, "Lamp", ["on": false, "brightness": 0.5])
    static let fan = TestPlace.thing(2, "Fan", ["on": false, "brightness": 0.5])
    static let heater = TestPlace.thing(3, "Heater", ["on": false, "brightness": 0.5])
    static let maker = AccountID(high: 1, low: 1)

    var controller: DeviceController
    var server: TestPlace.Server
    var now = TestPlace.now
    /// What was stored, in order.
    private(set) var records: [RuleRecord] = []
    private(set) var events: [ChangeEvent] = []
    private(set) var answers: [Answer] = []
    /// What the last event has changed.
    private(set) var changes: Set<StateChange> = []
    private(set) var logged: [CommandRecord] = []
    /// The commands of things with owners, each time that one was stored.
    private(set) var commands: [StoredThingCommand] = []
    /// The requests to which the server has not replied, because it is busy.
    private(set) var unanswered: [FlareRequest] = []
    /// When the timer of rules is due, milliseconds of the steady clock.
    private(set) var due: Int64?
    /// What was handed over.
    private(set) var outgoing: [Int: RuleOutgoing.Content] = [:]
    /// Whether the program that is around the node still runs: it begins with the actions of what is stored.
    var isAlive = true

    /// - Parameters:
    ///   - decider: Who says where the device is: by default the node, from the device's position.
    ///   - isLinked: Whether the place is read at once.
    init(
        _ configuration: RuleEngine.Configuration = RuleEngine.Configuration(),
        decider: ControllerConfiguration.Decider = .steady,
        isLinked: Bool = true
    ) {
        server = TestPlace.Server.withKitchen
        server.things = [Self.lamp, Self.fan, Self.heater]
        controller = Self.controller(configuration, decider)
        allow(.own, .all)
        if isLinked { send(.flare(.linkUp)) }
    }

    private static func controller(
        _ configuration: RuleEngine.Configuration,
        _ decider: ControllerConfiguration.Decider
    ) -> DeviceController {
        var settings = ControllerConfiguration()
        settings.decider = decider
        settings.slices = Slices([
            Lifecycle(Lifecycle.Settings()), BindingsSlice(), RulesSlice(configuration),
        ])
        var controller = DeviceController(epoch: "e", configuration: settings, memory: PersistedState())
        controller.policies = [PeoplePolicy()]
        return controller
    }

    /// From now on, this is all that the maker may do.
    mutating func allow(_ access: Access, _ scopes: Scope...) {
        let grants = scopes.enumerated().map {
            Grant(id: Int64($0.offset) + 1, .user(Self.maker), access, $0.element)
        }
        send(.peopleChanged(AccessTable(users: [User(id: Self.maker, name: "maker")], grants: grants)))
    }

    var rules: RulesSlice { controller.state.slices[RulesSlice.self] }

    // MARK: Turns

    /// Sends an event, and handles what it causes, until nothing is left.
    mutating func send(_ event: ControllerEvent) {
        var next: ControllerEvent? = event
        while let event = next { next = turn(event) }
    }

    mutating func send(_ event: RulesSlice.Event) { send(RulesSlice.event(event)) }

    /// - Returns: What the program around the node answers to the turn.
    private mutating func turn(_ event: ControllerEvent) -> ControllerEvent? {
        var inbox = [event]
        while !inbox.isEmpty {
            for effect in controller.apply(inbox.removeFirst(), at: now) {
                if let event = carryOut(effect) { inbox.append(event) }
            }
        }
        changes = controller.removeChanges()
        for (number, outgoing) in rules.outgoing { self.outgoing[number] = outgoing.content }
        let stored = changes.compactMap { $0.part(of: RulesSlice.firingChanges).flatMap { Int64($0) } }
        return stored.isEmpty || !isAlive ? nil : RulesSlice.event(.stored(stored))
    }

    private mutating func carryOut(_ effect: ControllerEffect) -> ControllerEvent? {
        switch effect {
        case .flare(let request):
            guard let reply = server.reply(to: request) else {
                unanswered.append(request)
                return nil
            }
            return .flare(.replied(request, .success(reply)))
        case .remember(.slice(let record)):
            if let record = record.value as? RuleRecord { records.append(record) }
            if let command = record.value as? StoredThingCommand { commands.append(command) }
        case .startTimer(RulesSlice.timer(.due), let wait): due = now.steadyMilliseconds + wait
        case .stopTimer(RulesSlice.timer(.due)): due = nil
        case .emit(let event): events.append(event)
        case .answer(let answer): answers.append(answer)
        case .log(let record): logged.append(record)
        default: break
        }
        return nil
    }

    /// The server replies to the first request that waits.
    mutating func reply() {
        guard !unanswered.isEmpty else { return }
        send(.flare(.replied(unanswered.removeFirst(), .success(.done))))
    }

    /// Another client of the server has set something.
    mutating func set(_ values: JSONObject, of thing: FlareThing) {
        send(.flare(.notice(.data(ObjectReference(.thing, thing.id), values, sender: nil))))
    }

    /// Lets time pass; the timer is due meanwhile, as often as it was started.
    mutating func pass(milliseconds: Int64) {
        let end = now.later(by: milliseconds)
        while let due, due <= end.steadyMilliseconds {
            now = now.later(by: max(0, due - now.steadyMilliseconds))
            self.due = nil
            send(.timerFired(RulesSlice.timer(.due)))
        }
        now = end
    }

    // MARK: Rules

    mutating func load(_ rules: Rule..., memories: [Int: JSONObject] = [:]) {
        let all = rules.enumerated().map { Self.loaded($0.offset + 1, $0.element) }
        send(.loaded(RulesLoad(all, memories: memories, RuleCalendar(), lastFiring: 0)))
    }

    static func loaded(_ id: Int, _ rule: Rule) -> LoadedRule {
        LoadedRule(RuleEntry(id, rule), slug: "rule-\(id)", maker: maker)
    }

    /// Switches a thing on, or off, when another one is on, or off.
    static func follow(
        _ thing: FlareThing,
        _ isOn: Bool = true,
        by other: FlareThing,
        _ state: JSONValue? = nil,
        edge: StateTrigger.Edge? = nil
    ) -> Rule {
        let values: JSONObject = ["state": state ?? (isOn ? "ON" : "OFF")]
        return Rule(
            "\(other.name) follows",
            when: [.state(StateTrigger(reference(thing), .clause(.equals("on", .bool(isOn))), edge: edge))],
            then: [RuleAction(.drive(.set(values), .thing(reference(other))))]
        )
    }

    static func reference(_ thing: FlareThing) -> RuleReference { RuleReference(.thing, thing.id) }

    // MARK: What came of it

    func isOn(_ thing: FlareThing) -> Bool? { controller.state.things[thing.id]?.data["on"]?.bool }

    /// The rules that have fired, in order.
    var fired: [Int] {
        records.compactMap { record in
            if case .fired(let firing, _) = record, firing.outcome == nil { firing.rule } else { nil }
        }
    }

    /// Why rules have fired, in order.
    var whys: [String] {
        records.compactMap { record in
            if case .fired(let firing, _) = record, firing.outcome == nil { firing.why } else { nil }
        }
    }

    /// How the firings have ended, in order.
    var outcomes: [StoredFiring.Outcome] {
        records.compactMap { record in
            switch record {
            case .fired(let firing, _): firing.outcome
            case .ended(_, let outcome, _, _): outcome
            case .memory, .switchedOff: nil
            }
        }
    }

    /// The codes of the actions that failed, by firing, in the order of their ends.
    var failures: [[String]] {
        records.compactMap { record in
            guard case .ended(_, _, let results, _) = record else { return nil }
            let all = (try? JSONValue(parsing: results))?.array ?? []
            return all.compactMap { $0.object?["code"]?.string }
        }
    }

    /// What is stored of each rule for the next run.
    var memories: [Int: JSONObject] {
        var memories: [Int: JSONObject] = [:]
        for record in records {
            switch record {
            case .fired(let firing, let memory): memories[firing.rule] = Self.object(memory)
            case .memory(let rule, let memory): memories[rule] = Self.object(memory)
            case .ended, .switchedOff: break
            }
        }
        return memories
    }

    private static func object(_ text: String) -> JSONObject {
        (try? JSONValue(parsing: text))?.object ?? [:]
    }
}
