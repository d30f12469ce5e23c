import Flare
import JSON
import Things

/// The orders for things at the edge: those that wait or were sent, and those that their things have not confirmed.
struct EdgeQueues: Sendable {
    /// An order until its thing has confirmed it.
    struct Open: Sendable {
        enum Phase: Sendable {
            case sent
            /// The command waits no longer; an answer still counts.
            case late
            /// The Flare server is still to store it.
            case done
        }

        let number: Int
        let order: ObjectOrder
        let action: String?
        let cause: ChangeEvent.Cause
        /// When the command waits no longer.
        let due: Instant
        /// What it leads to; empty once the thing's data is like it.
        var goal: ThingPatch
        var phase = Phase.sent

        fileprivate var values: JSONObject {
            if case .values(let values) = order { values } else { [:] }
        }
    }

    /// So many unanswered orders of a thing are remembered; a late answer to an older one is ignored.
    static let capacity = 20

    /// One order of a thing is sent at a time, as with the Flare server.
    var queues = ObjectQueues()
    private var open: [FlareID: [Open]] = [:]
    private var lastNumber = 0

    // MARK: Orders

    /// The number of the next order: as large as microseconds since 1970, so that it is not that of an earlier run.
    mutating func nextNumber(at now: Instant) -> Int {
        lastNumber = max(lastNumber &+ 1, Int(now.wallMilliseconds) &* 1000)
        return lastNumber
    }

    /// Remembers an order that is sent.
    mutating func add(_ order: Open, of thing: FlareID) {
        var all = open[thing, default: []]
        if all.count >= Self.capacity, let oldest = all.firstIndex(where: { $0.phase == .late }) {
            all.remove(at: oldest)
        }
        all.append(order)
        open[thing] = all
    }

    /// The order for whose answer the thing's queue waits.
    func sent(of thing: FlareID) -> Open? { open[thing]?.first { $0.phase == .sent } }

    /// The command of the order waits no longer.
    mutating func beLate(of thing: FlareID) {
        guard var all = open.removeValue(forKey: thing) else { return }
        for index in all.indices where all[index].phase == .sent { all[index].phase = .late }
        // What the thing has reported meanwhile needs no answer.
        all.removeAll { $0.phase == .late && $0.action == nil && $0.goal.isEmpty }
        if !all.isEmpty { open[thing] = all }
    }

    /// Counts an answer: the Flare server is to store what was done.
    /// - Returns: The order; `nil` if it is not known, or was answered before.
    mutating func done(_ number: Int, of thing: FlareID) -> Open? {
        guard let index = open[thing]?.firstIndex(where: { $0.number == number && $0.phase != .done }) else {
            return nil
        }
        open[thing]?[index].phase = .done
        return open[thing]?[index]
    }

    /// Removes an order that the thing has refused.
    /// - Returns: Whether it was known and not answered yet.
    mutating func remove(_ number: Int, of thing: FlareID) -> Bool {
        let isKnown = open[thing]?.contains { $0.number == number && $0.phase != .done } ?? false
        if isKnown { removeAll(of: thing) { $0.number == number } }
        return isKnown
    }

    // MARK: Confirmation

    /// Removes an order that the Flare server has stored, and late ones before it for the same values.
    mutating func stored(_ done: EdgeDone, of thing: FlareID) {
        guard let order = open[thing]?.first(where: { $0.number == done.number }) else { return }
        let values = order.values
        removeAll(of: thing) {
            $0.number == done.number || $0.isReplaced(by: values) && $0.number < done.number
        }
    }

    /// Counts what the thing has reported.
    ///
    /// - Parameter data: The thing's data with it.
    mutating func reported(_ values: JSONObject, data: JSONObject, of thing: FlareID) {
        guard var all = open.removeValue(forKey: thing) else { return }
        for index in all.indices where all[index].isLike(data) { all[index].goal = ThingPatch() }
        // The thing has spoken since: it is as it says.
        all.removeAll { $0.isReplaced(by: values) }
        if !all.isEmpty { open[thing] = all }
    }

    /// What the orders that are not confirmed lead to; `nil` for nothing.
    func goal(of thing: FlareID) -> ThingPatch? {
        guard let all = open[thing] else { return nil }
        let goal = all.reduce(into: ThingPatch()) { $0.merge($1.goal) }
        return goal.isEmpty ? nil : goal
    }

    // MARK: The end

    /// The Flare server will not store what was done.
    mutating func forgetDone(of thing: FlareID) { removeAll(of: thing) { $0.phase == .done } }

    /// Everything ends but late answers.
    /// - Returns: The jobs, and the things of which an order was sent, sorted.
    mutating func end() -> (jobs: [Job], sent: [FlareID]) {
        let things = open.keys.sorted()
        let sent = things.filter { self.sent(of: $0) != nil }
        for thing in things {
            beLate(of: thing)
            forgetDone(of: thing)
        }
        return (queues.removeAll(), sent)
    }

    /// A thing is no longer here: only the order that was sent is still to be answered.
    mutating func leave(_ thing: FlareID) {
        removeAll(of: thing) { $0.phase != .sent }
        guard let count = open[thing]?.count else { return }
        for index in 0..<count { open[thing]?[index].goal = ThingPatch() }
    }

    /// The things with orders that are not confirmed, sorted.
    var things: [FlareID] { open.keys.sorted() }

    mutating func forget(_ thing: FlareID) { open[thing] = nil }

    private mutating func removeAll(of thing: FlareID, where isMeant: (Open) -> Bool) {
        guard var all = open.removeValue(forKey: thing) else { return }
        all.removeAll(where: isMeant)
        if !all.isEmpty { open[thing] = all }
    }
}

extension EdgeQueues.Open {
    /// Whether data has all that it sets.
    func isLike(_ data: JSONObject) -> Bool {
        let values = values
        return !values.isEmpty && values.allSatisfy { data[$0.key] == $0.value }
    }

    /// Whether it was not answered in time, and one of its values is known from elsewhere now.
    fileprivate func isReplaced(by values: JSONObject) -> Bool {
        phase == .late && self.values.contains { values[$0.key] != nil }
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
