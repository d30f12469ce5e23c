import Controller
import Flare
import JSON
import Things

/// A command that consists of others, each given when the one before it is answered, or all at once.
struct RunSeries: SliceCommand {
    let parts: [Command.Operation]
    /// Whether the first part is given again and again.
    var isEndless = false
    /// With it all parts are given at once.
    var batch: EdgeBatch?

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

    /// The answers in the order in which they came; their tickets count the parts.
    private(set) var answers: [Answer] = []
    private var left: [Command.Operation] = []
    private var given = 0
    private var isEndless = false
    private var whole: Command?

    var results: [RefusalCode?] { answers.map(\.refusal?.code) }
    var isIdle: Bool { whole == nil }

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
        (whole, answers, left, given) = (command, [], series.parts, 0)
        isEndless = series.isEndless
        guard let batch = series.batch else { return next() }
        left = []
        return series.parts.map { give($0, for: command, batch) }
    }

    mutating func answered(_ answer: Answer, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        answers.append(answer)
        return answers.count == given ? next() : []
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
        return [give(part, for: whole)]
    }

    private mutating func give(
        _ part: Command.Operation,
        for whole: Command,
        _ batch: EdgeBatch? = nil
    ) -> SliceEffect {
        defer { given += 1 }
        return .execute(
            Command(
                ticket: given,
                operation: part,
                actor: whole.actor,
                caller: whole.caller,
                owner: Series.self,
                batch: batch
            )
        )
    }
}
