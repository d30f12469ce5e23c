import Flare
import JSON

/// A message over Socket.IO, followed by a get message whose answer confirms it.
///
/// A Flare server acknowledges nothing and does not echo changes to their sender, but it answers getData and
/// getPosition. A notice of another client's change may look like that answer; it is just as valid, and an unexpected
/// value is read again.
/// - Source: contrib/contract/flare-protocol.md, "3.2 Packets"; "4.3 Who receives a message";
///   "4.6 getData, getPosition and getActions".
struct ReadBack: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        /// Whether the object exists; uses a key that no object has, so that no notice looks like the answer.
        case existence
        case value(key: String, expected: JSONValue)
        case position(expected: Point3D)
    }

    /// An answer.
    enum Answer: Sendable, Hashable {
        case unknownObject
        /// The stored value, or `nil`.
        case value(JSONValue?)
        case position(Point3D?)
        case exists
    }

    /// A key that no data has.
    private static let unusedKey = "?"

    let object: ObjectReference
    let subject: Subject
    /// The message to confirm.
    var message: FlareMessage?

    /// The messages to send, in order.
    var messages: [FlareMessage] {
        let getMessage =
            switch subject {
            case .existence: FlareMessage("getData", object, ["key": .string(Self.unusedKey)])
            // The original server does not support dotted keys in getData, so get all data.
            case .value(let key, _) where key.contains("."): FlareMessage("getData", object)
            case .value(let key, _): FlareMessage("getData", object, ["key": .string(key)])
            case .position: FlareMessage("getPosition", object)
            }
        return (message.map { [$0] } ?? []) + [getMessage]
    }

    /// The answer in a message; `nil` for other messages.
    func answer(in message: FlareMessage) -> Answer? {
        guard message.object == object, message.sender == nil else { return nil }
        let name = if case .position = subject { "position" } else { "data" }
        guard message.name == name, let content = message.argument[name] else { return nil }
        if content.isNull { return .unknownObject }
        switch subject {
        case .existence: return content.object?.isEmpty == true ? .exists : nil
        case .value(let key, _):
            guard let members = content.object else { return nil }
            let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let isWhole = path.count > 1 && members.count > 1
            guard members.isEmpty || isWhole || path.first.map({ members[$0] != nil }) == true else {
                return nil
            }
            return .value(content.value(at: path))
        case .position: return .position(Point3D(json: content))
        }
    }

    /// Whether the answer is the expected value.
    func isConfirmed(by answer: Answer) -> Bool {
        switch (subject, answer) {
        case (.existence, .exists): true
        case (.value(_, let expected), .value(let stored?)): stored.isLooselyEqual(expected)
        case (.position(let expected), .position(let stored)): stored == expected
        default: false
        }
    }
}

extension JSONValue {
    fileprivate func value(at path: [String]) -> JSONValue? {
        path.reduce(self as JSONValue?) { value, name in
            switch value {
            case .object(let members)?: members[name]
            case .array(let elements)?:
                Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        }
    }

    /// Equality as in the original server, which does not replace a stored 1 by true or "1".
    /// - Source: contrib/contract/flare-protocol.md, "4.5 setData".
    fileprivate func isLooselyEqual(_ other: JSONValue) -> Bool {
        if self == other { return true }
        guard let mine = looseNumber, let theirs = other.looseNumber else { return false }
        return mine == theirs
    }

    private var looseNumber: Double? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .string(""): 0
        case .string(let text): Double(text)
        case .number, .numeral: number
        case .null, .array, .object: nil
        }
    }
}

extension FlareRequest {
    /// What to ask once the server has refused it, so that no earlier answer is taken for one to the next request: another
    /// question than those that are still being answered.
    var afterRefusal: ReadBack? {
        switch self {
        case .setData(let object, _, _, _): ReadBack(object: object, subject: .position(expected: .zero))
        case .setPosition(let object, _, _): ReadBack(object: object, subject: .existence)
        default: nil
        }
    }
}
