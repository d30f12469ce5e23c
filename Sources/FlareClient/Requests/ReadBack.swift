import Flare

/// Something said over Socket.IO, and a question behind it whose answer shows that it was handled.
///
/// Nothing is acknowledged by a Flare server, and the sender hears no echo; but getData and getPosition are
/// answered, to the asker alone. The answers have the form of what others' changes are told with, so that some
/// of those may be taken for one: what they say is as true, and a value that is not ours is asked for again.
/// - Source: flare-protocol 3.2, 4.3 and 4.6.
struct ReadBack: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        /// Only whether there is such an object: asked by a key that no object has, so that no announcement
        /// looks like the answer.
        case existence
        case value(key: String, expected: JSONValue)
        case position(expected: Point3D)
    }

    /// What is answered.
    enum Answer: Sendable, Hashable {
        case unknownObject
        /// The value as it is stored, `nil` for none.
        case value(JSONValue?)
        case position(Point3D?)
        case exists
    }

    /// A key that no data has.
    private static let noKey = "?"

    let object: ObjectReference
    let subject: Subject
    /// What is said before the question.
    var saying: FlareMessage?

    /// All that is to be sent, in order.
    var messages: [FlareMessage] {
        let question =
            switch subject {
            case .existence: FlareMessage("getData", object, ["key": .string(Self.noKey)])
            // Of a path the origin knows only the first part as a key, so all is asked for.
            case .value(let key, _) where key.contains("."): FlareMessage("getData", object)
            case .value(let key, _): FlareMessage("getData", object, ["key": .string(key)])
            case .position: FlareMessage("getPosition", object)
            }
        return (saying.map { [$0] } ?? []) + [question]
    }

    /// What a message answers, if it is the answer.
    func answer(in message: FlareMessage) -> Answer? {
        guard message.object == object, message.sender == nil else { return nil }
        switch subject {
        case .existence:
            guard message.name == "data", let data = message.argument["data"] else { return nil }
            if data.isNull { return .unknownObject }
            return data.object?.isEmpty == true ? .exists : nil
        case .value(let key, _):
            guard message.name == "data", let data = message.argument["data"] else { return nil }
            if data.isNull { return .unknownObject }
            guard let members = data.object else { return nil }
            let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let isWhole = path.count > 1 && members.count > 1
            guard members.isEmpty || isWhole || path.first.map({ members[$0] != nil }) == true else {
                return nil
            }
            return .value(data.value(at: path))
        case .position:
            guard message.name == "position", let position = message.argument["position"] else { return nil }
            return position.isNull ? .unknownObject : .position(Point3D(json: position))
        }
    }

    /// Whether the answer says what we expect.
    func isConfirmed(by answer: Answer) -> Bool {
        switch (subject, answer) {
        case (.existence, .exists): true
        case (.value(_, let expected), .value(let stored?)): stored.isLikeInJavaScript(expected)
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

    /// Equality as far as the origin stores by it: 1, true and "1" replace each other only in the announcement.
    /// - Source: flare-protocol 4.5.
    fileprivate func isLikeInJavaScript(_ other: JSONValue) -> Bool {
        if self == other { return true }
        guard let mine = plainNumber, let theirs = other.plainNumber else { return false }
        return mine == theirs
    }

    private var plainNumber: Double? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .string(""): 0
        case .string(let text): Double(text)
        case .number, .numeral: number
        case .null, .array, .object: nil
        }
    }
}
