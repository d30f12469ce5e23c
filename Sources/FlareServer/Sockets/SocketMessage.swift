package import Flare
package import JSON
import Text

/// A message of a client over Socket.IO.
/// - Source: contrib/contract/flare-protocol.md, "4.1 From client to server".
package struct SocketMessage: Sendable, Hashable {
    package enum Command: Sendable, Hashable {
        case subscribe(all: Bool)
        case unsubscribe
        case getData(key: String?)
        case setData(key: String, value: JSONValue)
        case getPosition
        case setPosition(Point3D)
        case performAction(String)
        case getActions
    }

    package let command: Command
    package let kind: FlareClass
    /// The object's identifier as the client wrote it, for the answer.
    package let name: JSONValue
    /// `nil` when the identifier is invalid.
    package let object: ObjectReference?
    package let sender: JSONValue?
    /// The length of the encoded message.
    let bytes: Int

    /// The nesting limit of a message.
    private static let maximumDepth = 32

    /// Parses the JSON list of an event; `nil` for messages that the original server ignores or crashes on.
    package init?(json: [UInt8]) {
        guard let list = try? JSONValue(parsing: json, maximumDepth: Self.maximumDepth).array,
            let event = list.first?.string, let message = list.dropFirst().first?.object,
            let named = Self.named(in: message), let command = Command(event, message)
        else { return nil }
        self.command = command
        (kind, name) = named
        object = name.string.flatMap { FlareID(flareText: $0) }.map { ObjectReference(named.kind, $0) }
        sender = message["sender"]
        bytes = json.count
    }

    /// Whether it has a token of a user in what others would get of it.
    var hasToken: Bool {
        let secrets = SecretMask.tokens
        return switch command {
        case .setData(let key, let value):
            secrets.finds(in: key) || secrets.finds(in: value)
                || sender.map { secrets.finds(in: $0) } ?? false
        case .performAction(let name):
            secrets.finds(in: name) || sender.map { secrets.finds(in: $0) } ?? false
        case .setPosition: sender.map { secrets.finds(in: $0) } ?? false
        case .subscribe, .unsubscribe, .getData, .getPosition, .getActions: false
        }
    }

    /// The first of several objects, in the order of the classes.
    private static func named(in message: JSONObject) -> (kind: FlareClass, name: JSONValue)? {
        for kind in FlareClass.allCases {
            if let name = message[kind.rawValue], !name.isNull { return (kind, name) }
        }
        return nil
    }
}

extension SocketMessage.Command {
    fileprivate init?(_ event: String, _ message: JSONObject) {
        switch event {
        case "subscribe":
            self = .subscribe(all: message["all"]?.isTruthy ?? false)
        case "unsubscribe":
            self = .unsubscribe
        case "getData":
            self = .getData(key: message["key"]?.keyText)
        case "setData":
            guard let key = message["key"]?.keyText, let value = message["value"], !value.isNull else {
                return nil
            }
            self = .setData(key: key, value: value)
        case "getPosition":
            self = .getPosition
        case "setPosition":
            guard let position = message["position"], let x = position["x"]?.coordinate,
                let y = position["y"]?.coordinate
            else { return nil }
            self = .setPosition(Point3D(x: x, y: y, z: position["z"]?.coordinate ?? 0))
        case "performAction":
            guard let action = message["action"]?.string else { return nil }
            self = .performAction(action)
        case "getActions":
            self = .getActions
        default:
            return nil
        }
    }
}

extension JSONValue {
    /// Whether the value is true in JavaScript.
    fileprivate var isTruthy: Bool {
        switch self {
        case .null: false
        case .bool(let flag): flag
        case .number(let number): number != 0 && !number.isNaN
        case .numeral(let digits): Double(digits) != 0
        case .string(let text): !text.isEmpty
        case .array, .object: true
        }
    }

    /// A key: a text, or a number converted to text.
    fileprivate var keyText: String? {
        switch self {
        case .string(let text): text
        case .number, .numeral: text
        case .null, .bool, .array, .object: nil
        }
    }

    /// A coordinate: a number or a numeric text.
    fileprivate var coordinate: Double? {
        switch self {
        case .number(let number): number.isFinite ? number : nil
        case .numeral(let digits), .string(let digits): Double(javaScriptNumber: digits)
        case .null, .bool, .array, .object: nil
        }
    }
}
