import Flare

/// The objects of which much was told in quick succession.
///
/// The original server lets messages about one object overtake each other, so that the last one heard need not
/// be the one that holds. When there is quiet, what is stored is asked for again.
/// - Source: flare-protocol 7 and 13.
struct UnsettledObjects: Sendable {
    enum Aspect: Sendable, Hashable { case data, position }

    struct Subject: Sendable, Hashable {
        let object: ObjectReference
        let aspect: Aspect
    }

    private struct Burst: Sendable {
        var last: Int
        /// When it is asked for, even if there is no quiet; `nil` for a single message.
        var latest: Int?
        /// Whether only we have changed something: that was confirmed one by one.
        var isOurs: Bool
        var told: [String: JSONValue] = [:]
    }

    /// Milliseconds between two messages that may have overtaken each other; and of quiet.
    private static let quiet = 500
    /// Milliseconds until it is asked in the midst of a burst.
    private static let patience = 5000
    private static let maximumObjects = 1000
    private static let maximumKeys = 100

    private var bursts: [Subject: Burst] = [:]
    /// What was told of that which was asked for.
    private var asked: [Subject: [String: JSONValue]] = [:]

    /// Something was told, by the server or, of our own changes, by us.
    mutating func note(_ notice: FlareNotice, isOurs: Bool = false, now: Int) {
        guard let (subject, values) = Self.content(notice) else { return }
        guard var burst = bursts[subject], now - burst.last < Self.quiet else {
            if bursts.count < Self.maximumObjects || bursts[subject] != nil {
                bursts[subject] = Burst(last: now, isOurs: isOurs, told: values)
            }
            return
        }
        burst.last = now
        burst.isOurs = burst.isOurs && isOurs
        if !burst.isOurs { burst.latest = burst.latest ?? now + Self.patience }
        burst.told.merge(values) { $1 }
        if burst.told.count > Self.maximumKeys { burst.told = [:] }
        bursts[subject] = burst
    }

    /// Whether this is an answer that says nothing new.
    mutating func confirms(_ notice: FlareNotice) -> Bool {
        guard !asked.isEmpty, let (subject, values) = Self.content(notice), let told = asked[subject] else {
            return false
        }
        asked[subject] = nil
        return !told.isEmpty && told.allSatisfy { values[$0.key] == $0.value }
    }

    /// When something is to be asked for, or forgotten.
    var deadline: Int? { bursts.values.map { due($0) }.min() }

    /// What is to be asked for now.
    mutating func take(now: Int) -> [Subject] {
        var subjects: [Subject] = []
        for (subject, burst) in bursts where now >= due(burst) {
            bursts[subject] = nil
            guard burst.latest != nil else { continue }
            asked[subject] = burst.told
            subjects.append(subject)
        }
        // Answers that never came.
        if asked.count > 2 * Self.maximumObjects { asked.removeAll() }
        return subjects
    }

    mutating func removeAll() {
        bursts.removeAll()
        asked.removeAll()
    }

    private func due(_ burst: Burst) -> Int { min(burst.last + Self.quiet, burst.latest ?? .max) }

    private static func content(_ notice: FlareNotice) -> (Subject, [String: JSONValue])? {
        switch notice {
        case .data(let object, let values, _): (Subject(object: object, aspect: .data), values)
        case .position(let object, let position, _):
            (Subject(object: object, aspect: .position), ["": position.json])
        case .handleAction, .enter, .exit, .near, .far, .thingChanged, .modelChanged: nil
        }
    }
}

extension UnsettledObjects.Subject {
    var question: FlareMessage {
        FlareMessage(aspect == .data ? "getData" : "getPosition", object)
    }
}
