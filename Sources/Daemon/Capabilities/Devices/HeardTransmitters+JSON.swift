import Controller
import JSON
import Messages
import Receivers
import Text

extension HeardTransmitters.Entry {
    /// What is heard, as answers have it.
    ///
    /// - Parameters:
    ///   - isOwn: Whether it is the daemon's own device, which has a node already.
    ///   - now: The time that those of the entry are compared with.
    func json(isOwn: Bool, at now: Instant) -> JSONValue {
        func time(_ seconds: Double) -> JSONValue {
            let age = Int64((Double(now.steadyMilliseconds) - seconds * 1000).rounded())
            return .string(CivilTime(milliseconds: now.wallMilliseconds &- age).description)
        }
        var row: JSONObject = [
            "id": .string("\(id)"), "kind": .string(kind.rawValue),
            "since": time(since), "last": time(heardAt),
            "can_be_added": .bool(canBeAdded && !isOwn),
            "levels": .array(levels.map(\.json)),
        ]
        row["name"] = name.map { .string($0) }
        if mayChange { row["may_change"] = true }
        if isOwn { row["own"] = true }
        return .object(row)
    }
}

extension HeardTransmitters.Level {
    fileprivate var json: JSONValue {
        var level: JSONObject = ["receiver": .string(receiver), "rssi": .number(rssi)]
        level["change"] = change.map { .number($0) }
        return .object(level)
    }
}
