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

    /// - Parameter buffer: Is written in.
    func check(
        message values: JSONObject,
        sender: JSONValue?,
        _ buffer: inout JSONBuffer
    ) throws(FlareHubError) {
        for (key, _) in values { try check("a key of data", bytes: key.utf8.count, limit: keyBytes) }
        // Only what may be too large is written to measure it.
        guard values.mostBytes + (sender?.mostBytes ?? 0) > messageBytes else { return }
        buffer.removeAll()
        buffer.write(values)
        if let sender { buffer.write(sender) }
        try check("the message", bytes: buffer.count, limit: messageBytes)
    }

    func check(action: String, sender: JSONValue?) throws(FlareHubError) {
        try check("the name of the action", bytes: action.utf8.count, limit: keyBytes)
        try check(sender: sender)
    }

    func check(sender: JSONValue?) throws(FlareHubError) {
        guard let sender, sender.mostBytes > messageBytes else { return }
        try check("the message", bytes: sender.bytes.count, limit: messageBytes)
    }

    /// The JSON of an object.
    /// - Throws: ``FlareHubError/tooLarge(what:size:limit:)``.
    private func document(of record: FlareRecord, _ buffer: inout JSONBuffer) throws(FlareHubError) -> [UInt8]
    {
        buffer.removeAll()
        buffer.write(record.members)
        try check(
            "the nesting of \(record.kind.rawValue) \(record.id)",
            bytes: min(buffer.nesting, nesting + 1),
            limit: nesting
        )
        try check(
            "the JSON of \(record.kind.rawValue) \(record.id) in bytes",
            bytes: buffer.count,
            limit: objectBytes
        )
        return buffer.bytes
    }

    /// What a change writes to the database.
    /// - Parameter buffer: Is written in.
    func write(
        for change: Transaction.Change,
        _ buffer: inout JSONBuffer
    ) throws(FlareHubError) -> FlareStore.Write {
        switch change {
        case .insert(let record, let sequence):
            .insert(record.reference, sequence: sequence, document: try document(of: record, &buffer))
        case .update(let record, let sequence):
            .update(record.kind, sequence: sequence, document: try document(of: record, &buffer))
        case .remove(let reference, let sequence):
            .delete(reference.kind, sequence: sequence)
        }
    }

    private func check(_ what: @autoclosure () -> String, bytes: Int, limit: Int) throws(FlareHubError) {
        if bytes > limit { throw .tooLarge(what: what(), size: bytes, limit: limit) }
    }
}

extension JSONObject {
    /// No fewer bytes than its JSON has.
    fileprivate var mostBytes: Int { reduce(2) { $0 + 6 * $1.key.utf8.count + 4 + $1.value.mostBytes } }
}

extension JSONValue {
    /// No fewer bytes than its JSON has: a character may become an escape of six.
    fileprivate var mostBytes: Int {
        switch self {
        case .null, .bool: 5
        case .number: 32
        case .numeral(let digits): digits.utf8.count
        case .string(let text): 6 * text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.mostBytes + 1 }
        case .object(let members): members.mostBytes
        }
    }
}
