package import Accounts
package import Bindings
package import Controller
import DequeModule
package import Flare
package import People
package import Things

/// The commands of things with owners that have not ended, and the last ones that have.
///
/// Each action is a command of its own: to a thing at the edge all of them at once, to the Flare server one after the
/// other. Rows are stored in the turn, before an answer leaves.
/// - Source: contrib/contract/bindings.md, "Life of a command".
package struct BindingsSlice: Slice {
    /// A binding that is linked to a thing.
    package struct Bound: Sendable, Hashable {
        package let id: BindingID
        package let thing: FlareID
        package let isOwned: Bool

        package init(_ id: BindingID, thing: FlareID, isOwned: Bool) {
            (self.id, self.thing, self.isOwned) = (id, thing, isOwned)
        }
    }

    /// What a thing has answered to a command.
    package enum Report: Sendable, Hashable {
        /// One result for each action of the command.
        case ofActions([ActionResult])
        /// One result for each order that was sent for it.
        case ofOrders([ActionResult])
    }

    package enum Event: Sendable, Hashable {
        /// The bindings that are linked; others are not any more.
        case bindings([Bound])
        /// One is linked, or is not any more.
        case binding(BindingID, Bound?)
        /// The commands of earlier runs that have not ended, with whether each is for a thing at the edge.
        case restored([StoredThingCommand], atEdge: Set<String>)
        /// The broker has these, or the thing has fetched them.
        case delivered([String])
        /// A thing has answered.
        ///
        /// - Parameters:
        ///   - stored: As it is stored, in case that it is not known here any more.
        ///   - order: What was sent for it, if that is known.
        case reported(Report, stored: StoredThingCommand, order: EdgeOrder?)
        /// The time of a command is over.
        case due(String)
    }

    struct Running: Sendable, Hashable {
        var stored: StoredThingCommand
        /// Whether the thing itself answers.
        let isAtEdge: Bool
        /// Whose parts the actions are; `nil` after a restart.
        let whole: Command?
        /// Whether its end is the answer to it.
        var isAnsweredAtEnd: Bool
        /// The first action that was not given yet.
        var next = 0
    }

    struct Part: Sendable, Hashable {
        let id: String
        let action: Int
        /// The name of the action.
        let name: String
        /// Whether every action was given by then.
        let isLast: Bool
    }

    /// So many commands that have ended are remembered: for late results, and to notify their issuers.
    static let capacity = 1000

    /// How long a command may take, milliseconds.
    package var milliseconds: Int64 = 60_000
    private(set) var bound: [FlareID: Bound] = [:]
    private var things: [BindingID: FlareID] = [:]
    var running: [String: Running] = [:]
    /// How many of a thing have not ended.
    var open: [BindingID: Int] = [:]
    /// Those of ``running`` that have ended, the oldest first.
    var ended: Deque<String> = []
    /// The parts that are not answered, by ticket.
    var parts: [Int: Part] = [:]
    var lastTicket = 0
    /// The commands that were given in this event.
    var fresh: Set<String> = []

    package init() {}

    /// - Parameter seconds: How long a command may take.
    package init(seconds: Double) { milliseconds = Int64(max(0, min(seconds, 86_400)) * 1000) }

    /// A command that has not ended, or has ended not long ago.
    package func command(_ id: String) -> StoredThingCommand? { running[id]?.stored }

    // MARK: Slice

    package mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        switch event {
        case .bindings(let all):
            (bound, things) = ([:], [:])
            for binding in all { put(binding) }
            return []
        case .binding(let id, let binding):
            if let thing = things.removeValue(forKey: id) { bound[thing] = nil }
            if let binding { put(binding) }
            return []
        case .restored(let commands, let atEdge):
            return commands.flatMap { restore($0, isAtEdge: atEdge.contains($0.command.id), at: now) }
        case .delivered(let ids):
            return ids.flatMap { change($0, [.delivered], at: now) }
        case .reported(let report, let stored, let order):
            return reported(report, stored, order, at: now)
        case .due(let id):
            return change(id, [.due], at: now)
        }
    }

    private mutating func put(_ binding: Bound) {
        (bound[binding.thing], things[binding.id]) = (binding, binding.thing)
    }

    package mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        if !fresh.isEmpty { fresh.removeAll(keepingCapacity: true) }
        switch event {
        case .configurationApplied(let configuration):
            milliseconds = configuration.slices[BindingsSlice.self].milliseconds
            return []
        case .stopBegun: return stop(at: now)
        default: return []
        }
    }

    package mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]? {
        guard let run = command.operation.base as? RunActions else { return nil }
        return try begin(run, command, in: core, at: now)
    }

    package mutating func answered(
        _ answer: Answer,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let part = parts.removeValue(forKey: answer.ticket) else { return [] }
        var effects = settle(part, answer, at: now)
        if !part.isLast { giveNext(of: part.id, in: core, &effects) }
        return effects
    }

    /// Nobody reads it over an interface.
    package func seen(by reader: Reader, in core: ControllerState) -> Self { Self() }
}

extension StateChange {
    /// The name of the changes that say that a command has ended.
    static let commandEnds = "command-ends"

    static func commandEnded(_ id: String) -> StateChange { .slice(commandEnds, part: id) }
}
