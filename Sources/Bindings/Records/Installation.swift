package import JSON
package import People
import Text
package import Things

/// An application on a device that can be reached by a push token.
///
/// - Source: contrib/contract/bindings.md, "Installations".
package struct Installation: Sendable, Hashable {
    package enum DeviceType: String, Sendable, Hashable, CaseIterable {
        case ios = "IOS"
        case android = "ANDROID"
        case jpush = "JPUSH"
        case mqtt = "MQTT"
    }

    /// A request to register one, whose form is checked.
    package struct Request: Sendable, Hashable {
        package let token: String
        package let device: DeviceType
        package let isDevelopment: Bool

        package init(token: String, device: DeviceType, isDevelopment: Bool) {
            (self.token, self.device, self.isDevelopment) = (token, device, isDevelopment)
        }
    }

    package let id: String
    package var request: Request
    package var owner: AccountID

    /// Bytes of a push token.
    package static let longestToken = 4096

    package init(_ id: String, _ request: Request, owner: AccountID) {
        (self.id, self.request, self.owner) = (id, request, owner)
    }

    /// The installation after a request: the known one of the same token, moved to the caller, or else a new one.
    ///
    /// - Parameter known: The installation with the same token and the same `development`; others are not looked at.
    package static func registered(
        _ request: Request,
        known: Installation?,
        newID: String,
        owner: AccountID
    ) -> Installation {
        let new = Installation(newID, request, owner: owner)
        guard let known, known.isSame(as: new) else { return new }
        return Installation(known.id, request, owner: owner)
    }

    /// Whether two installations may not be there at once.
    package func isSame(as other: Installation) -> Bool {
        request.token.hasBytes(of: other.request.token)
            && request.isDevelopment == other.request.isDevelopment
    }
}

extension Installation.Request {
    /// Reads the body of a request.
    package init(_ json: JSONValue) throws(Refusal) {
        let token = "installationRegistrationID"
        let body = try ReceivedObject(json, at: "", known: [token, "deviceType", "development"])
        let legal = "a text of 1 to \(Installation.longestToken) bytes without control characters"
        let text = try body.required(token, legal)
        // A push token is a secret, and in no refusal.
        guard let text = text.string else { throw body.refusal(.wrongType, of: token, "must be \(legal)") }
        guard 1...Installation.longestToken ~= text.utf8.count,
            !text.unicodeScalars.contains(where: HarmfulCharacters.contain)
        else { throw body.refusal(.invalidValue, of: token, "must be \(legal)") }
        self.init(
            token: text,
            device: try body.word("deviceType", as: Installation.DeviceType.self),
            isDevelopment: try body.optionalFlag("development") ?? false
        )
    }
}

extension Installation {
    /// The answer to a request.
    package var json: JSONObject {
        ["installationID": .string(id), "installationRegistrationID": .string(request.token)]
    }

    /// The answer to its owner who asks for it.
    package var details: JSONObject {
        var details = json
        details["deviceType"] = .string(request.device.rawValue)
        details["development"] = .bool(request.isDevelopment)
        return details
    }

    /// What is sent to it when a command of its owner has ended.
    ///
    /// - Parameter id: That of the message.
    package func notice(_ id: String, of command: ThingCommand) -> JSONObject {
        [
            "id": .string(id), "to": .string(request.token), "installation": .string(self.id),
            "deviceType": .string(request.device.rawValue), "kind": "command",
            "commandID": .string(command.id),
            "thingID": .string("\(command.thing)"), "state": .string(command.state.rawValue),
        ]
    }
}
