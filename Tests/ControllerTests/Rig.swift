import CommandFixture
import Controller
import Flare
import JSON
import Things

/// A controller with an owner, a sample server, a manual clock and a record of all effects.
struct Rig {
    var controller: DeviceController
    var server = HouseServer()
    /// Milliseconds since the start.
    var time: Int64 = 0
    /// Requests that the server has not answered yet.
    var asked: [FlareRequest] = []
    /// Without ``log``.
    private(set) var effects: [ControllerEffect] = []
    /// What was logged of who did what, which is the subject of few tests.
    private(set) var log: [CommandRecord] = []
    private var tickets = 0
    /// Whether the controller decides zone and nearby thing itself.
    let isSteady: Bool

    init(
        memory: PersistedState = PersistedState(),
        configuration: ControllerConfiguration = .init(),
        presence: ControllerConfiguration.Presence = .server,
        server: HouseServer = HouseServer()
    ) {
        var configuration = configuration
        configuration.presence = presence
        configuration.slices = Slices([
            Lifecycle(configuration.lifecycle), Screens(configuration.screens),
        ])
        isSteady = presence != .server
        self.server = server
        controller = DeviceController(epoch: "e1", configuration: configuration, memory: memory)
        controller.knowOwner()
    }

    /// A controller at home with its saved device, everything read and no request pending.
    static func atHome(
        _ configuration: ControllerConfiguration = .init(),
        presence: ControllerConfiguration.Presence = .server,
        server: HouseServer = HouseServer()
    ) -> Rig {
        var memory = PersistedState()
        memory.environment = House.home
        memory.devices = [House.home: House.homeDevice, House.office: House.officeDevice]
        var rig = Rig(memory: memory, configuration: configuration, presence: presence, server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        rig.effects = []
        _ = rig.controller.removeChanges()
        return rig
    }

    var state: ControllerState { controller.state }

    static func moment(_ time: Int64) -> Instant {
        Instant(wallMilliseconds: 1_800_000_000_000 + time, steadyMilliseconds: time)
    }

    /// Applies an event; the server's replies wait.
    @discardableResult
    mutating func happens(_ event: ControllerEvent, after milliseconds: Int64 = 0) -> [ControllerEffect] {
        time += milliseconds
        let all = controller.apply(event, at: Self.moment(time))
        let new = all.filter { if case .log = $0 { false } else { true } }
        log += all.compactMap { if case .log(let record) = $0 { record } else { nil } }
        effects += new
        asked += new.requests
        return new
    }

    @discardableResult
    mutating func notice(_ notice: FlareNotice, after milliseconds: Int64 = 0) -> [ControllerEffect] {
        happens(.flare(.notice(notice)), after: milliseconds)
    }

    /// Lets the server answer the oldest request, on its own or with the given result.
    @discardableResult
    mutating func serveOne(
        _ result: Result<FlareReply, FlareLinkError>? = nil
    ) -> [ControllerEffect] {
        guard !asked.isEmpty else { return [] }
        let request = asked.removeFirst()
        if let result { return happens(.flare(.replied(request, result))) }
        return server.carryOut(request).flatMap { happens(.flare($0)) }
    }

    /// Lets the server answer until no request is left.
    @discardableResult
    mutating func serve() -> [ControllerEffect] {
        var new: [ControllerEffect] = []
        while !asked.isEmpty { new += serveOne() }
        return new
    }

    /// Loses the link and all pending requests.
    @discardableResult
    mutating func lose() -> [ControllerEffect] {
        asked = []
        return happens(.flare(.linkDown(reason: "gone")))
    }

    @discardableResult
    mutating func command(_ order: Command.Operation, tx: JSONValue? = nil) -> [ControllerEffect] {
        tickets += 1
        return happens(.commandReceived(Command(ticket: tickets, operation: order, tx: tx)))
    }

    /// Sets attributes of a thing, by default the lamp.
    @discardableResult
    mutating func set(
        _ attributes: JSONObject,
        of slug: String = "lamp",
        over seconds: Double? = nil,
        partial: Bool = false,
        tx: JSONValue? = nil
    ) -> [ControllerEffect] {
        command(
            .set(.thing(slug), ThingRequest(attributes: attributes, transition: seconds, isPartial: partial)),
            tx: tx
        )
    }

    /// Lets things at the edge answer their orders, all of each in the same way.
    @discardableResult
    mutating func answer(
        _ orders: [EdgeOrder],
        _ result: Result<JSONValue?, Refusal> = .success(nil)
    ) -> [ControllerEffect] {
        orders.flatMap { order in happens(.edgeAnswered(order, order.orders.map { _ in result })) }
    }

    func lamp(_ key: String) -> JSONValue? { state.things[House.lamp]?.data[key] }
}

extension [ControllerEffect] {
    var requests: [FlareRequest] { compactMap { if case .flare(let request) = $0 { request } else { nil } } }
    /// The orders for things at the edge.
    var orders: [EdgeOrder] { compactMap { if case .edge(let order) = $0 { order } else { nil } } }
    var answers: [Answer] { compactMap { if case .answer(let answer) = $0 { answer } else { nil } } }
    /// All events but those of the lifecycle.
    var events: [ChangeEvent] { allEvents.filter { $0.topic != .lifecycle } }
    /// The calls of the lifecycle.
    var calls: [String] { allEvents.filter { $0.topic == .lifecycle }.map(\.type) }
    /// Without what the lifecycle causes: its calls, its log, and the grace of the sensors.
    var besidesLifecycle: [ControllerEffect] {
        filter {
            switch $0 {
            case .emit(let event): event.topic != .lifecycle
            case .remember(.slice), .startTimer(.sensorGrace, _), .stopTimer(.sensorGrace): false
            default: true
            }
        }
    }
    var allEvents: [ChangeEvent] {
        compactMap { if case .emit(let event) = $0 { event } else { nil } }
    }
    var codes: [RefusalCode?] { answers.map(\.refusal?.code) }

    /// The events by topic and type.
    var eventNames: [String] { events.map { "\($0.topic.rawValue) \($0.type)" } }
}
