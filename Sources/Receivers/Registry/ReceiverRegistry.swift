import RateLimiting
import Text

/// The receivers of a place: which are heard, since when they are silent, and which cannot be believed.
///
/// A value: each time comes in with what happened, seconds on the daemon's steady clock. Receivers have clocks of their
/// own, or none, so nothing that they say about times counts, except that an uptime that falls tells of a restart.
package struct ReceiverRegistry: Sendable {
    package struct Receiver: Sendable, Hashable {
        package let name: String
        /// Whether a thing of the place stands for it.
        package internal(set) var isExpected = false
        /// What it last said itself, or its last will; `nil` if nothing.
        package internal(set) var status: ReceiverStatus?
        /// Seconds; `nil` if it was never heard.
        package internal(set) var heardAt: Double?
        package internal(set) var reports = 0
        package internal(set) var refused = 0
        package internal(set) var repeats = 0
        /// Reports beyond ``ReceiverRegistry/mostReportsPerSecond``.
        package internal(set) var dropped = 0
        package internal(set) var restarts = 0
        package internal(set) var telemetry: ReceiverTelemetry?
        /// Why its messages cannot be used, while most of them cannot.
        package internal(set) var problem: String?

        /// From when silence counts.
        var countsFrom: Double
        var isSilent = false
        /// The part of refused messages among the last ones, from 0 to 10.
        var badness = 0.0
        var bucket = TokenBucket(
            capacity: ReceiverRegistry.mostReportsAtOnce,
            perSecond: ReceiverRegistry.mostReportsPerSecond
        )
        var recent = RecentReports()
    }

    /// What has become different.
    package enum Change: Sendable, Hashable {
        case appeared(String)
        /// Nothing came for ``ReceiverRegistry/silence`` seconds from one that a thing of the place stands for.
        case silent(String)
        case returned(String)
        case restarted(String)
        /// Most of what it says cannot be used; the reason.
        case unusable(String, String)
        case usable(String)
        /// There are too many receivers; this one is ignored.
        case ignored(String)
    }

    /// What becomes of a report.
    package enum Verdict: Sendable, Hashable {
        case accepted
        /// The same message again, by a broker that repeats or a bridge that returns it.
        case repeated
        /// More than a receiver may send.
        case tooMany
        /// A receiver beyond the limit.
        case unknown
    }

    package static let most = 256
    /// Seconds.
    package static let silence = 60.0
    /// A receiver that no thing stands for is forgotten after this silence, seconds.
    package static let memory = 3600.0
    package static let mostReportsPerSecond = 1000.0
    package static let mostReportsAtOnce = 4000.0

    private var known: [String: Receiver] = [:]
    private var isLinked = true
    private var ignored: Set<String> = []

    package init() {}

    /// All, by name.
    package var receivers: [Receiver] { known.values.sorted { $0.name < $1.name } }

    package subscript(name: String) -> Receiver? { known[name] }

    // MARK: What happens

    /// Names the receivers that things of the place stand for; others may send as well.
    package mutating func expect(_ names: some Sequence<String>, at now: Double) -> [Change] {
        let names = Set(names)
        var changes: [Change] = []
        for name in known.keys where known[name]?.isExpected == true && !names.contains(name) {
            known[name]?.isExpected = false
        }
        for name in names.sorted() where ReceiverTopics.isName(name) {
            if known[name] == nil, !add(name, isExpected: true, at: now) {
                changes += refuse(name)
                continue
            }
            // Until now nobody missed it: its silence counts from here.
            if known[name]?.isExpected == false, known[name]?.isSilent == true {
                known[name]?.isSilent = false
                known[name]?.countsFrom = now
            }
            known[name]?.isExpected = true
        }
        return changes
    }

    /// A report came.
    ///
    /// - Parameter fingerprint: Of topic and payload, to know repeats: ``RecentReports/fingerprint(_:_:)``.
    package mutating func record(
        reportBy name: String,
        fingerprint: UInt64,
        at now: Double
    ) -> (verdict: Verdict, changes: [Change]) {
        var changes: [Change] = []
        guard hear(name, at: now, &changes), var receiver = known.removeValue(forKey: name) else {
            return (.unknown, changes)
        }
        defer { known[name] = receiver }
        guard receiver.bucket.take(at: Self.milliseconds(now)) else {
            receiver.dropped &+= 1
            return (.tooMany, changes)
        }
        if receiver.recent.isRepeat(fingerprint, at: now) {
            receiver.repeats &+= 1
            return (.repeated, changes)
        }
        receiver.reports &+= 1
        changes += Self.judge(&receiver, isBad: nil)
        return (.accepted, changes)
    }

    /// A report came that somebody else counts, and it can be used.
    package mutating func record(usableBy name: String, at now: Double) -> [Change] {
        var changes: [Change] = []
        guard hear(name, at: now, &changes), var receiver = known.removeValue(forKey: name) else {
            return changes
        }
        changes += Self.judge(&receiver, isBad: nil)
        known[name] = receiver
        return changes
    }

    /// A message could not be used.
    package mutating func record(refusedBy name: String, why: String, at now: Double) -> [Change] {
        var changes: [Change] = []
        guard hear(name, at: now, &changes), var receiver = known.removeValue(forKey: name) else {
            return changes
        }
        receiver.refused &+= 1
        changes += Self.judge(&receiver, isBad: why)
        known[name] = receiver
        return changes
    }

    /// - Parameter isRetained: Whether the broker had kept it: then it says nothing about now, except an `offline`.
    package mutating func record(
        _ status: ReceiverStatus,
        of name: String,
        isRetained: Bool,
        at now: Double
    ) -> [Change] {
        var changes: [Change] = []
        if isRetained || status == .offline {
            guard known[name] != nil || add(name, isExpected: false, at: now) else { return refuse(name) }
        } else if !hear(name, at: now, &changes) {
            return changes
        }
        known[name]?.status = status
        return changes
    }

    package mutating func record(
        _ telemetry: ReceiverTelemetry,
        of name: String,
        at now: Double
    ) -> [Change] {
        var changes: [Change] = []
        guard hear(name, at: now, &changes) else { return changes }
        if let before = known[name]?.telemetry?.uptime, let uptime = telemetry.uptime, uptime < before {
            known[name]?.restarts &+= 1
            changes.append(.restarted(name))
        }
        known[name]?.telemetry = telemetry
        return changes
    }

    /// The link to the broker was made or lost: without it nobody can be silent.
    package mutating func record(linkIsUp: Bool, at now: Double) {
        isLinked = linkIsUp
        guard linkIsUp else { return }
        for name in known.keys { known[name]?.countsFrom = now }
    }

    /// Time passes: who has become silent, and who is forgotten.
    package mutating func advance(to now: Double) -> [Change] {
        guard isLinked, now.isFinite else { return [] }
        var changes: [Change] = []
        for name in known.keys.sorted() {
            guard let receiver = known[name] else { continue }
            let since = max(receiver.heardAt ?? receiver.countsFrom, receiver.countsFrom)
            // A clock that was set back: count from now.
            if now < since {
                known[name]?.countsFrom = now
                if let heardAt = receiver.heardAt, heardAt > now { known[name]?.heardAt = now }
                continue
            }
            if !receiver.isExpected, now - since >= Self.memory {
                known[name] = nil
            } else if !receiver.isSilent, now - since >= Self.silence {
                known[name]?.isSilent = true
                if receiver.isExpected { changes.append(.silent(name)) }
            }
        }
        if known.count < Self.most { ignored.removeAll() }
        return changes
    }

    /// Forgets all receivers: nobody needs them any more.
    package mutating func forgetAll() {
        known.removeAll()
        ignored.removeAll()
    }

    // MARK: Alerts

    /// The receivers that have been silent for a minute and for which things of the place stand, by name.
    package var silent: [String] {
        known.values.filter { $0.isSilent && $0.isExpected }.map(\.name).sorted()
    }

    /// The sentence of the alert about silent receivers; `nil` if all are heard.
    package var silenceAlert: String? {
        let names = silent
        guard let first = names.first else { return nil }
        return names.count == 1
            ? "The receiver \(QuotedValue.list([first])) has been silent for a minute: check its power and its network."
            : "\(names.count) receivers have been silent for a minute: \(QuotedValue.list(names)). Check their power and their network."
    }

    /// The sentence of the alert about receivers whose messages cannot be used; `nil` if there are none.
    package var unusableAlert: String? {
        let problems = receivers.compactMap { receiver in
            receiver.problem.map { "\(QuotedValue.list([receiver.name])): \($0)" }
        }
        guard !problems.isEmpty else { return nil }
        return "Most messages of a receiver cannot be used: \(problems.prefix(5).joined(separator: "; "))"
    }

    // MARK: Parts

    private mutating func hear(_ name: String, at now: Double, _ changes: inout [Change]) -> Bool {
        guard now.isFinite, ReceiverTopics.isName(name) else { return false }
        if known[name] == nil, !add(name, isExpected: false, at: now) {
            changes += refuse(name)
            return false
        }
        guard let receiver = known[name] else { return false }
        if receiver.isSilent {
            if receiver.isExpected { changes.append(.returned(name)) }
        } else if receiver.heardAt == nil {
            changes.append(.appeared(name))
        }
        known[name]?.isSilent = false
        known[name]?.heardAt = now
        known[name]?.status = .online
        return true
    }

    /// Adds a receiver; with too many, one goes that nothing stands for and that is silent.
    private mutating func add(_ name: String, isExpected: Bool, at now: Double) -> Bool {
        if known.count >= Self.most {
            let candidates = known.values.filter { !$0.isExpected && (isExpected || $0.isSilent) }
            guard
                let oldest = candidates.min(by: {
                    ($0.heardAt ?? $0.countsFrom) < ($1.heardAt ?? $1.countsFrom)
                })
            else { return false }
            known[oldest.name] = nil
        }
        known[name] = Receiver(name: name, isExpected: isExpected, countsFrom: now)
        return true
    }

    private mutating func refuse(_ name: String) -> [Change] {
        ignored.count < 16 && ignored.insert(name).inserted ? [.ignored(name)] : []
    }

    /// - Parameter isBad: Why the last message could not be used; `nil` if it could.
    private static func judge(_ receiver: inout Receiver, isBad: String?) -> [Change] {
        receiver.badness = receiver.badness * 0.9 + (isBad == nil ? 0 : 1)
        if let isBad, receiver.badness > 5, receiver.problem == nil {
            receiver.problem = isBad
            return [.unusable(receiver.name, isBad)]
        }
        if receiver.badness < 2, receiver.problem != nil {
            receiver.problem = nil
            return [.usable(receiver.name)]
        }
        return []
    }

    private static func milliseconds(_ seconds: Double) -> Int64 {
        Int64(min(max(seconds, -1e12), 1e12) * 1000)
    }
}
