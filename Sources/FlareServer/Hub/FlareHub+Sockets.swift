import Flare
import Logging

/// What comes from the clients of sockets, in order.
package enum SocketInput: Sendable {
    case joined(FlareClientID)
    case left(FlareClientID)
    case said(SocketMessage, by: FlareClientID)

    var client: FlareClientID {
        switch self {
        case .joined(let client), .left(let client), .said(_, let client): client
        }
    }

    /// How much of a client's share it takes while it waits.
    var weight: Int {
        switch self {
        case .joined, .left: 1
        case .said(let message, _): 1 + message.bytes / 4096
        }
    }
}

extension FlareHub {
    /// Carries out what clients said, with one commit for all of it.
    ///
    /// What cannot be stored is logged, tells nobody and changes nothing, and does not keep the rest from being
    /// done: when all of it together fails, each is tried by itself.
    package func carryOut(_ inputs: ArraySlice<SocketInput>) {
        guard inputs.count > 1 else {
            for input in inputs { carryOut(input) }
            return
        }
        let isStored = together { hub in
            for input in inputs { hub.carryOut(input) }
        }
        if !isStored { for input in inputs { carryOut(input) } }
    }

    private func carryOut(_ input: SocketInput) {
        switch input {
        case .joined(let client): enter(client)
        case .left(let client): leave(client)
        case .said(let message, let client):
            do {
                try carryOut(message, from: client)
            } catch FlareHubError.notAllowed(let reason) {
                logger.info("socket message refused", metadata: ["reason": "\(reason)"])
                if let correction = correction(of: message) {
                    say(client.outlet) { $0.answer(correction, to: client) }
                }
            } catch {
                logger.info("socket message refused", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func carryOut(_ message: SocketMessage, from client: FlareClientID) throws {
        if let answer = answer(to: message) {
            say(client.outlet) { $0.answer(answer, to: client) }
            return
        }
        guard let object = message.object else { return }
        switch message.wish {
        case .subscribe(let all): subscribe(client, to: object, all: all)
        case .unsubscribe: unsubscribe(client, from: object)
        case .setData(let key, let value):
            try setData(object, [key: value], sender: message.sender, from: client)
        case .setPosition(let point): try setPosition(object, point, sender: message.sender, from: client)
        case .performAction(let action):
            try performAction(object, action, sender: message.sender, from: client)
        case .getData, .getPosition, .getActions: break
        }
    }

    /// What a client hears whose change is refused: the value as it still is, so that it does not show another one.
    private func correction(of message: SocketMessage) -> SocketEvent? {
        guard let record = message.object.flatMap({ record($0) }) else { return nil }
        switch message.wish {
        case .setData(let key, _):
            // A key with dots reaches into a value: the whole of it is sent.
            let name = String(key.prefix { $0 != "." })
            let value: JSONValue = record.data?[name] ?? .null
            return SocketEvent("data", ["data": [name: value], message.kind.rawValue: message.name])
        case .setPosition:
            guard let position = record.members["position"] else { return nil }
            return SocketEvent("position", ["position": position, message.kind.rawValue: message.name])
        case .performAction, .subscribe, .unsubscribe, .getData, .getPosition, .getActions: return nil
        }
    }

    /// The answer to a question; `nil` for what is none.
    /// - Source: flare-protocol 4.6. `getActions` is answered as the documentation means it: the origin dies of it.
    private func answer(to message: SocketMessage) -> SocketEvent? {
        let name: String
        let value: (FlareRecord) -> JSONValue
        switch message.wish {
        case .getData(nil):
            name = "data"
            value = { record in
                let data = record.members["data"] ?? JSONValue.null
                return data.isNull ? [:] : data
            }
        case .getData(let key?):
            name = "data"
            value = { record in
                guard let found = record.data?[key] else { return [:] }
                return [key: found]
            }
        case .getPosition:
            let isPlace = message.kind == .environment || message.kind == .zone
            let absent: JSONValue = isPlace ? ["x": 0, "y": 0] : [:]
            name = "position"
            value = { $0.members["position"] ?? absent }
        case .getActions:
            name = "actions"
            value = { $0.members["actions"] ?? [] }
        case .subscribe, .unsubscribe, .setData, .setPosition, .performAction:
            return nil
        }
        var answer: JSONValue = .null
        if let object = message.object, let record = record(object) { answer = value(record) }
        return SocketEvent(name, [name: answer, message.kind.rawValue: message.name])
    }
}
