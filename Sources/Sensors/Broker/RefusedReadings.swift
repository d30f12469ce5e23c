/// The readings that came from other programs and were refused: how many, and which senders do it again and again.
///
/// Times are seconds of the steady clock.
package struct RefusedReadings: Sendable, Hashable {
    /// So many refusals that no accepted readings make up for are a problem, and so many accepted ones end it.
    private static let repeated = 3
    /// A problem is forgotten when nothing was refused for so long: the sender is gone.
    private static let life = 600.0

    private struct Row: Sendable, Hashable {
        /// Refused readings less accepted ones, 0 to ``repeated``.
        var count: Int
        var isProblem = false
        var reason: String
        var last: Double
    }

    /// All that were refused.
    package private(set) var count = 0
    /// By sender.
    private var rows: [String: Row] = [:]

    package init() {}

    /// - Parameter sender: A name for those whose readings belong together, such as a topic.
    package mutating func refused(_ sender: String, _ reason: String, at now: Double) {
        count += 1
        // Names come from outside.
        guard rows.count < 100 || rows[sender] != nil else { return }
        var row = rows[sender] ?? Row(count: 0, reason: reason, last: now)
        row.count = min(row.count + 1, Self.repeated)
        row.isProblem = row.isProblem || row.count == Self.repeated
        row.last = now
        // Another value that is wrong for the same reason is no news.
        if Self.cause(row.reason) != Self.cause(reason) { row.reason = reason }
        rows[sender] = row
    }

    /// A reason without the value at its end.
    private static func cause(_ reason: String) -> Substring {
        reason.firstRange(of: " (is ").map { reason[..<$0.lowerBound] } ?? reason[...]
    }

    /// A reading was accepted.
    ///
    /// It makes up for one refusal only: several programs may publish on one topic.
    package mutating func taken(_ sender: String) {
        guard var row = rows[sender] else { return }
        row.count -= 1
        rows[sender] = row.count > 0 ? row : nil
    }

    package mutating func expire(at now: Double) {
        rows = rows.filter { now - $0.value.last < Self.life }
    }

    /// What to tell a person; `nil` when all is well.
    ///
    /// It does not change while the same is refused again.
    package var problem: String? {
        let reasons = rows.filter(\.value.isProblem).sorted { $0.key < $1.key }
            .map(\.value.reason)
        guard let first = reasons.first else { return nil }
        let others = reasons.count - 1
        let more = others == 0 ? "" : " (and from \(others) other sender\(others == 1 ? "" : "s"))"
        return "Sensor readings are refused: \(first)\(more)"
    }
}
