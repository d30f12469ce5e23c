import CommandFixture
import Controller
import Flare
import JSON
import SeededRandom
import Testing
import Things

/// A random scenario: commands, sensors, other clients, and a server that is slow, fails or disconnects.
struct RandomScenario {
    private(set) var rig: Rig
    private var dice: SplitMix64
    private var timers: [ControllerTimer: Int64] = [:]
    /// Requests pending when the link was lost, still to be answered with a failure.
    private var lost: [FlareRequest] = []
    private var watch = Watch()
    private var removed: [FlareThing] = []

    private var edge = RandomEdge()

    /// Whether things have profiles.
    private let isManaged: Bool

    init(seed: UInt64, isManaged: Bool = false) {
        self.isManaged = isManaged
        dice = SplitMix64(seed: seed)
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        configuration.brightnessByProximity = dice.chance(3)
        let presence: ControllerConfiguration.Presence = dice.chance(2) ? .server : .steady(.init())
        var server = HouseServer()
        if isManaged {
            configuration.catalog = Managed.catalog
            server.things = Managed.things
        }
        rig = Rig(configuration: configuration, presence: presence, server: server)
    }

    mutating func step() {
        switch dice.number(below: 23) {
        case 20, 21, 22: happenAtEdge()
        case 0..<6: command()
        case 6..<12: serve()
        case 12: sense()
        case 13: others()
        case 14: remodel()
        case 15: if dice.chance(4) { changeLink() }
        case 16: if dice.chance(4) { happens(House.located(Double(10 * (1 + dice.number(below: 4))))) }
        case 17: if dice.chance(4) { clearTopics() }
        default: passTime(Int64(dice.number(below: 700)))
        }
    }

    /// The broker confirms empty topics, of removed objects or any others.
    private mutating func clearTopics() {
        let names = [FlareClass.environment, .zone, .thing].flatMap { kind in
            rig.state.slugs.objects(of: kind).compactMap { object in
                rig.state.slugs[kind, object.id].map { ObjectName(kind, $0) }
            }
        }
        happens(.topicsCleared(names.sorted { $0.slug < $1.slug }))
    }

    /// Completes all requests and timers, then checks the final state.
    mutating func settle() {
        if !rig.state.isLinkUp { changeLink() }
        for _ in 0..<20_000 where !rig.asked.isEmpty || !timers.isEmpty || !edge.isIdle {
            if let event = edge.answer() {
                happens(event)
            } else if rig.asked.isEmpty {
                passTime(1000)
            } else {
                answerOne()
            }
        }
        // What was asked for and never answered is known from a report.
        for event in edge.reports() { happens(event) }
        answerAll()
        #expect(rig.asked.isEmpty && timers.isEmpty, "requests or timers are left over")
        if rig.asked.isEmpty { checkRest() }
        for thing in rig.state.things.keys.sorted() {
            happens(command(.set(.thing("\(thing)"), ThingRequest(attributes: ["state": "TOGGLE"]))))
            answerAll()
        }
        checkRest()
    }

    // MARK: Events

    private mutating func happens(_ event: ControllerEvent) {
        let before = rig.state
        let effects = rig.happens(event)
        for effect in effects {
            switch effect {
            case .startTimer(let timer, let milliseconds): timers[timer] = rig.time + milliseconds
            case .stopTimer(let timer): timers[timer] = nil
            case .edge(let order): edge.receive(order)
            default: break
            }
        }
        watch.look(effects, before, &rig)
    }

    private mutating func command(_ order: Command.Operation) -> ControllerEvent {
        let ticket = watch.ticket()
        var command = Command(ticket: ticket, operation: order, tx: JSONValue(ticket))
        if dice.chance(3) {
            let now = Rig.moment(rig.time).wallMilliseconds
            let deadline = now + Int64(dice.number(below: 4000)) - 500
            command.batch = EdgeBatch(id: dice.pick(["a", "b"], else: "a"), deadline: deadline)
        }
        return .commandReceived(command)
    }

    private mutating func command() {
        let names = ["lamp", "floor-lamp", "kettle", "screen", "nothing"]
        let target =
            dice.chance(4) ? Command.Target.nearby(ifID: nil) : .thing(dice.pick(names, else: "lamp"))
        let order: Command.Operation
        switch dice.number(below: 16) {
        case 0..<8:
            var attributes: JSONObject = [:]
            for _ in 0...dice.number(below: 2) {
                let all = isManaged ? Self.attributes + Managed.attributes : Self.attributes
                let (name, values) = dice.pick(all, else: ("state", ["ON"]))
                attributes[name] = dice.pick(values, else: "ON")
            }
            let seconds = dice.chance(3) ? Double(dice.number(below: 3)) : nil
            order = .set(
                target,
                ThingRequest(attributes: attributes, transition: seconds, isPartial: dice.chance(3))
            )
        case 8, 9:
            let names = ["lighter", "off", "boil", "north", "x"] + (isManaged ? Managed.actions : [])
            order = .action(target, name: dice.pick(names, else: "on"))
        case 10: order = .get(target)
        case 11: order = .setDevice(deviceChange())
        case 12:
            let choices: [ChooseEnvironment] = [
                .next, .previous, .named("office"), .named("home"), .named("x"),
            ]
            order = .chooseEnvironment(dice.pick(choices, else: .next))
        // Keep CMX on: without it, positions set by others are ignored and the zones may differ.
        case 13:
            order = .switchSensor(
                dice.pick([.gps, .beacons, .compass], else: .gps),
                on: dice.number(below: 3) > 0
            )
        case 14: order = .refresh
        default: order = dice.pick([.ping, .snapshot, .reload], else: .ping)
        }
        happens(command(order))
        if order == .reload { happens(.configurationRead(problem: "none")) }
    }

    private static let attributes: [(String, [JSONValue])] = [
        ("state", ["ON", "OFF", "TOGGLE", "TOGGLE"]), ("level", [0, 0.2, 0.7, 1]),
        ("brightness", [0, 255, "50%", 999]),
        ("color", ["red", "green", "#102030", "nocolour"]), ("temperature", [20, 90, "hot"]),
    ]

    private mutating func deviceChange() -> SetDevice {
        var change = SetDevice()
        if dice.chance(2) { change.angle = Double(5 * dice.number(below: 72)) }
        if dice.chance(2) { change.name = dice.pick(["a", "b"], else: "c") }
        if dice.chance(2) || change == .init() { change.position = point() }
        return change
    }

    private mutating func point() -> Point3D {
        Point3D(x: Double(dice.number(below: 9)), y: Double(dice.number(below: 6)))
    }

    private mutating func sense() {
        let quality: PositionFix.Quality = dice.chance(5) ? .lost : .good
        let point = point()
        happens(
            dice.chance(3)
                ? .headingChanged(degrees: Double(5 * dice.number(below: 72)))
                : House.estimate(point.x, point.y, quality)
        )
    }

    /// Advances the clock and fires due timers; now and then fires one that was stopped too late.
    private mutating func passTime(_ milliseconds: Int64) {
        rig.time += milliseconds
        for (timer, due) in timers.sorted(by: { $0.value < $1.value })
        where due <= rig.time && timers[timer] == due {
            timers[timer] = nil
            happens(.timerFired(timer))
        }
        if dice.chance(20) {
            happens(
                .timerFired(
                    dice.pick([.exitCheck, .positionDue, .transitionStep(House.lamp)], else: .headingDue)
                )
            )
        }
    }

    private mutating func checkRest() {
        if rig.isSteady {
            // The last position counts again when no update arrives.
            for _ in 0..<2 {
                rig.time += 1500
                happens(.timerFired(.presenceCheck))
            }
            answerAll()
        }
        watch.checkRest(rig)
    }

    // MARK: The server

    private mutating func serve() {
        guard let request = rig.asked.first else { return }
        var isOwnPosition = false
        if case .setPosition(_, _, nil) = request { isOwnPosition = true }
        switch dice.number(below: 30) {
        // A position takes effect when it is sent, so its request must not fail.
        case 0 where !isOwnPosition:
            rig.asked.removeFirst()
            happens(.flare(.replied(request, .failure(.rejected("no")))))
        case 1:
            // Carried out, but the reply is lost.
            rig.asked.removeFirst()
            for event in rig.server.carryOut(request).dropLast() { happens(.flare(event)) }
            happens(.flare(.replied(request, .failure(.timedOut(seconds: 5)))))
        default: answerOne()
        }
    }

    private mutating func answerOne() {
        guard !rig.asked.isEmpty else { return }
        let request = rig.asked.removeFirst()
        for event in rig.server.carryOut(request) { happens(.flare(event)) }
    }

    private mutating func answerAll() {
        while !rig.asked.isEmpty || !edge.isIdle {
            if let event = edge.answer() { happens(event) }
            answerOne()
        }
    }

    /// A thing comes to the edge or leaves it, reports, answers, or fails to.
    private mutating func happenAtEdge() {
        if let event = edge.step(&dice) { happens(event) }
    }

    private mutating func changeLink() {
        if rig.state.isLinkUp {
            lost = rig.asked
            rig.asked = []
            rig.server.subscribed = []
            for request in lost.prefix(dice.number(below: 2 + lost.count)) {
                _ = rig.server.carryOut(request)
            }
            happens(.flare(.linkDown(reason: "gone")))
        } else {
            for request in lost { happens(.flare(.replied(request, .failure(.unreachable("gone"))))) }
            lost = []
            happens(.flare(.linkUp))
        }
    }

    /// Delivers notices to a subscribed client.
    private mutating func announce(_ notices: [FlareNotice], _ environment: FlareID?) {
        guard rig.state.isLinkUp, let environment, rig.server.subscribed.contains(environment) else { return }
        for notice in notices { happens(.flare(.notice(notice))) }
    }

    /// Another client sets a thing or moves this device.
    private mutating func others() {
        if dice.chance(2), let index = rig.server.things.indices.randomElement(using: &dice) {
            var values: JSONObject = [
                dice.pick(["on", "x"], else: "x"): .bool(dice.chance(2)),
                "brightness": .number(Double(dice.number(below: 10)) / 10),
            ]
            if isManaged {
                let (name, choices) = dice.pick(Managed.values, else: ("x", [1]))
                values[name] = dice.pick(choices, else: 1)
            }
            rig.server.things[index].data.merge(values) { $1 }
            let thing = rig.server.things[index]
            announce([.data(ObjectReference(.thing, thing.id), values, sender: "x")], thing.environment)
        } else if let index = rig.server.devices.indices.randomElement(using: &dice) {
            rig.server.devices[index].position = point()
            let device = rig.server.devices[index]
            let object = ObjectReference(.device, device.id)
            let moved = FlareNotice.position(object, device.position ?? .zero, sender: nil)
            announce([moved] + rig.server.moved(device.id), device.environment)
        }
    }

    /// Another client adds, changes or removes objects.
    private mutating func remodel() {
        switch dice.number(below: 6) {
        case 0, 1:
            guard let index = rig.server.things.indices.randomElement(using: &dice) else { return }
            rig.server.things[index].name = dice.pick(["Lamp", "Other"], else: "")
            changed(rig.server.things[index])
        case 2:
            guard removed.isEmpty, let index = rig.server.things.indices.randomElement(using: &dice) else {
                return
            }
            removed = [rig.server.things.remove(at: index)]
            for index in rig.server.devices.indices
            where rig.server.devices[index].nearest == removed.first?.id {
                rig.server.devices[index].nearest = nil
            }
            for thing in removed { changed(thing) }
        case 3:
            rig.server.things += removed
            for thing in removed { changed(thing) }
            removed = []
        case 4:
            guard dice.chance(4), let device = rig.state.device else { return }
            rig.server.devices.removeAll { $0.id == device.id }
            announce(
                [.modelChanged(ObjectReference(.device, device.id), environment: device.environment)],
                device.environment
            )
        default:
            guard dice.chance(4) else { return }
            let home = House.environments.filter { $0.id == House.home }
            let isThere = rig.server.environments.contains { $0.id == House.home }
            rig.server.environments =
                isThere
                ? rig.server.environments.filter { $0.id != House.home } : rig.server.environments + home
            // The embedded server reports environment changes to all clients.
            if rig.state.isLinkUp {
                happens(
                    .flare(
                        .notice(
                            .modelChanged(ObjectReference(.environment, House.home), environment: House.home)
                        )
                    )
                )
            }
        }
    }

    private mutating func changed(_ thing: FlareThing) {
        guard let environment = thing.environment else { return }
        let stored = rig.server.things.first { $0.id == thing.id }
        announce([.thingChanged(thing.id, stored, environment: environment)], environment)
    }
}
