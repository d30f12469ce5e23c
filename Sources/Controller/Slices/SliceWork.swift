import Things

/// What slices have asked for and is not performed yet, and the answers to the commands that they have given.
///
/// Answers wait here until the core has applied its event: a slice must not give the next command while a place is half left.
struct SliceWork: Sendable {
    enum Item: Sendable {
        case effect(SliceEffect, for: PendingCommand?)
        case answer(Answer, to: any Slice.Type)
    }

    /// What becomes of a command that a slice gives.
    enum Admission {
        case performed
        case refused(Refusal)
        /// It follows from the answer to one that was refused for good.
        case dropped
    }

    /// Commands that slices may give in one event.
    static let capacity = 1000

    /// Each with whether it follows from a refusal for good.
    private var items: [(item: Item, isLast: Bool)] = []
    /// The next of them.
    private var index = 0
    private var isPerforming = false
    /// Whether what is performed now follows from a refusal for good.
    private var isLast = false
    private var event = 0
    private var commands = 0
    /// Why no command is performed any more.
    private var end: Refusal?

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ effects: [SliceEffect], for pending: PendingCommand?) {
        for effect in effects {
            // No other one needs the command, which is large.
            var answered: PendingCommand?
            if case .accept = effect { answered = pending }
            items.append((.effect(effect, for: answered), isLast))
        }
    }

    mutating func append(_ answer: Answer, to owner: any Slice.Type) {
        items.append((.answer(answer, to: owner), isLast))
    }

    /// Whether to perform the items now; not if that is going on.
    mutating func begin() -> Bool {
        guard !isPerforming else { return false }
        isPerforming = true
        return true
    }

    /// The next item; `nil` at the end.
    mutating func next() -> Item? {
        guard items.indices.contains(index) else {
            items.removeAll(keepingCapacity: items.capacity < Self.capacity)
            (index, isPerforming, isLast) = (0, false, false)
            return nil
        }
        let (item, isLast) = items[index]
        self.isLast = isLast
        index += 1
        return item
    }

    /// Counts a command that a slice gives.
    mutating func admission(in event: Int) -> Admission {
        if isLast { return .dropped }
        if let end { return .refused(end) }
        if self.event != event { (self.event, commands) = (event, 0) }
        guard commands < Self.capacity else {
            return .refused(
                Refusal(.rateLimited, "more than \(Self.capacity) commands follow from one event")
            )
        }
        commands += 1
        return .performed
    }

    /// The command whose answer was just appended was refused for good: nothing follows from that.
    mutating func refusedForGood() {
        if !items.isEmpty { items[items.count - 1].isLast = true }
    }

    /// From now on commands are refused.
    mutating func end(_ refusal: Refusal) { end = refusal }
}
