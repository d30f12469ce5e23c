import JSON

/// Decides when a changed state is sent: at once, or, if only the device's movement differs, at most once in an
/// interval.
struct StatePace: Sendable {
    enum Decision: Sendable, Hashable {
        case send
        /// Decide again then.
        case wait(milliseconds: Int64)
        case nothing
    }

    private let interval: Int64
    private var sent: JSONValue?
    private var sentStill: JSONValue?
    private var sentAt: Int64?
    private var isWaiting = false

    /// - Parameter interval: Milliseconds.
    init(interval: Int64) { self.interval = interval }

    /// Decides about the content of `B/state`.
    ///
    /// - Parameter now: Steady milliseconds.
    mutating func decide(_ feed: JSONValue, at now: Int64) -> Decision {
        let content = feed.without(["seq", "ts"])
        guard content != sent else { return .nothing }
        let still = content.withoutMovement
        let rest = sentAt.map { interval - (now - $0) } ?? 0
        guard still == sentStill, rest > 0 else {
            (sent, sentStill, sentAt, isWaiting) = (content, still, now, false)
            return .send
        }
        guard !isWaiting else { return .nothing }
        isWaiting = true
        return .wait(milliseconds: min(rest, interval))
    }

    /// The wait is over.
    mutating func waited() { isWaiting = false }

    /// Counts a state as sent, such as that with which a recording begins.
    mutating func begin(with feed: JSONValue) {
        sent = feed.without(["seq", "ts"])
        sentStill = sent?.withoutMovement
    }
}

extension JSONValue {
    /// Without these members.
    func without(_ keys: [String]) -> JSONValue {
        guard var members = object else { return self }
        for key in keys { members[key] = nil }
        return .object(members)
    }

    /// The state without what changes while the device moves.
    fileprivate var withoutMovement: JSONValue {
        guard var members = object else { return self }
        members["device"] = self["device"]?.without(["position", "angle", "accuracy_m", "ts"])
        members["nearby"] = self["nearby"]?.without(["distance_m", "bearing_deg"])
        return .object(members)
    }
}
