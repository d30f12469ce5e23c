import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// A story: timed inputs, and their outcome as effects in order and changes of the state.
///
/// `given` names the saved state and the switches. Each step has `at` (milliseconds) and an input: `link`,
/// `serve` (how many requests the server answers, or `all`), `position`, `heading`, `located`, `broker`,
/// `timedOut`, `serverSets`, what happens to a thing at the edge (`edge`, `online`, `reports`, `done`, `fails`), or a
/// command: `set`, `action`, `environment`, `sensor`, `refresh`. Timers fire on their own. `then` and `state` are the
/// recorded outcome.
struct Story {
    private var rig: Rig
    private var timers: [ControllerTimer: Int64] = [:]
    private var tickets = 0
    private var lines: [JSONValue] = []
    /// The orders for things at the edge that are not answered yet.
    private var orders: [EdgeOrder] = []

    /// Runs a story.
    /// - Returns: The story with its actual outcome.
    static func outcome(_ story: JSONValue) throws -> JSONValue {
        var run = Story(given: story["given"] ?? [:])
        var result = story.object ?? [:]
        result["steps"] = .array(try (story["steps"]?.array ?? []).map { try run.step($0) })
        return .object(result)
    }

    private init(given: JSONValue) {
        var memory = PersistedState()
        memory.environment = given["environment"]?.string.flatMap(Self.id)
        for (environment, device) in given["devices"]?.object ?? [:] {
            guard let environment = Self.id(environment), let device = device.string.flatMap(Self.id) else {
                continue
            }
            memory.devices[environment] = device
        }
        for sensor in given["off"]?.array ?? [] {
            if let sensor = sensor.string.flatMap(SensorKind.init) { memory.sensors[sensor] = false }
        }
        rig = Rig(memory: memory)
    }

    private static func id(_ name: String) -> FlareID? { StoryText.names.first { $0.value == name }?.key }

    private mutating func step(_ step: JSONValue) throws -> JSONValue {
        var result = step.object ?? [:]
        lines = []
        let before = StoryText.view(rig.state)
        let time = Int64(step["at"]?.integer ?? Int(rig.time))
        fireTimers(until: time)
        rig.time = time
        try act(step)
        result["then"] = .array(lines)
        result["state"] = StoryText.difference(before, StoryText.view(rig.state))
        return .object(result)
    }

    private mutating func happens(_ event: ControllerEvent) {
        for effect in rig.happens(event) {
            switch effect {
            case .startTimer(let timer, let milliseconds): timers[timer] = rig.time + milliseconds
            case .stopTimer(let timer): timers[timer] = nil
            case .edge(let order): orders.append(order)
            default: break
            }
            lines.append(.string(StoryText.line(effect)))
        }
    }

    private mutating func fireTimers(until time: Int64) {
        while let next = timers.filter({ $0.value <= time }).min(by: { $0.value < $1.value }) {
            timers[next.key] = nil
            rig.time = next.value
            lines.append(.string("\(next.value) ms: \(StoryText.timer(next.key))"))
            happens(.timerFired(next.key))
        }
    }

    // MARK: Parsing steps

    private enum Mistake: Error { case unknownStep(JSONValue) }

    private mutating func act(_ step: JSONValue) throws {
        if let link = step["link"]?.string {
            if link == "up" {
                happens(.flare(.linkUp))
            } else {
                rig.asked = []
                happens(.flare(.linkDown(reason: "connection refused")))
            }
        } else if let count = step["serve"] {
            serve(count.integer ?? .max)
        } else if step["timedOut"] != nil {
            if !rig.asked.isEmpty {
                happens(.flare(.replied(rig.asked.removeFirst(), .failure(.timedOut(seconds: 5)))))
            }
        } else if let place = step["position"]?.array?.compactMap(\.number), place.count == 2 {
            let quality = step["quality"]?.string.flatMap(PositionFix.Quality.init) ?? .good
            happens(House.estimate(place[0], place[1], quality))
        } else if let degrees = step["heading"]?.number {
            happens(.headingChanged(degrees: degrees))
        } else if let degrees = step["located"]?.number {
            happens(House.located(degrees))
        } else if let isUp = step["broker"]?.bool {
            happens(.brokerLinkChanged(isUp: isUp))
        } else if let values = step["serverSets"]?.object, let name = step["of"]?.string,
            let id = Self.id(name)
        {
            for index in rig.server.things.indices where rig.server.things[index].id == id {
                rig.server.things[index].data.merge(values) { $1 }
            }
            guard rig.state.isLinkUp else { return }
            happens(.flare(.notice(.data(ObjectReference(.thing, id), values, sender: "somebody"))))
        } else if let name = step["of"]?.string, let thing = Self.id(name), actAtEdge(step, thing) {
            return
        } else {
            guard let order = Self.order(step) else { throw Mistake.unknownStep(step) }
            tickets += 1
            happens(.commandReceived(Command(ticket: tickets, operation: order, tx: step["tx"])))
        }
    }

    /// - Returns: Whether the step is about a thing at the edge.
    private mutating func actAtEdge(_ step: JSONValue, _ thing: FlareID) -> Bool {
        if let isAtEdge = step["edge"]?.bool {
            happens(.edge(thing, .routed(isAtEdge ? EdgeRoute(commandSeconds: 60) : nil)))
        } else if let isOnline = step["online"]?.bool {
            happens(.edge(thing, .status(isOnline: isOnline)))
        } else if let values = step["reports"]?.object {
            happens(.reported(thing, values))
        } else if step["done"] != nil || step["fails"] != nil {
            guard let index = orders.firstIndex(where: { $0.thing == thing }) else { return false }
            let reason = step["fails"]?.string.map { Refusal(.serverRejected, $0) }
            happens(.edgeAnswered(orders.remove(at: index), [reason.map { .failure($0) } ?? .success(nil)]))
        } else {
            return false
        }
        return true
    }

    private mutating func serve(_ count: Int) {
        var left = count
        while left > 0, let request = rig.asked.first {
            left -= 1
            rig.asked.removeFirst()
            for event in rig.server.carryOut(request) {
                lines.append(.string("server: \(StoryText.heard(event))"))
                happens(.flare(event))
            }
        }
    }

    private static func order(_ step: JSONValue) -> Command.Operation? {
        let target: Command.Target = step["of"]?.string.map { .thing($0) } ?? .nearby(ifID: nil)
        if let values = step["set"]?.object {
            return .set(target, ThingRequest(attributes: values, transition: step["over"]?.number))
        }
        if let name = step["action"]?.string { return .action(target, name: name) }
        if let name = step["environment"]?.string {
            return .chooseEnvironment(name == "next" ? .next : name == "previous" ? .previous : .named(name))
        }
        if let name = step["sensor"]?.string.flatMap(SensorKind.init), let on = step["on"]?.bool {
            return .switchSensor(name, on: on)
        }
        return step["refresh"] == nil ? nil : .refresh
    }
}
