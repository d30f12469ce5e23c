import Controller
import Flare
import JSON
import Messages
import People

/// What the reader of a list or a stream may see.
extension ControllerState {
    /// `B/state` with the names of what is left out.
    ///
    /// - Parameter reader: Of who sees this state, which is already without what they may not see.
    func feed(for reader: Reader) -> JSONValue {
        let feed = feedJSON()
        guard !reader.seesAll, var members = feed.object else { return feed }
        var hidden: [String] = isDeviceSeen(by: reader) ? [] : ["device", "zone", "nearby"]
        if environmentID == nil { hidden.append("environment") }
        for name in hidden { members[name] = .null }
        // It counts what happens to what is hidden, too.
        members["seq"] = nil
        if !hidden.isEmpty { members["hidden"] = .array(hidden.map { .string($0) }) }
        return .object(members)
    }

    /// Whether a reader may see the daemon's own device; of a state that is without what they may not see.
    ///
    /// Of several devices it may be one that they may see alone.
    func isDeviceSeen(by reader: Reader) -> Bool { reader.seesDevices || device != nil }

    /// Whether a reader may see an object of the model; false for what is not there.
    func isSeen(_ object: ObjectReference, by reader: Reader) -> Bool {
        accessObject(object).map { reader.sees($0) } ?? false
    }
}
