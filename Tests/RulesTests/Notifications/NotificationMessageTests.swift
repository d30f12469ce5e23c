import Bindings
import JSON
import People
import Rules
import Testing

/// What programs get that deliver notifications.
struct NotificationMessageTests {
    private static let message = NotificationMessage(
        subject: "Too warm",
        text: "radiator is at 31",
        rule: "too-warm",
        epoch: "e",
        firing: 7,
        at: 1_900_000_000_000
    )
    private static let common: JSONObject = [
        "id": "m-1", "text": "radiator is at 31", "kind": "rule", "rule": "too-warm", "epoch": "e",
        "seq": 7, "ts": "2030-03-17T17:46:40.000Z",
    ]

    private static func body(_ own: JSONObject) -> JSONObject { common.merging(own) { $1 } }

    @Test func `each channel has the members of the contract`() {
        let message = Self.message
        let mail: JSONObject = ["to": "a@example.org", "subject": "Too warm"]
        #expect(message.email(to: "a@example.org", id: "m-1") == Self.body(mail))
        #expect(message.sms(to: "+49 30 1234", id: "m-1") == Self.body(["to": "+49 30 1234"]))
        let request = Installation.Request(token: "secret", device: .ios, isDevelopment: true)
        let installation = Installation("i-1", request, owner: AccountID(high: 1, low: 1))
        let push: JSONObject = [
            "to": "secret", "installation": "i-1", "deviceType": "IOS", "title": "Too warm",
        ]
        #expect(message.push(to: installation, id: "m-1") == Self.body(push))
    }
}
