import Flare
import JSON
import Lamps
import SeededRandom
import Things

/// Two daemons, each with a thing whose lamp is the other's thing, on a manual clock.
///
/// Everything between them takes its time and arrives in order on its way: commands, and what is said of a thing, which
/// is only said when it is different.
struct CrossedWorld {
    enum Occurrence {
        case ordered(to: Int, LampMessage)
        case reported(to: Int, JSONValue)
        case requested(Int, ThingRequest)
        case seen(Int)
        case answered(Int, Refusal?)
    }

    private static let topics = ["trilateral/one/things/lamp", "trilateral/two/things/lamp"]
    private(set) var now: Int64 = 1_000_000
    private(set) var links: [LampLink]
    private(set) var things: [FlareThing]
    private var told: [JSONValue]
    private let delays: ClosedRange<Int64>
    private var generator: SplitMix64
    private var queue: [(at: Int64, order: Int, what: Occurrence)] = []
    private var nextOrder = 0
    private var lastOnWay: [String: Int64] = [:]
    private(set) var actions = 0
    private(set) var conditions: [LampLink.Condition] = []

    init(seed: UInt64, delays: ClosedRange<Int64>, things data: [JSONObject]) {
        self.delays = delays
        generator = SplitMix64(seed: seed)
        links = [0, 1].map { own in
            LampLink(
                JSONLamp(stateTopic: Self.topics[1 - own], commandTopic: Self.topics[1 - own] + "/set"),
                seed: seed &* 2 &+ UInt64(own)
            )
        }
        things = data.map { data in
            var thing = FlareThing(id: FlareID(high: 1, low: 1))
            thing.data = data
            return thing
        }
        told = things.map(Self.shape)
    }

    /// Both receive the other's retained state.
    mutating func start() {
        for own in [0, 1] {
            perform(links[own].brokerChanged(isUp: true, at: now), own)
            perform(links[own].thingSeen(LinkedThing(things[own]), at: now), own)
            later(.reported(to: own, told[1 - own]), on: "report \(own)")
        }
    }

    /// A user changes one of the things.
    mutating func set(_ data: JSONObject, of own: Int) {
        things[own].data.merge(data) { $1 }
        changed(own)
    }

    /// The published state, as far as links read it.
    private static func shape(_ thing: FlareThing) -> JSONValue {
        let light = thing.light
        var members: JSONObject = ["state": light.isOn ? "ON" : "OFF"]
        members["brightness"] = light.brightness.map { JSONValue($0) }
        members["color"] = light.rgb.map {
            ["r": JSONValue(Int($0.red)), "g": JSONValue(Int($0.green)), "b": JSONValue(Int($0.blue))]
        }
        return .object(members)
    }

    var shapes: [JSONValue] { things.map(Self.shape) }

    /// Visibly equal: a light that is off has no colour.
    var isEqual: Bool {
        let states = things.map { LampState($0.light) }
        return states[0].isShown(by: states[1])
    }

    // MARK: Time

    mutating func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while true {
            let first = queue.min { ($0.at, $0.order) < ($1.at, $1.order) }
            let dues = [0, 1].compactMap { own in links[own].nextDue(after: now).map { ($0, own) } }
            let due = dues.min { $0 < $1 }
            if let first, first.at <= due?.0 ?? .max {
                guard first.at <= end else { break }
                queue.removeAll { $0.order == first.order }
                now = max(now, first.at)
                happen(first.what)
            } else if let due, due.0 <= end {
                now = max(now, due.0)
                perform(links[due.1].timePassed(at: now), due.1)
            } else {
                break
            }
        }
        now = end
    }

    private mutating func happen(_ what: Occurrence) {
        switch what {
        case .ordered(let own, let message):
            guard var members = try? JSONValue(parsing: message.payload).object else { return }
            members["transition"] = nil
            apply(ThingRequest(attributes: members), to: own)
        case .reported(let own, let shape):
            guard
                let report = try? JSONLamp(stateTopic: "s", commandTopic: "c").report(
                    on: "s",
                    Array(shape.text.utf8)
                )
            else { return }
            perform(links[own].lampSaid(report, on: Self.topics[1 - own], at: now), own)
        case .requested(let own, let request):
            let refusal = apply(request, to: own)
            later(.answered(own, refusal), on: "answer \(own)", 1...40)
        case .seen(let own): perform(links[own].thingSeen(LinkedThing(things[own]), at: now), own)
        case .answered(let own, let refusal):
            perform(links[own].thingSeen(LinkedThing(things[own]), at: now), own)
            perform(links[own].answered(refusal, at: now), own)
        }
    }

    @discardableResult
    private mutating func apply(_ request: ThingRequest, to own: Int) -> Refusal? {
        switch request.settled(on: things[own], things[own].shape) {
        case .failure(let refusal): return refusal
        case .success(let setting):
            things[own].data = things[own].shape.changed(things[own].data, by: setting.patch)
            changed(own)
            return nil
        }
    }

    private mutating func changed(_ own: Int) {
        later(.seen(own), on: "sight \(own)", 1...40)
        let shape = Self.shape(things[own])
        guard shape != told[own] else { return }
        told[own] = shape
        later(.reported(to: 1 - own, shape), on: "report \(1 - own)")
    }

    private mutating func later(_ what: Occurrence, on way: String, _ range: ClosedRange<Int64>? = nil) {
        let at = max(now + Int64.random(in: range ?? delays, using: &generator), lastOnWay[way] ?? 0)
        lastOnWay[way] = at
        nextOrder += 1
        queue.append((at, nextOrder, what))
    }

    private mutating func perform(_ new: [LampLink.Action], _ own: Int) {
        for action in new {
            switch action {
            case .publish(let messages):
                actions += 1
                for message in messages { later(.ordered(to: 1 - own, message), on: "order \(own)") }
            case .set(let request):
                actions += 1
                later(.requested(own, request), on: "request \(own)", 1...40)
            case .report(let condition): conditions.append(condition)
            case .log: break
            }
        }
    }
}
