import Flare
import JSON
import Things

/// The orders for things at the edge: those that wait or were sent, and those that their things have not confirmed.
struct EdgeQueues: Sendable {
    /// So many unanswered orders of a thing are remembered; a late answer to an older one is ignored.
    static let capacity = 20

    /// One order of a thing is sent at a time, as with the Flare server.
    var queues = ObjectQueues()
    /// The things whose next orders wait for the end of the event, when their batches are complete.
    private var gathering: [ObjectReference] = []
    private var open: [FlareID: [OpenEdgeOrder]] = [:]
    private var lastNumber = 0
    /// What things have done and reported while the Flare server could not store it.
    private var unstored: [FlareID: UnstoredValues] = [:]

    // MARK: Batches

    /// Whether a batch waits for the end of the event.
    var isGathering: Bool { !gathering.isEmpty }

    func isGathering(for object: ObjectReference) -> Bool { gathering.contains(object) }

    /// Lets the orders for a thing wait for the end of the event.
    mutating func gather(for object: ObjectReference) {
        if gathering.last != object { gathering.append(object) }
    }

    /// At the end of the event.
    /// - Returns: The things whose orders have waited for it.
    mutating func endGathering() -> [ObjectReference] {
        defer { gathering = [] }
        return gathering
    }

    // MARK: Orders

    /// The number of the next order: as large as microseconds since 1970, so that it is not that of an earlier run.
    mutating func nextNumber(at now: Instant) -> Int {
        lastNumber = max(lastNumber &+ 1, Int(now.wallMilliseconds) &* 1000)
        return lastNumber
    }

    /// Remembers an order that is sent.
    mutating func add(_ order: OpenEdgeOrder, of thing: FlareID) {
        var all = open.removeValue(forKey: thing) ?? []
        let late = all.indices.filter { all[$0].phase == .late }
        if late.count >= Self.capacity, let oldest = late.first { all.remove(at: oldest) }
        all.append(order)
        open[thing] = all
    }

    /// The order for whose answer the thing's queue waits.
    func sent(of thing: FlareID) -> OpenEdgeOrder? { open[thing]?.first { $0.phase == .sent } }

    /// The commands of the order wait no longer.
    mutating func beLate(of thing: FlareID) {
        change(of: thing) { all in
            for index in all.indices where all[index].phase == .sent { all[index].phase = .late }
            // What the thing has reported meanwhile needs no answer.
            for index in all.indices where all[index].phase == .late { all[index].forgetReported() }
        }
    }

    /// Counts an answer: the Flare server is to store what was done.
    /// - Returns: The parts that are answered; `nil` if the order is not known, or was answered before.
    mutating func answered(
        _ number: Int,
        of thing: FlareID,
        _ results: [Result<JSONValue?, Refusal>]
    ) -> [OpenEdgeOrder.Part]? {
        guard let index = open[thing]?.firstIndex(where: { $0.number == number && $0.phase != .done }),
            let parts = open[thing]?[index].parts
        else { return nil }
        change(of: thing) { all in
            all[index].phase = .done
            all[index].parts.removeAll { part in
                if case .failure = part.result(in: results) { true } else { false }
            }
        }
        return parts
    }

    // MARK: Confirmation

    /// Removes what the Flare server has stored, and late orders before it for the same values.
    mutating func stored(_ done: EdgeDone, of thing: FlareID) {
        guard let index = done.index,
            let order = open[thing]?.first(where: { $0.number == done.number }),
            let part = order.parts.first(where: { $0.index == index })
        else { return }
        change(of: thing) { all in
            for place in all.indices {
                if all[place].number == done.number {
                    all[place].parts.removeAll { $0.index == index }
                } else if all[place].number < done.number {
                    all[place].forgetReplaced(by: part.values)
                }
            }
        }
    }

    /// Counts what the thing has reported.
    ///
    /// - Parameter data: The thing's data with it.
    mutating func reported(_ values: JSONObject, data: JSONObject, of thing: FlareID) {
        change(of: thing) { all in
            for index in all.indices {
                if all[index].isLike(data) { all[index].isReached = true }
                // The thing has spoken since: it is as it says.
                all[index].forgetReplaced(by: values)
            }
        }
    }

    /// What the orders that are not confirmed lead to; `nil` for nothing.
    func goal(of thing: FlareID) -> ThingPatch? {
        guard let all = open[thing] else { return nil }
        let goal = all.reduce(into: ThingPatch()) { goal, order in
            if !order.isReached { for part in order.parts { goal.merge(part.goal) } }
        }
        return goal.isEmpty ? nil : goal
    }

    // MARK: What is not stored yet

    /// So many things' values are kept until the Flare server can store them.
    static let mostUnstored = 10_000

    var hasUnstored: Bool { !unstored.isEmpty }

    func unstored(of thing: FlareID) -> UnstoredValues? { unstored[thing] }

    /// Keeps values of a thing until the Flare server can store them.
    mutating func keep(_ values: JSONObject, of thing: FlareID, isReported: Bool) {
        var all = unstored.removeValue(forKey: thing)
        if all == nil, unstored.count < Self.mostUnstored { all = UnstoredValues() }
        all?.add(values, isReported: isReported)
        unstored[thing] = all
    }

    /// Removes all of them, sorted by thing.
    mutating func removeUnstored() -> [(thing: FlareID, values: UnstoredValues)] {
        defer { unstored = [:] }
        return unstored.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: The end

    /// The Flare server will not store what was done.
    mutating func forgetDone(of thing: FlareID) {
        change(of: thing) { $0.removeAll { $0.phase == .done } }
    }

    /// Everything ends but late answers.
    /// - Returns: The jobs, and the things of which an order was sent, sorted.
    mutating func end() -> (jobs: [Job], sent: [FlareID]) {
        let things = things
        let sent = things.filter { self.sent(of: $0) != nil }
        for thing in things {
            beLate(of: thing)
            forgetDone(of: thing)
        }
        return (queues.removeAll(), sent)
    }

    /// A thing is no longer here: only the order that was sent is still to be answered.
    mutating func leave(_ thing: FlareID) {
        change(of: thing) { all in
            all.removeAll { $0.phase != .sent }
            for index in all.indices { all[index].isReached = true }
        }
    }

    /// The things with orders that are not confirmed, sorted.
    var things: [FlareID] { open.keys.sorted() }

    mutating func forget(_ thing: FlareID) { (open[thing], unstored[thing]) = (nil, nil) }

    /// Changes the orders of a thing; one without parts is forgotten.
    private mutating func change(of thing: FlareID, _ body: (inout [OpenEdgeOrder]) -> Void) {
        guard var all = open.removeValue(forKey: thing) else { return }
        body(&all)
        all.removeAll { $0.parts.isEmpty }
        if !all.isEmpty { open[thing] = all }
    }
}

extension ThingPatch {
    /// Takes over what a newer change sets.
    fileprivate mutating func merge(_ newer: ThingPatch) {
        state = newer.state ?? state
        level = newer.level ?? level
        colour = newer.colour ?? colour
        temperature = newer.temperature ?? temperature
        values.merge(newer.values) { $1 }
        toggled.formUnion(newer.toggled)
    }
}
