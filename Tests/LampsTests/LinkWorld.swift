import Flare
import JSON
import Lamps
import SeededRandom
import Things

/// A thing at a server, a lamp on a broker, and the link between them, on a manual clock.
///
/// Everything takes its time and arrives in order on its way: orders, what the lamp says, requests, answers, and what
/// is seen of the thing.
struct LinkWorld {
    /// Delays, milliseconds.
    struct Delays {
        var order: ClosedRange<Int64> = 5...300
        var report: ClosedRange<Int64> = 5...300
        var request: ClosedRange<Int64> = 1...40
        var sight: ClosedRange<Int64> = 1...40
    }

    enum Occurrence {
        case lampOrdered(LampMessage)
        case lampReported(JSONValue)
        case requested(ThingRequest)
        case answered(Refusal?)
        case thingSeen(FlareThing)
        case woken
        case broker(Bool)
        case availability(Bool?)
    }

    static let topic = "zigbee2mqtt/lamp"
    private(set) var now: Int64 = 1_000_000
    private(set) var link: LampLink
    private(set) var thing: FlareThing
    /// The lamp's state: `state`, `brightness` and `color` of zigbee2mqtt.
    private(set) var lamp: JSONObject
    var isDeaf = false
    /// Whether it has only percent steps, whole degrees of hue and nothing below 5 %.
    var isCoarse = false
    /// Whether it lacks white light.
    var hasOnlyColours = false
    /// Whether it reports intermediate states of a transition.
    var isGradual = false
    var isMute = false
    /// Whether the server refuses every change.
    var isServerAway = false
    /// Whether the broker is disconnected.
    private(set) var isCut = false
    var delays = Delays()
    private var generator: SplitMix64
    private var queue: [(at: Int64, order: Int, what: Occurrence)] = []
    private var nextOrder = 0
    private var lastOnWay: [String: Int64] = [:]

    private(set) var orders: [LampMessage] = []
    private(set) var requests: [ThingRequest] = []
    private(set) var conditions: [LampLink.Condition] = []
    private(set) var notes: [String] = []

    init(
        seed: UInt64 = 1,
        thing data: JSONObject = ["on": false, "brightness": 0.5, "color": "red"],
        lamp: JSONObject = ["state": "OFF", "brightness": 127, "color": ["r": 255, "g": 0, "b": 0]]
    ) {
        generator = SplitMix64(seed: seed)
        link = LampLink(ZigbeeLamp(topic: Self.topic), seed: seed)
        thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = data
        self.lamp = lamp
    }

    /// Connects, passes the thing, and runs until nothing is pending.
    mutating func start() {
        setBroker(up: true)
        perform(link.thingSeen(LinkedThing(thing), at: now))
        settle()
    }

    // MARK: User actions

    /// A user changes the thing at the server.
    mutating func setThing(_ data: JSONObject, over seconds: Double? = nil) {
        thing.data.merge(data) { $1 }
        if let seconds {
            var before = thing
            before.data.merge(data) { $1 }
            perform(
                link.thingSeen(LinkedThing(before, goal: ThingPatch(before.light), seconds: seconds), at: now)
            )
        } else {
            later(.thingSeen(thing), delays.sight, on: "sight")
        }
    }

    /// A user presses the lamp's switch.
    mutating func pressLamp(_ change: JSONObject) {
        lamp.merge(change) { $1 }
        report()
    }

    mutating func setBroker(up: Bool) {
        isCut = !up
        if !up { queue.removeAll { if case .lampReported = $0.what { true } else { false } } }
        perform(link.brokerChanged(isUp: up, at: now))
    }

    mutating func setAvailable(_ isOnline: Bool) {
        later(.availability(isOnline), delays.report, on: "report")
    }

    mutating func clearAvailability() { later(.availability(nil), delays.report, on: "report") }

    mutating func say(_ payload: String) {
        guard let report = try? link.reading(payload) else { return }
        perform(link.lampSaid(report, on: Self.topic, at: now))
    }

    // MARK: Time

    /// Advances the clock by milliseconds and runs all events.
    mutating func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let next = nextOccurrence(until: end) {
            now = max(now, next.at)
            happen(next.what)
        }
        now = end
    }

    /// Runs until nothing is pending; at most two minutes.
    mutating func settle() { pass(120_000) }

    private mutating func nextOccurrence(until end: Int64) -> (at: Int64, what: Occurrence)? {
        let due = link.nextDue(after: now)
        let first = queue.indices.min { (queue[$0].at, queue[$0].order) < (queue[$1].at, queue[$1].order) }
        if let first, due.map({ queue[first].at <= $0 }) ?? true {
            guard queue[first].at <= end else { return nil }
            let taken = queue.remove(at: first)
            return (taken.at, taken.what)
        }
        return due.flatMap { $0 <= end ? ($0, .woken) : nil }
    }

    private mutating func happen(_ what: Occurrence) {
        switch what {
        case .woken: perform(link.timePassed(at: now))
        case .broker(let isUp): setBroker(up: isUp)
        case .availability(let isOnline):
            perform(link.lampSaid(.available(isOnline), on: Self.topic + "/availability", at: now))
        case .lampOrdered(let message): obey(message)
        case .lampReported(let members):
            guard let report = try? link.reading(members.text) else { return }
            perform(link.lampSaid(report, on: Self.topic, at: now))
        case .thingSeen(let thing): perform(link.thingSeen(LinkedThing(thing), at: now))
        case .requested(let request):
            guard !isServerAway else {
                return later(.answered(Refusal(.serverUnreachable, "away")), delays.sight, on: "answer")
            }
            switch request.settled(on: thing, thing.shape) {
            case .failure(let refusal): later(.answered(refusal), delays.sight, on: "answer")
            case .success(let setting):
                thing.data = thing.shape.changed(thing.data, by: setting.patch)
                later(.thingSeen(thing), delays.sight, on: "sight")
                later(.answered(nil), delays.sight, on: "answer")
            }
        case .answered(let refusal):
            // The answer comes with the thing's current state.
            perform(link.thingSeen(LinkedThing(thing), at: now))
            queue.removeAll { if case .thingSeen = $0.what { true } else { false } }
            perform(link.answered(refusal, at: now))
        }
    }

    private mutating func later(_ what: Occurrence, _ range: ClosedRange<Int64>, on way: String) {
        let at = max(now + Int64.random(in: range, using: &generator), lastOnWay[way] ?? 0)
        lastOnWay[way] = at
        // Unread states are often replaced by the newest.
        if case .thingSeen = what, Bool.random(using: &generator) {
            queue.removeAll { if case .thingSeen = $0.what { true } else { false } }
        }
        nextOrder += 1
        queue.append((at, nextOrder, what))
    }

    private mutating func report() {
        guard !isMute, !isCut else { return }
        later(.lampReported(.object(lamp)), delays.report, on: "report")
    }

    private mutating func obey(_ message: LampMessage) {
        guard !isDeaf, !isCut, var members = try? JSONValue(parsing: message.payload).object else { return }
        if hasOnlyColours { members["color_temp"] = nil }
        if message.topic.hasSuffix("/set") {
            let before = lamp["brightness"]?.number ?? 0
            for key in ["state", "brightness", "color", "color_temp"] {
                lamp[key] = members[key] ?? lamp[key]
            }
            if members["color_temp"] != nil { lamp["color_mode"] = "color_temp" }
            if members["color"] != nil { lamp["color_mode"] = "xy" }
            if isCoarse { coarsen() }
            if isGradual, let after = lamp["brightness"]?.number {
                var onTheWay = lamp
                onTheWay["brightness"] = .number(((before + after) / 2).rounded())
                later(.lampReported(.object(onTheWay)), delays.report, on: "report")
            }
        }
        report()
    }

    private mutating func coarsen() {
        guard case .state(let state, _)? = try? link.reading(JSONValue.object(lamp).text) else { return }
        if let level = state.level {
            lamp["brightness"] = .number((max((level * 100).rounded(), 5) * 2.54).rounded())
        }
        if let (hue, saturation, _) = state.colour?.hueSaturationValue {
            lamp["color"] = [
                "hue": .number(hue.rounded()), "saturation": .number((saturation * 100).rounded()),
            ]
        }
    }

    private mutating func perform(_ actions: [LampLink.Action]) {
        for action in actions {
            switch action {
            case .publish(let messages):
                orders += messages
                for message in messages { later(.lampOrdered(message), delays.order, on: "order") }
            case .set(let request):
                requests.append(request)
                later(.requested(request), delays.request, on: "request")
            case .report(let condition): conditions.append(condition)
            case .log(let text): notes.append(text)
            }
        }
    }

    // MARK: Results

    /// Commands without state requests.
    var sets: [LampMessage] { orders.filter { $0.topic.hasSuffix("/set") } }

    mutating func forget() {
        orders = []
        requests = []
        conditions = []
    }

    var light: LightValues { thing.light }

    /// The states of lamp and thing.
    var ends: (thing: LampState, lamp: LampState) {
        guard case .state(let shown, _)? = try? link.reading(JSONValue.object(lamp).text) else {
            return (LampState(thing.light), LampState())
        }
        return (LampState(thing.light), shown)
    }

    var isEqual: Bool { ends.thing.isShown(by: ends.lamp) }
}

extension LampLink {
    /// A report with a payload on the lamp's state topic.
    func reading(_ payload: String) throws(LampMessageError) -> LampReport {
        try ZigbeeLamp(topic: LinkWorld.topic).report(on: LinkWorld.topic, Array(payload.utf8))
    }
}

extension LinkWorld {
    /// A thing and a lamp that agree, before any message.
    static func inAgreement(
        thing: JSONObject = ["on": true, "brightness": 0.5, "color": "orange"],
        lamp: JSONObject = [
            "state": "ON", "brightness": 127, "color": ["r": 255, "g": 165, "b": 0],
        ],
        _ change: (inout LinkWorld) -> Void = { _ in }
    ) -> LinkWorld {
        var world = LinkWorld(thing: thing, lamp: lamp)
        change(&world)
        world.start()
        world.forget()
        return world
    }
}

extension FlareThing {
    var shape: ThingShape { ThingShape(self) }
    var light: LightValues { shape.light(of: data) }
}

extension LinkedThing {
    init?(_ thing: FlareThing, kind: ThingKind? = nil, goal: ThingPatch? = nil, seconds: Double? = nil) {
        self.init(thing, ThingShape(thing, kind: kind), goal: goal, seconds: seconds)
    }
}
