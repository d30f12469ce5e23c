import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// Commands of a batch: they leave as one order for their thing, and each is answered by itself.
@Suite struct EdgeBatchTests {
    /// At home with the lamp at the edge, and a slice that gives batches.
    private func rig(_ rig: Rig = .atHome(), _ thing: FlareID = House.lamp) -> Rig {
        var rig = rig
        rig.happens(Series.event(.begun))
        rig.happens(.edge(thing, .routed(EdgeRoute(commandSeconds: 60))))
        return rig
    }

    private func batch(_ rig: Rig, seconds: Int64 = 60, id: String = "c1") -> EdgeBatch {
        EdgeBatch(id: id, deadline: Rig.moment(rig.time).wallMilliseconds + seconds * 1000)
    }

    private func set(_ attributes: JSONObject, of thing: String = "lamp") -> Command.Operation {
        .set(.thing(thing), ThingRequest(attributes: attributes))
    }

    /// A slice gives all parts at once.
    @discardableResult
    private func run(_ parts: [Command.Operation], _ rig: inout Rig, seconds: Int64 = 60)
        -> [ControllerEffect]
    {
        rig.command(.init(RunSeries(parts: parts, batch: batch(rig, seconds: seconds))))
    }

    /// A client gives one command of a batch.
    @discardableResult
    private func give(_ one: Command.Operation, _ ticket: Int, _ batch: EdgeBatch?, _ rig: inout Rig)
        -> [ControllerEffect]
    {
        var command = Command(ticket: ticket, operation: one)
        command.batch = batch
        return rig.happens(.commandReceived(command))
    }

    private func results(_ rig: Rig) -> [RefusalCode?] { rig.state.slices[Series.self].results }
    private func tickets(_ rig: Rig) -> [Int] { rig.state.slices[Series.self].answers.map(\.ticket) }

    private func values(_ orders: [EdgeOrder]) -> [JSONObject] {
        orders.flatMap(\.orders).compactMap { if case .values(let values) = $0 { values } else { nil } }
    }

    private func stored(_ effects: [ControllerEffect]) -> [JSONObject] {
        effects.requests.compactMap { if case .setData(_, let values, _, _) = $0 { values } else { nil } }
    }

    private static let no = Refusal(.serverRejected, "no")

    // MARK: Orders

    @Test func `all commands of a batch leave as one order, with what they have in common`() {
        var rig = rig()
        let effects = run([set(["level": 0.25]), set(["color": "blue"])], &rig)
        #expect(effects.orders.map(\.batch) == ["c1"] && effects.orders.map(\.caller) == [.owner])
        #expect(values(effects.orders) == [["brightness": 0.25], ["color": "blue"]])
        #expect(effects.answers.isEmpty && rig.asked.isEmpty)
        #expect(rig.state.goals[House.lamp]?.level == 0.25)
        #expect(rig.state.goals[House.lamp]?.colour == "blue")
    }

    @Test func `a plain command has no batch`() {
        var rig = rig()
        #expect(rig.set(["level": 0.25]).orders.map(\.batch) == [nil])
    }

    @Test func `each command of a batch counts on the ones before it`() {
        var rig = rig()
        let lighter = Command.Operation.action(.thing("lamp"), name: "lighter")
        let parts = [
            set(["state": "OFF"]), set(["state": "TOGGLE"]), set(["state": "TOGGLE"]),
            set(["level": 0.25]), lighter,
        ]
        let sent = values(run(parts, &rig).orders)
        #expect(sent.prefix(3) == [["on": false], ["on": true], ["on": false]])
        // A brightness switches a light on that is off.
        #expect(sent.dropFirst(3).first?["brightness"] == 0.25)
        #expect(sent.count == 5 && (sent.last?["brightness"]?.number ?? 0) > 0.3)
    }

    @Test func `a newer command of a batch does not take the place of the ones before it`() {
        var rig = rig()
        let orders = run([set(["level": 0.1]), set(["level": 0.2])], &rig).orders
        #expect(values(orders) == [["brightness": 0.1], ["brightness": 0.2]])
        #expect(rig.state.goals[House.lamp]?.level == 0.2)
        rig.answer(orders)
        rig.serve()
        #expect(results(rig) == [nil, nil] && rig.lamp("brightness") == 0.2)
    }

    @Test func `a batch waits for the order before it, and stays together`() {
        var rig = rig()
        let first = rig.set(["level": 0.1], tx: 1).orders
        let batch = batch(rig)
        #expect(give(set(["level": 0.2]), 11, batch, &rig) == [])
        #expect(give(set(["level": 0.3]), 12, batch, &rig) == [])
        #expect(give(set(["level": 0.4]), 13, nil, &rig) == [])
        let next = rig.answer(first).orders
        #expect(values(next) == [["brightness": 0.2], ["brightness": 0.3]])
        let last = rig.answer(next).orders
        #expect(values(last) == [["brightness": 0.4]])
        rig.answer(last)
        #expect(rig.serve().answers.map(\.ticket).suffix(3) == [11, 12, 13])
    }

    @Test func `two batches that wait leave one after the other`() {
        var rig = rig()
        let first = rig.set(["level": 0.1]).orders
        let batches = [batch(rig, id: "a"), batch(rig, id: "b")]
        for (ticket, batch) in zip(11..., batches) { give(set(["level": 0.2]), ticket, batch, &rig) }
        let second = rig.answer(first).orders
        let third = rig.answer(second).orders
        #expect((second + third).map(\.batch) == ["a", "b"])
    }

    @Test func `a batch for two things is an order for each`() {
        var rig = rig()
        rig.happens(.edge(House.floorLamp, .routed(EdgeRoute(commandSeconds: 60))))
        let parts = [
            set(["level": 0.1]), set(["level": 0.2], of: "floor-lamp"), set(["level": 0.3]),
        ]
        let orders = run(parts, &rig).orders
        #expect(orders.map(\.thing) == [House.lamp, House.floorLamp])
        #expect(orders.map(\.orders.count) == [2, 1] && orders.map(\.batch) == ["c1", "c1"])
        rig.answer(orders)
        rig.serve()
        #expect(results(rig) == [nil, nil, nil])
    }

    @Test func `a batch for a thing that the server keeps goes to the server, one command after the other`() {
        var rig = Rig.atHome()
        rig.happens(Series.event(.begun))
        let effects = run([set(["level": 0.1]), set(["level": 0.2])], &rig) + rig.serve()
        #expect(stored(effects) == [["brightness": 0.1], ["brightness": 0.2]])
        #expect(results(rig) == [nil, nil])
    }

    @Test func `a command that has nothing to do is accepted after the ones before it`() {
        var rig = rig(Managed.atHome(), House.floorLamp)
        let on = Command.Operation.action(.thing("floor-lamp"), name: "on")
        let parts = [
            on, set(["dim": 50], of: "floor-lamp"), on, set(["dim": 30], of: "floor-lamp"), on,
        ]
        let orders = run(parts, &rig).orders
        #expect(values(orders) == [["dim": 50], ["dim": 30]])
        // What comes first has nothing to wait for.
        #expect(tickets(rig) == [0])
        rig.answer(orders)
        rig.serve()
        #expect(tickets(rig) == [0, 1, 2, 3, 4] && results(rig) == [nil, nil, nil, nil, nil])
    }

    @Test func `a batch that has nothing to do is accepted, and nothing is sent`() {
        var rig = rig(Managed.atHome(), House.floorLamp)
        let on = Command.Operation.action(.thing("floor-lamp"), name: "on")
        let effects = run([on, on], &rig)
        #expect(effects.orders.isEmpty && results(rig) == [nil, nil] && effects.answers.count == 1)
    }

    @Test func `a command for which the queue has no room is refused alone`() {
        var rig = rig()
        let first = rig.set(["level": 0.1]).orders
        let batch = batch(rig)
        var codes: [RefusalCode?] = []
        let lighter = Command.Operation.action(.thing("lamp"), name: "lighter")
        for ticket in 1...1001 { codes += give(lighter, ticket, batch, &rig).codes }
        #expect(codes == [.rateLimited])
        #expect(rig.answer(first).orders.map(\.orders.count) == [1000])
    }

    // MARK: Results

    @Test func `what succeeded is stored in order, and each failure is refused to its own command`() {
        var rig = rig()
        let parts = [set(["level": 0.1]), set(["color": "blue"]), set(["state": "OFF"])]
        let orders = run(parts, &rig).orders
        let results: [Result<JSONValue?, Refusal>] = [
            .success(["took_ms": 12]), .failure(Self.no), .success(nil),
        ]
        let answered = orders.flatMap { rig.happens(.edgeAnswered($0, results)) } + rig.serve()
        #expect(stored(answered) == [["brightness": 0.1], ["on": false]])
        let answers = rig.state.slices[Series.self].answers.sorted { $0.ticket < $1.ticket }
        #expect(answers.map(\.refusal) == [nil, Self.no, nil])
        #expect(answers.map(\.data) == [["took_ms": 12], nil, nil])
        #expect(rig.state.goals.isEmpty && rig.lamp("color") == "red")
    }

    @Test(arguments: [0, 1, 2, 5])
    func `what is missing in the list of results has failed, and what is too much is ignored`(count: Int) {
        var rig = rig()
        let orders = run([set(["level": 0.1]), set(["color": "blue"])], &rig).orders
        let results = [Result<JSONValue?, Refusal>](repeating: .success(nil), count: count)
        let answered = orders.flatMap { rig.happens(.edgeAnswered($0, results)) } + rig.serve()
        let wanted: [JSONObject] = [["brightness": 0.1], ["color": "blue"]]
        #expect(stored(answered) == Array(wanted.prefix(count)))
        let answers = rig.state.slices[Series.self].answers.sorted { $0.ticket < $1.ticket }
        let codes: [RefusalCode?] = [count < 1 ? .thingOffline : nil, count < 2 ? .thingOffline : nil]
        #expect(answers.map(\.refusal?.code) == codes)
        #expect(orders.flatMap { rig.happens(.edgeAnswered($0, results)) } == [])
    }

    @Test func `a report that is like the end of a batch ends its target`() {
        var rig = rig()
        run([set(["level": 0.1]), set(["level": 0.2])], &rig)
        rig.happens(.reported(House.lamp, ["brightness": 0.1]))
        rig.serve()
        #expect(rig.state.goals[House.lamp]?.level == 0.2)
        rig.happens(.reported(House.lamp, ["brightness": 0.2]))
        rig.serve()
        #expect(rig.state.goals.isEmpty && results(rig) == [])
    }

    // MARK: Time

    @Test(arguments: [(60, 60_000), (2, 2000), (1_000_000, 86_400_000)] as [(Int64, Int64)])
    func `a batch waits until its own deadline, and a day at most`(seconds: Int64, wait: Int64) {
        var rig = rig()
        let effects = run([set(["level": 0.1]), set(["color": "blue"])], &rig, seconds: seconds)
        #expect(effects.contains(.startTimer(.edgeDue(House.lamp), milliseconds: wait)))
        #expect(effects.orders.map(\.deadline) == [Rig.moment(rig.time).wallMilliseconds + wait])
        rig.happens(.timerFired(.edgeDue(House.lamp)), after: wait - 1)
        #expect(results(rig).isEmpty)
        rig.happens(.timerFired(.edgeDue(House.lamp)), after: 1)
        #expect(results(rig) == [.thingOffline, .thingOffline])
        let message = rig.state.slices[Series.self].answers.first?.refusal?.message
        #expect(message == "the thing did not answer within \(wait / 1000) s")
    }

    @Test(arguments: [Int64.min, 0, 1_800_000_000_000])
    func `a batch whose time is over is refused, and nothing is sent`(deadline: Int64) {
        var rig = rig()
        let batch = EdgeBatch(id: "c1", deadline: deadline)
        let parts = [set(["level": 0.1]), set(["color": "blue"])]
        let effects = rig.command(.init(RunSeries(parts: parts, batch: batch)))
        #expect(effects.orders.isEmpty && results(rig) == [.thingOffline, .thingOffline])
        #expect(rig.set(["level": 0.25]).orders.count == 1)
    }

    @Test func `a deadline without end is a day`() {
        var rig = rig()
        let batch = EdgeBatch(id: "c1", deadline: .max)
        let effects = rig.command(.init(RunSeries(parts: [set(["level": 0.1])], batch: batch)))
        #expect(effects.contains(.startTimer(.edgeDue(House.lamp), milliseconds: 86_400_000)))
    }

    @Test func `late results of a batch become data, as far as they succeeded`() {
        var rig = rig()
        let orders = run([set(["level": 0.1]), set(["color": "blue"])], &rig, seconds: 2).orders
        rig.happens(.timerFired(.edgeDue(House.lamp)), after: 2000)
        #expect(results(rig) == [.thingOffline, .thingOffline])
        let late = orders.flatMap { rig.happens(.edgeAnswered($0, [.failure(Self.no), .success(nil)])) }
        #expect(stored(late + rig.serve()) == [["color": "blue"]])
        #expect(rig.lamp("color") == "blue" && rig.state.goals.isEmpty)
    }

    @Test func `a thing that is offline refuses a batch at once, and one that goes offline all of it`() {
        var rig = rig()
        let orders = run([set(["level": 0.1]), set(["color": "blue"])], &rig).orders
        let offline = rig.happens(.edge(House.lamp, .status(isOnline: false)))
        #expect(offline.contains(.stopTimer(.edgeDue(House.lamp))))
        #expect(results(rig) == [.thingOffline, .thingOffline])
        let next = run([set(["level": 0.3]), set(["color": "green"])], &rig)
        #expect(next.orders.isEmpty && results(rig) == [.thingOffline, .thingOffline])
        rig.answer(orders)
        rig.serve()
        #expect(rig.lamp("brightness") == 0.1 && rig.lamp("color") == "blue")
    }

    @Test func `a thing that leaves the edge refuses all of a batch`() {
        var rig = rig()
        let orders = run([set(["level": 0.1]), set(["color": "blue"])], &rig).orders
        rig.happens(.edge(House.lamp, .routed(nil)))
        #expect(results(rig) == [.staleTarget, .staleTarget] && rig.state.goals.isEmpty)
        #expect(rig.answer(orders) == [])
    }

    // MARK: Slices

    @Test func `fifty commands of a slice leave as one, and each has its answer`() {
        var rig = rig()
        let parts = (1...50).map { set(["level": .number(Double($0) / 100)]) }
        let asked = run(parts, &rig)
        #expect(asked.orders.map(\.orders.count) == [50] && asked.answers.isEmpty)
        let served = rig.answer(asked.orders) + rig.serve()
        #expect(tickets(rig) == Array(0..<50) && results(rig) == Array(repeating: nil, count: 50))
        #expect(served.answers.count == 1 && stored(served).count == 50)
        #expect(rig.lamp("brightness") == 0.5 && rig.state.goals.isEmpty)
    }

    @Test func `each command of a batch needs the rights of its sender`() {
        var rig = rig()
        rig.happens(.edge(House.floorLamp, .routed(EdgeRoute(commandSeconds: 60))))
        rig.controller.policies = [PeoplePolicy()]
        let bob = User(id: AccountID(high: 0, low: 2), name: "bob")
        let grant = Grant(id: 1, .user(bob.id), .write, .thing(House.lamp))
        rig.happens(.peopleChanged(AccessTable(users: [bob], grants: [grant])))
        let parts = [set(["level": 0.1]), set(["level": 0.1], of: "floor-lamp"), set(["level": 0.2])]
        let series = Command.Operation(RunSeries(parts: parts, batch: batch(rig)))
        let command = Command(ticket: 1, operation: series, caller: .user(bob.id))
        let orders = rig.happens(.commandReceived(command)).orders
        #expect(values(orders) == [["brightness": 0.1], ["brightness": 0.2]])
        #expect(orders.map(\.caller) == [.user(bob.id)])
        rig.answer(orders)
        rig.serve()
        #expect(tickets(rig) == [1, 0, 2] && results(rig) == [.unknownThing, nil, nil])
    }

    @Test func `a sender who loses the right while a batch waits is refused, and nothing is sent`() {
        var rig = rig()
        rig.controller.policies = [PeoplePolicy()]
        let bob = User(id: AccountID(high: 0, low: 2), name: "bob")
        let grant = Grant(id: 1, .user(bob.id), .write, .thing(House.lamp))
        rig.happens(.peopleChanged(AccessTable(users: [bob], grants: [grant])))
        let plain = Command(ticket: 1, operation: set(["level": 0.9]), caller: .user(bob.id))
        let first = rig.happens(.commandReceived(plain)).orders
        let parts = [set(["level": 0.1]), set(["color": "blue"])]
        let series = Command.Operation(RunSeries(parts: parts, batch: batch(rig)))
        rig.happens(.commandReceived(Command(ticket: 2, operation: series, caller: .user(bob.id))))
        let mayRead = Grant(id: 1, .user(bob.id), .read, .thing(House.lamp))
        rig.happens(.peopleChanged(AccessTable(users: [bob], grants: [mayRead])))
        #expect(rig.answer(first).orders.isEmpty)
        #expect(results(rig).count == 2 && !results(rig).contains(nil))
    }
}
