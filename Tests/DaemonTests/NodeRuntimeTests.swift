import Controller
import Daemon
import Flare
import JSON
import People
import Testing
import Things
import Threading

/// The order of a node's effects, with a server that answers within the call.
@Suite(.timeLimit(.minutes(1)))
struct NodeRuntimeTests {
    private static let now = Instant(wallMilliseconds: 1_000, steadyMilliseconds: 1_000)

    private static func id(_ number: UInt32) -> FlareID { FlareID(high: 1, low: number) }

    private static func environment() throws -> FlareEnvironment {
        try #require(
            FlareEnvironment(json: ["_id": .string("\(id(1))"), "name": "House", "data": [:]])
        )
    }

    private static func lamp() throws -> FlareThing {
        try #require(
            FlareThing(
                json: [
                    "_id": .string("\(id(2))"), "name": "Lamp", "environment": .string("\(id(1))"),
                    "zone": .string("\(id(3))"), "position": ["x": 0, "y": 0, "z": 0], "data": ["on": false],
                ]
            )
        )
    }

    /// A node on a loop, and its effects.
    private final class Bench: Sendable {
        let loop: LoopExecutor
        let node: NodeRuntime
        private let effects = Locked<[String]>([])

        init() throws {
            let loop = try LoopExecutor()
            self.loop = loop
            var configuration = ControllerConfiguration()
            configuration.lifecycle = Lifecycle.Settings()
            let controller = DeviceController(
                epoch: "e",
                configuration: configuration,
                memory: PersistedState()
            )
            node = NodeRuntime(
                on: loop,
                controller: controller,
                clock: { NodeRuntimeTests.now },
                // No timer fires in these tests: the node ends before.
                sleep: { _ in try await Task.sleep(for: .seconds(3600)) },
                program: ProgramInfo(started: NodeRuntimeTests.now)
            )
            let (environment, lamp) = (try NodeRuntimeTests.environment(), try NodeRuntimeTests.lamp())
            let ports = NodeRuntime.Ports(
                flare: { [self] request in
                    record("request")
                    node.receive(.replied(request, .success(Self.reply(to: request, environment, lamp))))
                },
                remember: { [self] _ in record("remember") },
                store: { [self] in record("store") },
                publish: { [self] snapshot, output in
                    if !snapshot.changes.isEmpty { record("state") }
                    for event in output.events { record("event \(event.type)") }
                    for answer in output.answers { record("answer \(answer.ticket)") }
                }
            )
            loop.perform { [self] in node.assumeIsolated { $0.connect(ports) } }
        }

        private static func reply(
            to request: FlareRequest,
            _ environment: FlareEnvironment,
            _ lamp: FlareThing
        ) -> FlareReply {
            switch request {
            case .loadEnvironments: .environments([environment])
            case .loadPlace: .place(zones: [], things: [lamp])
            case .loadDevice: .device(nil)
            case .createDevice(let draft, let environment):
                .device(
                    FlareDevice(
                        json: [
                            "_id": .string("\(NodeRuntimeTests.id(9))"), "name": .string(draft.name),
                            "environment": .string("\(environment)"), "position": ["x": 0, "y": 0, "z": 0],
                        ]
                    )
                )
            case .loadPresence: .presence(zone: nil, nearest: nil)
            default: .done
            }
        }

        var recorded: [String] { effects.withLock { $0 } }

        func clear() { effects.withLock { $0 = [] } }

        func record(_ what: String) { effects.withLock { $0.append(what) } }

        /// Sends an event, and returns the effects of its turn.
        func turn(_ event: ControllerEvent) async -> [String] {
            clear()
            node.send(event)
            // Runs after the turn, on the same loop.
            await withCheckedContinuation { done in loop.perform { done.resume() } }
            return effects.withLock { $0 }
        }
    }

    @Test func `a whole start, with every reply, is one turn whose state is published once`() async throws {
        let bench = try Bench()
        let start = await bench.turn(.flare(.linkUp))
        #expect(start.filter { $0 == "request" }.count >= 4)
        #expect(start.filter { $0 == "state" }.count == 1)
        let state = try #require(start.firstIndex(of: "state"))
        let store = try #require(start.firstIndex(of: "store"))
        #expect(start.prefix(store).allSatisfy { $0 == "request" || $0 == "remember" })
        #expect(store + 1 == state)
        #expect(start.suffix(from: state + 1).allSatisfy { $0.hasPrefix("event") })
    }

    @Test func `a command's state leaves before its event, and its answer last`() async throws {
        let bench = try Bench()
        _ = await bench.turn(.flare(.linkUp))
        let owner = User(id: AccountID(high: 0, low: 1), name: "owner")
        let right = Grant(id: 1, .user(owner.id), .own, .all)
        _ = await bench.turn(.peopleChanged(AccessTable(users: [owner], grants: [right])))
        let request = ThingRequest(attributes: ["state": "ON"])
        let order = Command.Operation.set(.thing("\(Self.id(2))"), request)
        let command = Command(ticket: 7, operation: order, caller: .user(owner.id))
        let turn = await bench.turn(.commandReceived(command))
        #expect(turn == ["request", "store", "state", "event changed", "answer 7"])
    }

    /// Starts a timer, and stops it in the same turn.
    private struct Timing: Slice {
        enum Event: Sendable, Hashable { case start, startAndStop, due }

        mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
            let start = { (milliseconds: Int64) in
                SliceEffect.perform(.startTimer(Self.timer(.due), milliseconds: milliseconds))
            }
            return switch event {
            case .start: [start(2000)]
            case .startAndStop: [start(1000), .perform(.stopTimer(Self.timer(.due)))]
            case .due: []
            }
        }
    }

    @Test func `a timer that starts and stops in one turn is none`() async throws {
        let loop = try LoopExecutor()
        let (slept, sleeps) = AsyncStream.makeStream(of: Duration.self)
        let node = NodeRuntime(
            on: loop,
            controller: DeviceController(
                epoch: "e",
                configuration: ControllerConfiguration(),
                memory: PersistedState()
            ),
            clock: { Self.now },
            sleep: { duration in
                sleeps.yield(duration)
                try await Task.sleep(for: .seconds(3600))
            },
            program: ProgramInfo(started: Self.now)
        )
        await node.connect(NodeRuntime.Ports(flare: { _ in }))
        node.send(Timing.event(.startAndStop))
        node.send(Timing.event(.start))
        var iterator = slept.makeAsyncIterator()
        #expect(await iterator.next() == .seconds(2))
        await node.end()
    }

    @Test func `a node that has ended allows nothing`() async throws {
        let bench = try Bench()
        let request = ChangeRequest(actor: .broker, at: Self.now.wallMilliseconds, kind: .ping)
        #expect(await bench.node.allows(request))
        await bench.node.end()
        #expect(await !bench.node.allows(request))
        #expect(await bench.node.rightsRefusal(of: request)?.code == .notAllowed)
    }

    @Test func `events after the end are ignored`() async throws {
        let bench = try Bench()
        _ = await bench.turn(.flare(.linkUp))
        await bench.node.end()
        #expect(await bench.turn(.flare(.linkDown(reason: "gone"))) == [])
    }

    @Test func `a notice that arrives between turns has a turn of its own`() async throws {
        let bench = try Bench()
        _ = await bench.turn(.flare(.linkUp))
        let lamp = try Self.lamp()
        bench.clear()
        await withCheckedContinuation { done in
            bench.loop.perform {
                // The server is in the middle of its own work.
                bench.node.receive(
                    .notice(.data(ObjectReference(.thing, lamp.id), ["on": true], sender: nil))
                )
                #expect(bench.recorded.isEmpty)
                done.resume()
            }
        }
        await withCheckedContinuation { done in bench.loop.perform { done.resume() } }
        #expect(bench.recorded == ["store", "state", "event changed"])
    }
}
