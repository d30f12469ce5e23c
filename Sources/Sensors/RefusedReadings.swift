/// The readings that came from other programs and were refused: how many, and which senders do it again and again.
///
/// Times are seconds of the steady clock.
package struct RefusedReadings: Sendable, Hashable {
    /// What is refused so many times in a row is a problem, and not a slip.
    private static let repeated = 3
    /// A problem is forgotten when nothing was refused for so long: the sender is gone.
    private static let life = 600.0

    private struct Row: Sendable, Hashable {
        var count: Int
        var reason: String
        var last: Double
    }

    /// All that were refused.
    package private(set) var count = 0
    /// What was refused since the last reading that was taken, by sender.
    private var rows: [String: Row] = [:]

    package init() {}

    /// - Parameter sender: A name for those whose readings belong together, such as a topic.
    package mutating func refused(_ sender: String, _ reason: String, at now: Double) {
        count += 1
        // Names come from outside.
        guard rows.count < 100 || rows[sender] != nil else { return }
        var row = rows[sender] ?? Row(count: 0, reason: reason, last: now)
        row.count += 1
        row.last = now
        // Another value that is wrong for the same reason is no news.
        if Self.cause(row.reason) != Self.cause(reason) { row.reason = reason }
        rows[sender] = row
    }

    /// A reason without the value at its end.
    private static func cause(_ reason: String) -> Substring {
        reason.firstRange(of: " (is ").map { reason[..<$0.lowerBound] } ?? reason[...]
    }

    package mutating func taken(_ sender: String) {
        guard !rows.isEmpty else { return }
        rows[sender] = nil
    }

    package mutating func expire(at now: Double) {
        rows = rows.filter { now - $0.value.last < Self.life }
    }

    /// What to tell a person; `nil` when all is well.
    ///
    /// It does not change while the same is refused again.
    package var problem: String? {
        let reasons = rows.filter { $0.value.count >= Self.repeated }.sorted { $0.key < $1.key }
            .map(\.value.reason)
        guard let first = reasons.first else { return nil }
        let more = reasons.count > 1 ? " (and of \(reasons.count - 1) more senders)" : ""
        return "Sensor readings are refused: \(first)\(more)"
    }
}
