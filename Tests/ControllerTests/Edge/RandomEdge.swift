import Controller
import Flare
import JSON
import SeededRandom
import Things

/// Two things at the edge that answer late, refuse, lose answers, and report what they like.
struct RandomEdge {
    private static let things = [House.floorLamp, House.kettle]

    /// The orders that wait for an answer.
    private var orders: [EdgeOrder] = []
    /// What the things are like, as far as they were told.
    private var data: [FlareID: JSONObject] = [:]

    var isIdle: Bool { orders.isEmpty }

    mutating func receive(_ order: EdgeOrder) { orders.append(order) }

    /// The oldest order is carried out and answered.
    mutating func answer() -> ControllerEvent? {
        guard !orders.isEmpty else { return nil }
        let order = orders.removeFirst()
        carryOut(order)
        return .edgeAnswered(order, order.orders.map { _ in .success(nil) })
    }

    /// Everything that the things know of themselves.
    func reports() -> [ControllerEvent] {
        data.sorted { $0.key < $1.key }.map { .reported($0.key, $0.value) }
    }

    mutating func step(_ dice: inout SplitMix64) -> ControllerEvent? {
        let thing = dice.pick(Self.things, else: House.kettle)
        switch dice.number(below: 16) {
        case 0, 1: return .edge(thing, .routed(EdgeRoute(commandSeconds: Double(dice.number(below: 4)))))
        case 2: return dice.chance(3) ? .edge(thing, .routed(nil)) : nil
        case 3: return .edge(thing, .status(isOnline: !dice.chance(3)))
        case 4, 5:
            var values = data[thing] ?? [:]
            values["temperature"] = .number(Double(dice.number(below: 30)))
            if dice.chance(3) { values["brightness"] = .number(Double(dice.number(below: 10)) / 10) }
            data[thing] = values
            return .reported(thing, values)
        case 6:
            guard !orders.isEmpty else { return nil }
            return answerPartly(orders.removeFirst(), &dice)
        case 7:
            // Carried out, but the answer is lost.
            if !orders.isEmpty { carryOut(orders.removeFirst()) }
            return nil
        case 8:
            // An answer that was there before.
            let order = EdgeOrder(number: 1, thing: thing, orders: [], caller: nil, deadline: 0)
            return .edgeAnswered(order, [.success(nil)])
        default: return answer()
        }
    }

    /// Refuses the first order and any others; the list of results may be too short or too long.
    private mutating func answerPartly(_ order: EdgeOrder, _ dice: inout SplitMix64) -> ControllerEvent {
        var results: [Result<JSONValue?, Refusal>] = []
        for one in order.orders {
            if results.isEmpty || dice.chance(2) {
                results.append(.failure(Refusal(.serverRejected, "no")))
            } else {
                carryOut(one, of: order.thing)
                results.append(.success(nil))
            }
        }
        if dice.chance(4) { results.removeLast() }
        if dice.chance(4) { results += [.success(nil), .success(nil)] }
        return .edgeAnswered(order, results)
    }

    private mutating func carryOut(_ order: EdgeOrder) {
        for one in order.orders { carryOut(one, of: order.thing) }
    }

    private mutating func carryOut(_ order: ObjectOrder, of thing: FlareID) {
        if case .values(let values) = order { data[thing, default: [:]].merge(values) { $1 } }
    }
}
