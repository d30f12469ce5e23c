import Controller
import Flare
import JSON
import Things

/// A command that consists of others, each given when the one before it is answered.
struct RunSeries: SliceCommand {
    let parts: [Command.Operation]
    /// Whether the first part is given again and again.
    var isEndless = false

    var permission: ChangeRequest.Kind? { nil }
    var logName: String { "series" }
    var logValues: JSONValue? { nil }
    var summary: CommandSummary? { nil }
}

/// The slice that carries it out.
struct Series: Slice {
    enum Event: Sendable, Hashable {
        /// The slice is here from now on.
        case begun
        case happened(FlareID, EdgeEvent)
    }

    private(set) var results: [RefusalCode?] = []
    private var left: [Command.Operation] = []
    private var isEndless = false
    private var whole: Command?

    init() {}

    mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard case .happened(let thing, let event) = event else { return [] }
        return [.edge(thing, event)]
    }

    mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]? {
        guard let series = command.operation.base as? RunSeries else { return nil }
        (whole, results, left, isEndless) = (command, [], series.parts, series.isEndless)
        return next()
    }

    mutating func answered(_ answer: Answer, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        results.append(answer.refusal?.code)
        return next()
    }

    private mutating func next() -> [SliceEffect] {
        guard let whole else { return [] }
        guard let part = left.first else {
            self.whole = nil
            var answer = Answer(ticket: whole.ticket, tx: whole.tx, subject: .set)
            answer.actor = whole.actor
            return [.perform(.answer(answer))]
        }
        if !isEndless { left.removeFirst() }
        return [
            .execute(
                Command(
                    ticket: results.count,
                    operation: part,
                    actor: whole.actor,
                    caller: whole.caller,
                    owner: Series.self
                )
            )
        ]
    }
}
