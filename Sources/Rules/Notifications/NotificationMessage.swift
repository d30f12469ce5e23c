package import Bindings
package import JSON
import Text

/// What a rule tells people, with its texts filled in.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct NotificationMessage: Sendable, Hashable {
    package let subject: String
    package let text: String
    /// The slug of the rule.
    package let rule: String
    /// The daemon's epoch; it keeps the number unique after a damaged database, when numbers start again.
    package let epoch: String
    /// The number of the firing.
    package let firing: Int64
    /// Milliseconds since 1970 UTC.
    package let at: Int64

    package init(subject: String, text: String, rule: String, epoch: String, firing: Int64, at: Int64) {
        (self.subject, self.text, self.rule) = (subject, text, rule)
        (self.epoch, self.firing, self.at) = (epoch, firing, at)
    }

    /// A message for the program that sends e-mail.
    ///
    /// - Parameter id: A name that no other message has.
    package func email(to address: String, id: String) -> JSONObject {
        body(id, to: address, ["subject": .string(subject)])
    }

    /// A message for the program that sends text messages.
    package func sms(to number: String, id: String) -> JSONObject { body(id, to: number, [:]) }

    /// A message for the program that notifies installations.
    package func push(to installation: Installation, id: String) -> JSONObject {
        let own: JSONObject = [
            "installation": .string(installation.id),
            "deviceType": .string(installation.request.device.rawValue), "title": .string(subject),
        ]
        return body(id, to: installation.request.token, own)
    }

    private func body(_ id: String, to recipient: String, _ own: JSONObject) -> JSONObject {
        let body: JSONObject = [
            "id": .string(id), "to": .string(recipient), "text": .string(text), "kind": "rule",
            "rule": .string(rule), "epoch": .string(epoch), "seq": JSONValue(Int(clamping: firing)),
            "ts": .string(CivilTime(milliseconds: at).description),
        ]
        return body.merging(own) { _, own in own }
    }
}
