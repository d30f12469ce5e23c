/// Which of the lists that were written the broker uses by now.
///
/// It uses a list shortly after its side has confirmed it. Nobody says when a list counts if its side confirms none;
/// then it has some time.
package struct AccessListProgress: Sendable {
    private struct List {
        let head: String
        var number: Int
        let madeAt: Int64
        var confirmedAt: Int64?
        var isPassed = false
    }

    /// How long the broker takes to read a list, milliseconds: it is confirmed when the broker was asked to.
    package static let reading = 500 as Int64
    /// How long a list takes when nobody confirms any, milliseconds.
    package static let unconfirmed = 2000 as Int64
    /// How long its confirmation may take, milliseconds; after that everything is published, with an alert.
    package static let patience = 10_000 as Int64
    /// When to look again, milliseconds.
    package static let interval = 100 as Int64

    /// The oldest first; the last one stays.
    private var lists: [List] = []

    package init() {}

    /// A list was made.
    ///
    /// - Parameters:
    ///   - head: What tells it from others.
    ///   - number: What it knows, as a number that grows.
    ///   - now: Milliseconds.
    package mutating func made(_ head: String, _ number: Int, at now: Int64) {
        guard let last = lists.indices.last, lists[last].head == head else {
            lists.append(List(head: head, number: number, madeAt: now))
            return
        }
        guard lists[last].number != number else { return }
        lists[last].number = number
        lists[last].isPassed = false
    }

    /// Whether the broker uses the last list.
    package var isComplete: Bool { lists.last?.isPassed ?? true }

    /// - Parameter confirmed: The head of the list that was confirmed; `nil` if nobody confirms any.
    /// - Returns: The number of the newest list that the broker uses; `nil` if it was returned before.
    package mutating func look(_ confirmed: String?, at now: Int64) -> Int? {
        if let index = lists.lastIndex(where: { $0.head == confirmed }) {
            // Those before it are replaced.
            for earlier in 0...index where lists[earlier].confirmedAt == nil {
                lists[earlier].confirmedAt = now
            }
        }
        guard let index = lists.lastIndex(where: { isUsed($0, hasConfirmations: confirmed != nil, now) })
        else {
            return nil
        }
        let isNews = !lists[index].isPassed
        lists[index].isPassed = true
        lists.removeFirst(index)
        return isNews ? lists[0].number : nil
    }

    private func isUsed(_ list: List, hasConfirmations: Bool, _ now: Int64) -> Bool {
        if let confirmedAt = list.confirmedAt { return Self.isOver(Self.reading, since: confirmedAt, now) }
        return Self.isOver(hasConfirmations ? Self.patience : Self.unconfirmed, since: list.madeAt, now)
    }

    /// A clock that was set back ends the wait.
    private static func isOver(_ time: Int64, since start: Int64, _ now: Int64) -> Bool {
        !(0..<time).contains(now.subtractingReportingOverflow(start).partialValue)
    }
}
