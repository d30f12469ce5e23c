import Flare
import JSON

/// Objects with several notices in quick succession.
///
/// The original server may reorder messages about an object, so the last notice may be outdated. After a burst the
/// stored value is read again.
/// - Source: contrib/contract/flare-protocol.md, "7. Order and loss in the original server";
///   "13. Rules for a server and a client".
struct UnsettledObjects: Sendable {
    enum Aspect: Sendable, Hashable { case data, position }

    struct Subject: Sendable, Hashable {
        let object: ObjectReference
        let aspect: Aspect
    }

    private struct Burst: Sendable {
        var last: Int
        /// When the value is read at the latest; `nil` for a single message.
        var latest: Int?
        /// Whether all changes are our own, which are confirmed already.
        var isOurs: Bool
        var announced: JSONObject = [:]
    }

    /// Milliseconds within which messages may be reordered, and of silence that end a burst.
    private static let quiet = 500
    /// Milliseconds until the value is read during a burst.
    private static let patience = 5000
    private static let maximumObjects = 1000
    private static let maximumKeys = 100

    private var bursts: [Subject: Burst] = [:]
    /// The announced values of the objects that are being read.
    private var asked: [Subject: JSONObject] = [:]

    /// Records a notice, or a change of our own.
    mutating func record(_ notice: FlareNotice, isOurs: Bool = false, now: Int) {
        guard let (subject, values) = Self.content(notice) else { return }
        guard var burst = bursts[subject], now - burst.last < Self.quiet else {
            if bursts.count < Self.maximumObjects || bursts[subject] != nil {
                bursts[subject] = Burst(last: now, isOurs: isOurs, announced: values)
            }
            return
        }
        burst.last = now
        burst.isOurs = burst.isOurs && isOurs
        if !burst.isOurs { burst.latest = burst.latest ?? now + Self.patience }
        burst.announced.merge(values) { $1 }
        if burst.announced.count > Self.maximumKeys { burst.announced = [:] }
        bursts[subject] = burst
    }

    /// Whether this is an answer with the announced values.
    mutating func confirms(_ notice: FlareNotice) -> Bool {
        guard !asked.isEmpty, let (subject, values) = Self.content(notice), let announced = asked[subject]
        else {
            return false
        }
        asked[subject] = nil
        return !announced.isEmpty && announced.allSatisfy { values[$0.key] == $0.value }
    }

    /// When the next burst ends.
    var deadline: Int? { bursts.values.map { due($0) }.min() }

    /// Removes and returns the objects to read now.
    mutating func popDue(now: Int) -> [Subject] {
        var subjects: [Subject] = []
        for (subject, burst) in bursts where now >= due(burst) {
            bursts[subject] = nil
            guard burst.latest != nil else { continue }
            asked[subject] = burst.announced
            subjects.append(subject)
        }
        // Some answers never arrive.
        if asked.count > 2 * Self.maximumObjects { asked.removeAll() }
        return subjects
    }

    mutating func removeAll() {
        bursts.removeAll()
        asked.removeAll()
    }

    private func due(_ burst: Burst) -> Int { min(burst.last + Self.quiet, burst.latest ?? .max) }

    private static func content(_ notice: FlareNotice) -> (Subject, JSONObject)? {
        switch notice {
        case .data(let object, let values, _): (Subject(object: object, aspect: .data), values)
        case .position(let object, let position, _):
            (Subject(object: object, aspect: .position), ["": position.json])
        case .handleAction, .enter, .exit, .near, .far, .thingChanged, .modelChanged: nil
        }
    }
}

extension UnsettledObjects.Subject {
    var getMessage: FlareMessage {
        FlareMessage(aspect == .data ? "getData" : "getPosition", object)
    }
}
