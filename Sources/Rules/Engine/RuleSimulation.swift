import Controller
import Flare
import JSON
package import Things

/// Rules on a clock of its own: what would fire when.
///
/// ``rows(from:until:_:)`` gives all rows at once; ``begin(from:until:_:)`` and ``next()`` give them as they come, so that
/// no more than those of one moment are held.
/// - Source: contrib/contract/rules.md, "Simulation".
package struct RuleSimulation {
    /// One firing.
    package struct Row: Sendable, Hashable {
        /// What the daemon's clock shows, milliseconds since 1970 UTC.
        package let at: Int64
        package let slug: String
        package let why: String

        package init(at: Int64, slug: String, why: String) {
            (self.at, self.slug, self.why) = (at, slug, why)
        }
    }

    package static let header = "time,rule,why"
    /// More rows are not made.
    package static let most = 5_000_000

    private let slugs: [String]
    private let configuration: RuleEngine.Configuration
    private let calendar: RuleCalendar
    private var entries: [RuleEntry]
    private var place: SimulatedPlace

    private var engine: RuleEngine
    private var now: RuleInstant
    /// The first moment: what is entered just before it counts as then.
    private var first: Int64 = .min
    private var isRunning = true
    private var memories: [Int: RuleMemory] = [:]
    /// What is still to happen.
    private var events: ArraySlice<SimulatedEvent> = []
    private var until: Int64 = .min
    /// Rows so far.
    private var count = 0

    /// - Parameters:
    ///   - rules: In the order of the files; with the names that they came in with.
    ///   - place: What there is; by default each name is a thing or a zone.
    /// - Throws: `unknown_thing` for a name that the place does not have.
    package init(
        _ rules: [(slug: String, rule: Rule)],
        in calendar: RuleCalendar,
        place: SimulatedPlace = SimulatedPlace(),
        _ configuration: RuleEngine.Configuration = RuleEngine.Configuration()
    ) throws(Refusal) {
        var place = place
        var entries: [RuleEntry] = []
        for (number, (_, rule)) in rules.enumerated() {
            let resolved = try rule.resolved { kind, name throws(Refusal) in
                guard let id = place.id(kind, name) else {
                    let name = Words.value(.string(name))
                    throw Refusal(.unknownThing, "there is no \(kind.rawValue) \(name) in the place")
                }
                return id
            }
            for node in resolved.nodes { place.add(device: node) }
            entries.append(RuleEntry(number, resolved))
        }
        slugs = rules.map { $0.slug }
        (self.entries, self.place) = (entries, place)
        (self.calendar, self.configuration) = (calendar, configuration)
        now = RuleInstant(wall: 0, steady: 0)
        engine = RuleEngine(configuration, calendar, at: now)
    }

    /// Runs the simulation.
    ///
    /// - Parameters:
    ///   - from: The first moment, milliseconds since 1970 UTC; it counts.
    ///   - until: The end, when nothing fires any more.
    ///   - events: In order; those before the first moment have happened already, and fire nothing.
    /// - Returns: By time, then in the order of the files.
    /// - Throws: `unknown_thing` for an event of what is not there, `too_large` for too many rows.
    package func rows(
        from: Int64,
        until: Int64,
        _ events: [SimulatedEvent] = []
    ) throws(Refusal) -> [Row] {
        var simulation = self
        var rows = try simulation.begin(from: from, until: until, events)
        while let more = try simulation.next() { rows += more }
        return rows
    }

    /// Begins a run, once; the parameters are those of ``rows(from:until:_:)``.
    ///
    /// - Returns: The rows of the start.
    package mutating func begin(
        from: Int64,
        until: Int64,
        _ events: [SimulatedEvent] = []
    ) throws(Refusal) -> [Row] {
        var rows: [Row] = []
        // What is due at the first moment counts, so the daemon starts just before it.
        now = RuleInstant(wall: from - 1, steady: 0)
        first = from
        for event in events { if let node = event.kind.node { place.add(device: node) } }
        let pastEvents = events.prefix { $0.time < from }
        for event in pastEvents { try apply(event, &rows, isPast: true) }
        engine = RuleEngine(configuration, calendar, at: now)
        if isRunning { try handle(.started(entries, memories: [:]), &rows) }
        first = .min
        self.events = events.dropFirst(pastEvents.count)
        self.until = until
        return rows
    }

    /// Goes on to the next moment at which something may happen.
    ///
    /// - Returns: Its rows, often none; `nil` when the run has ended.
    package mutating func next() throws(Refusal) -> [Row]? {
        var rows: [Row] = []
        let event = events.first.flatMap { $0.time < until ? $0 : nil }
        let end = event?.time ?? until - 1
        if isRunning, let due = engine.nextDue, due <= end {
            pass(to: due)
            try handle(.timerFired, &rows)
            return rows
        }
        pass(to: end)
        guard let event else { return nil }
        events = events.dropFirst()
        try apply(event, &rows, isPast: false)
        return rows
    }

    /// What the daemon's clock shows, milliseconds since 1970 UTC.
    package var time: Int64 { now.wall }

    // MARK: Time

    private mutating func pass(to wall: Int64) {
        guard wall > now.wall else { return }
        now = RuleInstant(wall: wall, steady: now.steady + wall - now.wall)
    }

    private mutating func handle(_ event: RuleEvent, _ rows: inout [Row]) throws(Refusal) {
        guard isRunning else { return }
        for output in engine.handle(event, at: now, in: place) {
            guard case .fired(let firing) = output else {
                if case .switchedOff(let rule) = output { switchOff(rule) }
                continue
            }
            guard count < Self.most else {
                throw Refusal(
                    .tooLarge,
                    "the simulation has more than \(Self.most) firings; choose a shorter time"
                )
            }
            count += 1
            rows.append(Row(at: max(firing.at, first), slug: slugs[firing.rule], why: firing.why))
        }
    }

    /// After a restart it is off, too.
    private mutating func switchOff(_ number: Int) {
        var rule = entries[number].rule
        rule.isEnabled = false
        entries[number] = RuleEntry(number, rule)
    }

    // MARK: Events

    private mutating func apply(
        _ event: SimulatedEvent,
        _ rows: inout [Row],
        isPast: Bool
    ) throws(Refusal) {
        switch event.kind {
        case .stop: stop()
        case .start: if !isRunning { try start(&rows, isPast: isPast) }
        case .clock(let time):
            guard !isPast else { return }
            now = RuleInstant(wall: time, steady: now.steady)
            try handle(.clockSet, &rows)
        default:
            let events = try happen(event.kind)
            guard !isPast else { return }
            for event in events { try handle(event, &rows) }
        }
    }

    private mutating func stop() {
        guard isRunning else { return }
        isRunning = false
        for entry in entries { memories[entry.id] = engine.memory(of: entry.id) }
    }

    private mutating func start(_ rows: inout [Row], isPast: Bool) throws(Refusal) {
        isRunning = true
        place.forgetPresence()
        guard !isPast else { return }
        engine = RuleEngine(configuration, calendar, at: now)
        try handle(.started(entries, memories: memories), &rows)
    }

    /// Changes the place.
    ///
    /// - Returns: What the engine gets to know of it.
    private mutating func happen(_ kind: SimulatedEvent.Kind) throws(Refusal) -> [RuleEvent] {
        switch kind {
        case .state(let name, let values):
            let thing = try object(.thing, name)
            let (before, after) = place.write(values, to: thing)
            let write = RuleWrite(thing, before: before, after: after, fields: values.keys)
            let address = values["ip"]?.string.map { RuleEvent.address(thing, $0) }
            return [.written(write)] + (address.map { [$0] } ?? [])
        case .enter(let name, let node):
            guard let zone = try move(node, .zone, name, isEntry: true) else { return [] }
            return [.zoneEntered(zone, by: node)]
        case .exit(let name, let node):
            guard let zone = try move(node, .zone, name, isEntry: false) else { return [] }
            return [.zoneExited(zone, by: node)]
        case .near(let name, let node):
            guard let thing = try move(node, .thing, name, isEntry: true) else { return [] }
            return [.near(thing, by: node)]
        case .far(let name, let node):
            guard let thing = try move(node, .thing, name, isEntry: false) else { return [] }
            return [.far(thing, by: node)]
        case .level(let level):
            let calls = place.level.map { LifecycleCall.calls(from: $0, to: level) } ?? []
            place.level = level
            return calls.map { .called($0) } + [.levelReached(level)]
        case .availability(let name, let isOnline):
            let thing = try object(.thing, name)
            place.set(isOnline, of: thing)
            return [.availability(thing, isOnline: isOnline)]
        case .location(let point, let accuracy):
            place.location = point
            return [.located(point, accuracy: accuracy)]
        case .beacon(let name, let rssi): return [.beaconHeard(name, rssi: rssi)]
        case .stop, .start, .clock: return []
        }
    }

    /// A device comes to a zone or a thing, or goes.
    ///
    /// - Returns: The zone or the thing; `nil` if that changes nothing.
    private mutating func move(
        _ node: String?,
        _ kind: FlareClass,
        _ name: String,
        isEntry: Bool
    ) throws(Refusal) -> FlareID? {
        let object = try object(kind, name)
        let old = place.presence(kind, of: node)
        guard isEntry ? old != .at(object) : old == .at(object) || old == .unknown else { return nil }
        place.move(node, kind, to: isEntry ? .at(object) : .nowhere)
        return object
    }

    private mutating func object(_ kind: FlareClass, _ name: String) throws(Refusal) -> FlareID {
        guard let id = place.id(kind, name) else {
            let name = Words.value(.string(name))
            throw Refusal(.unknownThing, "events: there is no \(kind.rawValue) \(name) in the place")
        }
        return id
    }
}

extension RuleSimulation.Row {
    /// A line of CSV with the local time and its offset.
    package func csv(in zone: ZoneTable) -> String {
        "\(zone.local(at: at)),\(Self.quoted(slug)),\(Self.quoted(why))"
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
            return text
        }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + parts.joined(separator: "\"\"") + "\""
    }
}
