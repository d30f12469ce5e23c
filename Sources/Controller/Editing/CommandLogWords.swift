package import Flare
package import JSON

/// What is done to an object as a whole, in the words of the command log; they are the same for every interface.
package enum ObjectAct: String, Sendable {
    case add, edit
    case remove = "rm"
}

extension FlareClass {
    /// Such as `thing rm`.
    package func logName(_ act: ObjectAct) -> String { "\(rawValue) \(act.rawValue)" }
}

extension JSONObject {
    /// The members of an object for the command log: the names of data are enough, since values may be long, or secret.
    package var logged: JSONObject {
        var members = filter { !$0.key.hasPrefix("_") }
        members["data"] = (self["data"]?.object).map { data in .array(data.keys.map { .string($0) }) }
        return members
    }
}

extension ObjectEdit {
    /// For the command log.
    ///
    /// - Parameter container: The member for the name of what it is in.
    func logged(in container: String, _ name: String?) -> JSONObject {
        var members = self.members(over: [:])
        if !data.isEmpty { members["data"] = .object(data) }
        members = members.logged
        if let name { members[container] = .string(name) }
        return members
    }
}
