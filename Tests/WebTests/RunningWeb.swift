import Controller
import Flare
import HTTPListener
import JSON
import Logging
import Messages
import ServiceLifecycle
import TestSupport
import Testing
import Things
import Threading
@testable import Web

/// A place with a red lamp in a kitchen and the users of ``Users``, without a controller: commands are recorded, and
/// `respond` answers them.
final class FakeNode: Sendable {
    static let environment = FlareID(high: 1, low: 0)
    static let kitchen = FlareID(high: 2, low: 0)
    static let lamp = FlareID(high: 3, low: 0)

    struct Heard {
        var commands: [Command] = []
        var events: [ControllerEvent] = []
    }

    let loop: LoopExecutor
    private let place: Locked<ControllerState>
    private let heard = Locked(Heard())
    let hub: Locked<WebHub?> = Locked(nil)
    /// The wall clock, milliseconds.
    let wall = Locked<Int64>(0)
    /// `control.read_only`.
    let readOnly = Locked<[String]>([])
    /// What its capabilities provide.
    let routes = Locked<[WebRoute]>(.tested)
    /// `nil` answers no command.
    let respond: @Sendable (Command) -> Answer?

    init(
        respond: @escaping @Sendable (Command) -> Answer? = {
            var answer = Answer(ticket: $0.ticket, tx: $0.tx, subject: .set)
            answer.actor = $0.actor
            return answer
        }
    ) throws {
        loop = try LoopExecutor()
        place = Locked(Self.state())
        self.respond = respond
    }

    /// The state; changes are observed by the hub as one turn.
    var state: ControllerState { place.withLock { $0 } }

    var commands: [Command] { heard.withLock { $0.commands } }
    var events: [ControllerEvent] { heard.withLock { $0.events } }

    func change(_ changes: Set<StateChange>, _ body: @escaping @Sendable (inout ControllerState) -> Void) {
        loop.perform { [self] in
            let state = place.withLock { state in
                body(&state)
                return state
            }
            hub.withLock { $0 }?.assumeIsolated { $0.observe(StateSnapshot(state: state, changes: changes)) }
        }
    }

    func receive(_ event: ControllerEvent) {
        heard.withLock { $0.events.append(event) }
        let event = if case .node(_, let event) = event { event } else { event }
        guard case .commandReceived(let command) = event else { return }
        heard.withLock { $0.commands.append(command) }
        loop.perform { [self] in
            guard let answer = respond(command) else { return }
            hub.withLock { $0 }?.assumeIsolated { $0.receive(answer) }
        }
    }

    /// Users or their rights have changed.
    func look() {
        loop.perform { [self] in hub.withLock { $0 }?.assumeIsolated { $0.lookAgain() } }
    }

    /// Whether the policies of a real node would allow a change.
    func allows(_ request: ChangeRequest) -> Bool {
        let readOnly = ReadOnlyPolicy(readOnly.withLock { $0 })
        let policies: [any CommandPolicy] = [readOnly, LevelPolicy(), PeoplePolicy()]
        return policies.allSatisfy { $0.allows(request, in: state) }
    }

    /// The counters of its hub.
    var counters: WebCounters { hub.withLock { $0 }?.counters.withLock { $0 } ?? WebCounters() }

    static var now: Instant {
        let elapsed = start.duration(to: .now) / .milliseconds(1)
        return Instant(wallMilliseconds: 0, steadyMilliseconds: Int64(elapsed))
    }

    private static let start = ContinuousClock.now

    static func state() -> ControllerState {
        var state = ControllerState(epoch: "0123456789abcdef")
        state.node = "wall"
        state.people = Users.table([])
        var environment = FlareEnvironment(id: Self.environment)
        environment.name = "Flat"
        var zone = FlareZone(id: kitchen)
        (zone.name, zone.environment) = ("Kitchen", Self.environment)
        var thing = FlareThing(id: lamp)
        (thing.name, thing.zone, thing.position) = ("Red lamp", kitchen, Point3D(x: 1, y: 2, z: 3))
        thing.data = ["on": true, "color": "red", "options": ["red", "blue"], "note": "<b>"]
        thing.actions = ["nextColor"]
        state.environments[environment.id] = environment
        state.environmentID = environment.id
        state.zones[zone.id] = zone
        state.things[thing.id] = thing
        state.slugs.restore("flat", for: ObjectReference(.environment, environment.id))
        state.slugs.restore("kitchen", for: ObjectReference(.zone, zone.id))
        state.slugs.restore("red-lamp", for: ObjectReference(.thing, thing.id))
        state.isLinkUp = true
        state.lifecycle.isLinked = true
        state.lifecycle.isPlaceLoaded = true
        _ = state.lifecycle.update()
        return state
    }
}

/// Serves a node on a free port while the body runs, then shuts down gracefully.
func withWeb(
    _ node: FakeNode,
    _ change: (inout WebConfiguration) -> Void = { _ in },
    problems: @escaping @Sendable () async -> [HealthProblem] = { [] },
    metrics: @escaping @Sendable () async -> [Metric] = { [] },
    people: WebPeople = Users.people(Users.Known()),
    page: @escaping @Sendable () -> PageFiles = { .embedded },
    logger: Logger = .silent,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Void
) async throws {
    var configuration = WebConfiguration(port: 0)
    change(&configuration)
    let hub = WebHub(
        configuration,
        node: WebNode(
            loop: node.loop,
            commands: .tested,
            routes: { node.routes.withLock { $0 } },
            state: { node.state },
            send: { node.receive($0) },
            clock: {
                Instant(
                    wallMilliseconds: node.wall.withLock { $0 },
                    steadyMilliseconds: FakeNode.now.steadyMilliseconds
                )
            },
            allows: { node.allows($0) },
            people: people
        )
    )
    node.hub.withLock { $0 = hub }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let service = WebService(
        configuration,
        hub: hub,
        problems: problems,
        metrics: metrics,
        page: page,
        logger: logger
    ) {
        port.yield($0)
        port.finish()
    }
    let group = ServiceGroup(services: [service], logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { port.finish() }
            try await group.run()
        }
        for await port in ports { try await body(port) }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

/// A POST of JSON.
func post(_ path: String, _ body: String, port: Int, headers: [String] = []) async throws -> WireClient.Reply
{
    try await request(
        "POST",
        path,
        port: port,
        headers: ["Content-Type: application/json"] + headers,
        body: body
    )
}
