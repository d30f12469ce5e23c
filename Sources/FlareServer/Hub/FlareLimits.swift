import Flare
import JSON

/// The size limits of the server.
package struct FlareLimits: Sendable, Hashable {
    /// Objects of all classes.
    package var objects = 1_000_000
    /// Objects that one REST request may create.
    package var objectsOfRequest = 1000
    /// Bytes of one object's JSON.
    package var objectBytes = 1_000_000
    /// Levels of nesting in one object's JSON.
    package var nesting = 100
    /// Bytes of the values of one message.
    package var messageBytes = 100_000
    /// Bytes of a key or an action name.
    package var keyBytes = 256

    package init() {}

    func check(message values: JSONObject, sender: JSONValue?) throws(FlareHubError) {
        for key in values.keys { try check("a key of data", bytes: key.utf8.count, limit: keyBytes) }
        let bytes = JSONValue.object(values).bytes.count + (sender?.bytes.count ?? 0)
        try check("the message", bytes: bytes, limit: messageBytes)
    }

    func check(action: String, sender: JSONValue?) throws(FlareHubError) {
        try check("the name of the action", bytes: action.utf8.count, limit: keyBytes)
        try check("the message", bytes: sender?.bytes.count ?? 0, limit: messageBytes)
    }

    func check(sender: JSONValue?) throws(FlareHubError) {
        try check("the message", bytes: sender?.bytes.count ?? 0, limit: messageBytes)
    }

    /// The JSON of an object.
    /// - Throws: ``FlareHubError/tooLarge(what:size:limit:)``.
    func document(of record: FlareRecord) throws(FlareHubError) -> [UInt8] {
        let name = "\(record.kind.rawValue) \(record.id)"
        let depth = record.json.depth(atMost: nesting + 1)
        if depth > nesting { throw .tooLarge(what: "the nesting of \(name)", size: depth, limit: nesting) }
        let bytes = record.json.bytes
        try check("the JSON of \(name) in bytes", bytes: bytes.count, limit: objectBytes)
        return bytes
    }

    /// What a change writes to the database.
    func write(for change: Transaction.Change) throws(FlareHubError) -> FlareStore.Write {
        switch change {
        case .insert(let record, let sequence):
            .insert(record.reference, sequence: sequence, document: try document(of: record))
        case .update(let record, let sequence):
            .update(record.kind, sequence: sequence, document: try document(of: record))
        case .remove(let reference, let sequence):
            .delete(reference.kind, sequence: sequence)
        }
    }

    private func check(_ what: String, bytes: Int, limit: Int) throws(FlareHubError) {
        if bytes > limit { throw .tooLarge(what: what, size: bytes, limit: limit) }
    }
}

extension JSONValue {
    /// Levels of nested objects and lists, counted up to a limit.
    fileprivate func depth(atMost limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        switch self {
        case .array(let elements):
            return 1 + elements.reduce(0) { max($0, $1.depth(atMost: limit - 1)) }
        case .object(let members):
            return 1 + members.values.reduce(0) { max($0, $1.depth(atMost: limit - 1)) }
        default:
            return 0
        }
    }
}
