import Flare
import JSON
import Logging

/// The events of socket clients, in order.
package enum SocketInput: Sendable {
    case connected(FlareClientID, by: FlareVisitor? = nil)
    case disconnected(FlareClientID)
    case message(SocketMessage, from: FlareClientID)

    var client: FlareClientID {
        switch self {
        case .connected(let client, _), .disconnected(let client), .message(_, let client): client
        }
    }

    /// The share of a client's quota that it uses while it is pending.
    var weight: Int {
        switch self {
        case .connected, .disconnected: 1
        case .message(let message, _): 1 + message.bytes / 4096
        }
    }
}

extension FlareHub {
    /// Handles messages of clients with a single commit.
    ///
    /// A message that cannot be stored is logged and has no effect, also not on the others: if the commit fails,
    /// each message is handled by itself.
    package func handle(_ inputs: ArraySlice<SocketInput>) {
        guard inputs.count > 1 else {
            for input in inputs { handle(input) }
            return
        }
        let isStored = inOneCommit { hub in
            for input in inputs { hub.handle(input) }
        }
        if !isStored { for input in inputs { handle(input) } }
    }

    private func handle(_ input: SocketInput) {
        switch input {
        case .connected(let client, let visitor): enter(client, visitor)
        case .disconnected(let client): leave(client)
        case .message(let message, let client):
            do {
                try handle(message, from: client)
            } catch FlareHubError.notAllowed(let reason) {
                logger.info("socket message refused", metadata: ["reason": "\(reason)"])
                guard mayRead(client, message.kind) else { return }
                for event in [correction(of: message), Self.notice(of: reason, to: message)].compactMap(
                    \.self
                ) {
                    send(client.sink) { $0.send(event, to: client) }
                }
            } catch {
                logger.info("socket message refused", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Why a change that has a token in it is refused: all who read here would read it.
    static let misplacedToken =
        "there is a token where none belongs, so nothing was changed; replace this token: others may have read it"

    private func handle(_ message: SocketMessage, from client: FlareClientID) throws {
        guard !message.hasToken else { throw FlareHubError.notAllowed(Self.misplacedToken) }
        if let answer = answer(to: message, from: client) {
            send(client.sink) { $0.send(answer, to: client) }
            return
        }
        guard let object = message.object else { return }
        switch message.command {
        case .subscribe(let all): if mayRead(client, object.kind) { subscribe(client, to: object, all: all) }
        case .unsubscribe: unsubscribe(client, from: object)
        case .setData(let key, let value):
            try setData(object, [key: value], sender: message.sender, from: client)
        case .setPosition(let point): try setPosition(object, point, sender: message.sender, from: client)
        case .performAction(let action):
            try performAction(object, action, sender: message.sender, from: client)
        case .getData, .getPosition, .getActions: break
        }
    }

    /// Tells why a change was refused; the original server has no such event, and its clients ignore it.
    private static func notice(of reason: String, to message: SocketMessage) -> SocketEvent {
        SocketEvent("refused", ["message": .string(reason), message.kind.rawValue: message.name])
    }

    /// The reply to a refused change: the stored value, so that the client does not display another one.
    private func correction(of message: SocketMessage) -> SocketEvent? {
        guard let record = message.object.flatMap({ record($0) }) else { return nil }
        switch message.command {
        case .setData(let key, _):
            // A dotted key addresses a part of a value: the whole value is sent.
            let name = String(key.prefix { $0 != "." })
            let value: JSONValue = record.data?[name] ?? .null
            return SocketEvent("data", ["data": [name: value], message.kind.rawValue: message.name])
        case .setPosition:
            guard let position = record.members["position"] else { return nil }
            return SocketEvent("position", ["position": position, message.kind.rawValue: message.name])
        case .performAction, .subscribe, .unsubscribe, .getData, .getPosition, .getActions: return nil
        }
    }

    /// The answer to a get message; `nil` for other messages.
    /// - Source: contrib/contract/flare-protocol.md, "4.6 getData, getPosition and getActions"; `getActions`,
    ///   which crashes the original server, is answered as documented.
    private func answer(to message: SocketMessage, from client: FlareClientID) -> SocketEvent? {
        let (name, absent): (String, JSONValue)
        switch message.command {
        case .getData: (name, absent) = ("data", [:])
        case .getPosition:
            let isPlace = message.kind == .environment || message.kind == .zone
            (name, absent) = ("position", isPlace ? ["x": 0, "y": 0] : [:])
        case .getActions: (name, absent) = ("actions", [])
        case .subscribe, .unsubscribe, .setData, .setPosition, .performAction: return nil
        }
        var answer = JSONValue.null
        // What may not be read is not there.
        if let object = message.object, mayRead(client, object.kind), let record = record(object) {
            if case .getData(let key?) = message.command {
                answer = record.data?[key].map { [key: $0] } ?? absent
            } else {
                answer = record.members[name] ?? absent
                if name == "data", answer.isNull { answer = absent }
            }
        }
        return SocketEvent(name, [name: answer, message.kind.rawValue: message.name])
    }
}
