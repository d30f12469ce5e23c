import Flare
import FlareClient
import JSON

/// Scripts of a fake server that behaves correctly.
extension FakeServer {
    static let hello = #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#

    /// The object of liveness requests, and the answer.
    static let noObject = "000000000000000000000000"
    static let nothing = FlareMessage.event("data", ["data": .null, "environment": .string(noObject)])
    /// A polling payload of revision 4 that accepts the session and answers the liveness request.
    static let welcome4 = #"40{"sid":"x"}"# + "\u{1E}" + nothing

    /// A server of revision 3 that accepts sessions and answers from its store.
    /// - Parameter data: The answer to getData for a key.
    static func original(
        data: @escaping @Sendable (_ key: String) -> JSONValue? = { _ in nil },
        http: @escaping @Sendable (Request) -> Move = { _ in .json("[]") },
        also: @escaping @Sendable (_ message: FlareMessage, _ socket: Socket) -> Void = { _, _ in }
    ) -> FakeServer {
        var script = FakeServer()
        script.http = http
        script.socket = { text, socket in
            if text.isEmpty {
                socket.send(hello)
                socket.send("40")
            }
            guard text.hasPrefix("42"), let message = FlareMessage(json: Array(text.utf8.dropFirst(2)))
            else {
                return
            }
            // Liveness requests refer to an object that does not exist.
            if message == LivenessCheck.request { return socket.send(nothing) }
            also(message, socket)
            guard message.name == "getData", let object = message.object else { return }
            let key = message.argument["key"]?.string ?? ""
            let values: JSONObject = data(key).map { [key: $0] } ?? [:]
            socket.send(FlareMessage.data(values, of: object))
        }
        return script
    }
}

extension FlareMessage {
    /// An encoded `data` message.
    static func data(_ values: JSONObject, of object: ObjectReference) -> String {
        event("data", ["data": .object(values), object.kind.rawValue: .string(object.id.description)])
    }

    static func event(_ name: String, _ argument: JSONValue) -> String {
        "42" + JSONValue.array([.string(name), argument]).text
    }
}
