import JSON
import Things

/// An order that was sent to a thing at the edge, until the thing has confirmed it.
struct OpenEdgeOrder: Sendable {
    enum Phase: Sendable {
        case sent
        /// The commands wait no longer; an answer still counts.
        case late
        /// The Flare server is still to store it.
        case done
    }

    /// One order of those that were sent together; a plain command has one.
    struct Part: Sendable {
        /// Which of them, and of their results.
        let index: Int
        let order: ObjectOrder
        let action: String?
        let cause: ChangeEvent.Cause
        /// What it leads to.
        let goal: ThingPatch

        var values: JSONObject { if case .values(let values) = order { values } else { [:] } }

        /// Its result in a list of all; it has failed if there is none.
        func result(in results: [Result<JSONValue?, Refusal>]) -> Result<JSONValue?, Refusal> {
            results.indices.contains(index) ? results[index] : .failure(.noResult)
        }
    }

    let number: Int
    /// Those that are not refused, and not stored yet.
    var parts: [Part]
    /// How long its commands wait, milliseconds, and until when.
    let wait: Int64
    let due: Instant
    var phase = Phase.sent
    /// Whether the thing's data is like it, so that it leads to nothing else.
    var isReached = false
}

extension OpenEdgeOrder {
    /// Whether data has all that it sets in the end.
    func isLike(_ data: JSONObject) -> Bool {
        let values = parts.reduce(into: JSONObject()) { $0.merge($1.values) { $1 } }
        return !values.isEmpty && values.allSatisfy { data[$0.key] == $0.value }
    }

    /// Forgets the parts that need no answer, since the thing's data is like them.
    mutating func forgetReported() {
        parts.removeAll { $0.action == nil && (isReached || $0.goal.isEmpty) }
    }

    /// Forgets what was not answered in time, if one of its values is known from elsewhere now.
    mutating func forgetReplaced(by values: JSONObject) {
        guard phase == .late else { return }
        parts.removeAll { $0.values.contains { values[$0.key] != nil } }
    }
}

extension Refusal {
    fileprivate static let noResult = Refusal(.thingOffline, "the thing has not said what became of this")
}
