import Controller
import Flare
import JSON
import Rules
import Testing
import Things

/// An engine, what it sees, and two clocks that are moved by hand.
struct EngineRig {
    var engine: RuleEngine
    var place = SimulatedPlace()
    var now: RuleInstant
    /// Of the last event.
    var outputs: [RuleOutput] = []

    static let midnight: Int64 = 1_780_272_000_000

    init(
        _ configuration: RuleEngine.Configuration = RuleEngine.Configuration(),
        _ calendar: RuleCalendar = RuleCalendar(),
        at wall: Int64 = EngineRig.midnight
    ) {
        now = RuleInstant(wall: wall, steady: 1_000_000)
        engine = RuleEngine(configuration, calendar, at: now)
    }

    mutating func id(_ kind: FlareClass, _ name: String) throws -> FlareID {
        let id = place.id(kind, name)
        return try #require(id)
    }

    mutating func rule(_ text: String) throws -> Rule {
        var place = place
        defer { self.place = place }
        return try SimulatedRules.rule(text).resolved { kind, name throws(Refusal) in
            guard let id = place.id(kind, name) else { throw Refusal(.unknownThing, name) }
            return id
        }
    }

    @discardableResult
    mutating func add(
        _ id: Int,
        _ text: String,
        suspension: RuleSuspension? = nil,
        missing: Set<FlareID> = []
    ) throws -> [RuleOutput] {
        let rule = try rule(text)
        return handle(.ruleAdded(RuleEntry(id, rule, suspension: suspension, missing: missing)))
    }

    @discardableResult
    mutating func handle(_ event: RuleEvent) -> [RuleOutput] {
        outputs = engine.handle(event, at: now, in: place)
        return outputs
    }

    /// Lets seconds pass, and does what is due on the way.
    @discardableResult
    mutating func wait(_ seconds: Int64) -> [String] {
        let end = RuleInstant(wall: now.wall + seconds * 1000, steady: now.steady + seconds * 1000)
        var fired: [String] = []
        while let due = engine.nextDue, due <= end.wall {
            let passed = max(0, due - now.wall)
            now = RuleInstant(wall: now.wall + passed, steady: now.steady + passed)
            handle(.timerFired)
            fired += whys
        }
        now = end
        handle(.timerFired)
        return fired + whys
    }

    /// Sets the clock without letting time pass.
    mutating func setClock(_ wall: Int64) { now = RuleInstant(wall: wall, steady: now.steady) }

    /// Writes a field, and has why rules fire.
    @discardableResult
    mutating func write(
        _ thing: String,
        _ values: JSONObject,
        chain: [Int] = []
    ) throws -> [String] {
        let id = try id(.thing, thing)
        let before = place.data(of: id) ?? [:]
        var after = before
        for (field, value) in values { after[field] = value }
        place.set(after, of: id)
        handle(.written(RuleWrite(id, before: before, after: after, fields: values.keys, chain: chain)))
        return whys
    }

    var firings: [RuleFiring] {
        outputs.compactMap { if case .fired(let firing) = $0 { firing } else { nil } }
    }

    var whys: [String] { firings.map(\.why) }

    func refusals(of id: Int) -> [RuleRefusal] {
        engine.explanation(of: id, in: place).map(\.refusal)
    }

    /// A new engine that starts with what the old one remembers.
    mutating func restart() throws {
        var entries: [RuleEntry] = []
        var memories: [Int: RuleMemory] = [:]
        for entry in engine.entries {
            entries.append(entry)
            let memory = try #require(engine.memory(of: entry.id))
            memories[entry.id] = RuleMemory(try #require(JSONValue(parsing: memory.json.description).object))
        }
        engine = RuleEngine(engine.configuration, engine.calendar, at: now)
        handle(.started(entries, memories: memories))
    }
}
