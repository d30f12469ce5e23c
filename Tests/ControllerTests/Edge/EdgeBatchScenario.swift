import CommandFixture
import Controller
import Flare
import JSON
import SeededRandom
import Testing
import Things

/// Random batches for a thing at the edge that refuses, answers late, goes offline, or has no server.
///
/// Each command sets a value of its own, so that what is stored tells the order.
struct EdgeBatchScenario {
    private var rig: Rig
    private var dice: SplitMix64
    /// The keys that no command has set yet, in reverse order.
    private var keys: [String]
    private var ticket = 0
    private var open: Set<Int> = []
    private var due: Int64?
    private var orders: [EdgeOrder] = []
    /// The keys that the thing has set.
    private var done: [String] = []
    /// Those of them that were to be stored at once, in order.
    private var inOrder: [String] = []
    /// The keys that the server was asked to store, in the order in which it first was.
    private var stored: [Set<String>] = []
    /// The parts of the series that was begun last.
    private var parts = 0

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
        keys = (0..<60).map { "k\($0)" }
        var server = HouseServer()
        for index in server.things.indices where server.things[index].id == House.lamp {
            for key in keys { server.things[index].data[key] = 0 }
        }
        rig = .atHome(server: server)
        rig.happens(Series.event(.begun))
        rig.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 2))))
    }

    mutating func step() {
        switch dice.number(below: 12) {
        case 0, 1, 2: command()
        case 3: series()
        case 4, 5, 6: answer()
        case 7, 8: serve()
        case 9: passTime(Int64(dice.number(below: 1500)))
        case 10: happens(.edge(House.lamp, .status(isOnline: !dice.chance(3))))
        default: if dice.chance(3) { changeLink() }
        }
        // A late answer to an order before the last twenty is ignored.
        if orders.count > 10 { answer() }
    }

    /// Answers everything, and checks that nothing was lost or out of order.
    mutating func settle() {
        if !rig.state.isLinkUp { changeLink() }
        for _ in 0..<10_000 where !orders.isEmpty || !rig.asked.isEmpty {
            answer()
            serve()
        }
        #expect(orders.isEmpty && rig.asked.isEmpty && due == nil)
        #expect(open.isEmpty, "no answer for \(open.sorted())")
        checkSeries()
        #expect(rig.state.goals.isEmpty)
        let lamp = rig.server.things.first { $0.id == House.lamp }
        #expect(done.allSatisfy { lamp?.data[$0] == 1 })
        #expect(rig.state.things[House.lamp]?.data == lamp?.data)
        let places = inOrder.compactMap { key in stored.firstIndex { $0.contains(key) } }
        #expect(places.count == inOrder.count && places == places.sorted())
        #expect(stored.allSatisfy { $0.isSubset(of: done) })
    }

    // MARK: Events

    private mutating func happens(_ event: ControllerEvent) {
        for effect in rig.happens(event) {
            switch effect {
            case .startTimer(.edgeDue(House.lamp), let milliseconds): due = rig.time + milliseconds
            case .stopTimer(.edgeDue(House.lamp)): due = nil
            case .edge(let order): orders.append(order)
            case .answer(let answer):
                #expect(open.remove(answer.ticket) != nil, "\(answer.ticket) is answered twice")
            case .flare(.setData(House.lampThing, let values, _, _)): stored.append(Set(values.keys))
            default: break
            }
        }
    }

    private mutating func operation() -> Command.Operation? {
        keys.popLast().map { .set(.thing("lamp"), ThingRequest(attributes: [$0: 1])) }
    }

    private mutating func batch() -> EdgeBatch {
        let deadline = Rig.moment(rig.time).wallMilliseconds + Int64(dice.number(below: 4000)) - 200
        return EdgeBatch(id: dice.pick(["a", "b"], else: "a"), deadline: deadline)
    }

    private mutating func send(_ operation: Command.Operation, _ batch: EdgeBatch?) {
        ticket += 1
        open.insert(ticket)
        var command = Command(ticket: ticket, operation: operation)
        command.batch = batch
        happens(.commandReceived(command))
    }

    private mutating func command() {
        guard let operation = operation() else { return }
        send(operation, dice.chance(4) ? nil : batch())
    }

    private mutating func series() {
        guard rig.state.slices[Series.self].isIdle else { return }
        checkSeries()
        let operations = (0...dice.number(below: 8)).compactMap { _ in operation() }
        guard !operations.isEmpty else { return }
        parts = operations.count
        send(.init(RunSeries(parts: operations, batch: batch())), nil)
    }

    /// Checks that each part was answered once.
    private func checkSeries() {
        let answers = rig.state.slices[Series.self].answers
        #expect(rig.state.slices[Series.self].isIdle)
        #expect(answers.map(\.ticket).sorted() == Array(0..<parts))
    }

    /// The thing answers the oldest order.
    private mutating func answer() {
        guard !orders.isEmpty else { return }
        let order = orders.removeFirst()
        var results: [Result<JSONValue?, Refusal>] = []
        for case .values(let values) in order.orders {
            if dice.chance(4) {
                results.append(.failure(Refusal(.serverRejected, "no")))
            } else {
                done += values.keys
                if rig.state.isLinkUp { inOrder += values.keys }
                results.append(.success(nil))
            }
        }
        #expect(results.count == order.orders.count)
        happens(.edgeAnswered(order, results))
        // The same once more changes nothing.
        happens(.edgeAnswered(order, results))
    }

    private mutating func serve() {
        guard !rig.asked.isEmpty else { return }
        let request = rig.asked.removeFirst()
        for event in rig.server.carryOut(request) { happens(.flare(event)) }
    }

    private mutating func passTime(_ milliseconds: Int64) {
        rig.time += milliseconds
        guard let due, due <= rig.time else { return }
        self.due = nil
        happens(.timerFired(.edgeDue(House.lamp)))
    }

    private mutating func changeLink() {
        if rig.state.isLinkUp {
            rig.asked = []
            // What the server was not asked to store yet, it stores together later.
            inOrder.removeAll { key in !stored.contains { $0.contains(key) } }
            happens(.flare(.linkDown(reason: "gone")))
        } else {
            happens(.flare(.linkUp))
        }
    }
}

@Suite struct EdgeBatchScenarioTests {
    @Test(arguments: UInt64(0)..<100)
    func `in random scenarios, each command of a batch gets one answer and what succeeded is stored in order`(
        seed: UInt64
    ) {
        var scenario = EdgeBatchScenario(seed: seed)
        for _ in 0..<120 { scenario.step() }
        scenario.settle()
    }
}
