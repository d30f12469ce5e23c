/// Counts refused readings of external programs, and finds senders that are refused repeatedly.
///
/// Times are seconds of the steady clock.
package struct RefusedReadings: Sendable, Hashable {
    /// This many refusals more than accepted readings are a problem; as many accepted readings more end it.
    private static let repeated = 3
    /// A problem ends when nothing was refused for this long, seconds: the sender is gone.
    private static let life = 600.0

    private struct Row: Sendable, Hashable {
        /// Refused minus accepted readings, 0 to ``repeated``.
        var count: Int
        var isProblem = false
        var reason: String
        var last: Double
    }

    /// Total of refused readings.
    package private(set) var count = 0
    /// By sender.
    private var rows: [String: Row] = [:]

    package init() {}

    /// - Parameter sender: Identifies readings that belong together, such as a topic.
    package mutating func recordRefused(_ sender: String, _ reason: String, at now: Double) {
        count += 1
        // Senders are untrusted: limit their number.
        guard rows.count < 100 || rows[sender] != nil else { return }
        var row = rows[sender] ?? Row(count: 0, reason: reason, last: now)
        row.count = min(row.count + 1, Self.repeated)
        row.isProblem = row.isProblem || row.count == Self.repeated
        row.last = now
        // Another value that is wrong for the same reason does not change the message.
        if Self.cause(row.reason) != Self.cause(reason) { row.reason = reason }
        rows[sender] = row
    }

    /// The reason without the offending value at its end.
    private static func cause(_ reason: String) -> Substring {
        reason.firstRange(of: " (is ").map { reason[..<$0.lowerBound] } ?? reason[...]
    }

    /// Records an accepted reading.
    ///
    /// It compensates only one refusal, because several programs may publish on one topic.
    package mutating func recordAccepted(_ sender: String) {
        guard var row = rows[sender] else { return }
        row.count -= 1
        rows[sender] = row.count > 0 ? row : nil
    }

    package mutating func expire(at now: Double) {
        rows = rows.filter { now - $0.value.last < Self.life }
    }

    /// A sentence for the user; `nil` when there is no problem.
    ///
    /// It does not change while readings are refused for the same reason.
    package var problem: String? {
        let reasons = rows.filter(\.value.isProblem).sorted { $0.key < $1.key }
            .map(\.value.reason)
        guard let first = reasons.first else { return nil }
        let others = reasons.count - 1
        let more = others == 0 ? "" : " (and from \(others) other sender\(others == 1 ? "" : "s"))"
        return "Sensor readings are refused: \(first)\(more)"
    }
}
