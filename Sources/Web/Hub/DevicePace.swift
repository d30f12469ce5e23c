import Controller
import JSON
import Messages

/// Decides which of several devices are sent: at once, or, if only its movement differs, each at most once in an interval.
struct DevicePace: Sendable {
    struct Decision: Sendable, Hashable {
        /// The nodes of the devices that have changed, or are gone.
        var changed: [String] = []
        /// Milliseconds after which to decide again.
        var wait: Int64?
    }

    private struct Sent: Sendable {
        let content: JSONValue
        let still: JSONValue
        /// `nil` for what a recording has begun with.
        let at: Int64?
    }

    /// Receivers report each device several times a second: least milliseconds between two looks at all of them.
    private static let leastPause: Int64 = 100

    private let interval: Int64
    private var sent: [String: Sent] = [:]
    private var lastLook: Int64?
    /// When the next look is due for which the caller waits.
    private var due: Int64?

    /// - Parameter interval: Milliseconds.
    init(interval: Int64) { self.interval = interval }

    /// Counts all devices as sent.
    mutating func begin(with state: ControllerState) {
        sent = [:]
        (lastLook, due) = (nil, nil)
        for node in state.listedNodes { sent[node] = Self.content(of: node, in: state, at: nil) }
    }

    /// - Parameter now: Steady milliseconds.
    mutating func decide(_ state: ControllerState, at now: Int64) -> Decision {
        // A daemon with one device has nothing to compare.
        guard state.saysWhoIsInZones || !sent.isEmpty else { return Decision() }
        let pause = lastLook.map { Self.leastPause - (now - $0) } ?? 0
        guard pause <= 0 else { return Decision(wait: wait(min(pause, Self.leastPause), at: now)) }
        lastLook = now
        var decision = Decision()
        var next: Int64?
        let listed = state.listedNodes
        for node in listed {
            guard let new = Self.content(of: node, in: state, at: now), new.content != sent[node]?.content
            else { continue }
            let old = sent[node]
            let rest = old?.at.map { interval - (now - $0) } ?? 0
            guard new.still == old?.still, rest > 0 else {
                sent[node] = new
                decision.changed.append(node)
                continue
            }
            next = min(next ?? interval, rest)
        }
        if sent.count > listed.count {
            let gone = Set(sent.keys).subtracting(listed).sorted()
            for node in gone { sent[node] = nil }
            decision.changed += gone
        }
        decision.wait = next.flatMap { wait(max($0, Self.leastPause), at: now) }
        return decision
    }

    /// A wait is over.
    mutating func waited() { due = nil }

    /// How long to wait; `nil` if the caller does not wait longer for an earlier look.
    private mutating func wait(_ milliseconds: Int64, at now: Int64) -> Int64? {
        let moment = now + milliseconds
        if let due, due <= moment { return nil }
        due = moment
        return milliseconds
    }

    private static func content(of node: String, in state: ControllerState, at now: Int64?) -> Sent? {
        // That it was heard again is no change.
        guard let content = state.placedDeviceJSON(node)?.without(["last_seen"]) else { return nil }
        return Sent(content: content, still: content.without(["position", "angle", "accuracy_m"]), at: now)
    }
}
