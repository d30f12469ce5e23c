import Bindings
import Controller
package import JSON

extension RuleAction {
    package var json: JSONObject {
        var json: JSONObject
        switch work {
        case .drive(let drive, let target):
            json = drive.json
            json["target"] = .string(target.text)
        case .notify(let notification): json = notification.json
        case .ceiling(let level): json = ["ceiling": level.map { .string($0.hmiLevel) } ?? .null]
        case .publish(let value): json = ["publish": value]
        }
        if timing != .start { json["at"] = .string(timing.rawValue) }
        return json
    }
}

extension RuleAction.Drive {
    fileprivate var json: JSONObject {
        switch self {
        case .set(let values): ["set": .object(values)]
        case .action(let name): ["action": .string(name)]
        case .command(let command): ["command": .object(command.json)]
        }
    }
}

extension RuleCommand {
    /// The command as requests have it.
    /// - Source: contrib/contract/bindings.md, "Commands".
    package var json: JSONObject {
        var json: JSONObject = ["actions": .array(request.actions.map(\.json))]
        json["issuer"] = issuer.map { .string($0) }
        if !request.schema.isEmpty { json["schema"] = .string(request.schema) }
        if request.schemaVersion != 0 { json["schemaVersion"] = JSONValue(request.schemaVersion) }
        json["title"] = request.title.map { .string($0) }
        json["description"] = request.description.map { .string($0) }
        json["metadata"] = request.metadata.map { .object($0) }
        return json
    }
}

extension RuleNotification {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["notify": .array(recipients.map(\.json))]
        if !channels.isEmpty { json["channels"] = .array(channels.map { .string($0.rawValue) }) }
        json["subject"] = subject.map { .string($0.text) }
        json["text"] = text.map { .string($0.text) }
        return json
    }
}

extension NotificationRecipient {
    /// `"user:alice"`, or an address in an object.
    package var json: JSONValue {
        switch self {
        case .email(let address): ["email": .string(address)]
        case .sms(let number): ["sms": .string(number)]
        case .user, .contact, .installation, .display, .allDisplays: .string(text)
        }
    }

    /// `user:alice`, or an address.
    package var text: String {
        switch self {
        case .user(let name): "user:\(name)"
        case .contact(let id): "contact:\(id)"
        case .installation(let id): "installation:\(id)"
        case .display(let id): "display:\(id)"
        case .allDisplays: "display:all"
        case .email(let address): address
        case .sms(let number): number
        }
    }

    /// What results call it, which more people read than know the address.
    package var label: String {
        switch self {
        case .email: "an e-mail address"
        case .sms: "a telephone number"
        case .user, .contact, .installation, .display, .allDisplays: text
        }
    }
}
