import Bindings
import People
import Rules
import Testing

/// By which ways somebody is notified.
struct NotificationReachTests {
    private static let phone = Installation(
        "i-1",
        .init(token: "token", device: .android, isDevelopment: false),
        owner: AccountID(high: 1, low: 1)
    )
    private static let mail = NotificationRoute.email("a@example.org")
    private static let sms = NotificationRoute.sms("+49 30 1234")
    private static let push = NotificationRoute.push(phone)

    private static func reach(_ channels: Set<RuleNotification.Channel>) -> NotificationReach {
        NotificationReach(
            "contact:1",
            channels: channels,
            email: "a@example.org",
            phone: "+49 30 1234",
            installations: [phone]
        )
    }

    private static let choices:
        [(on: Set<RuleNotification.Channel>, asked: [RuleNotification.Channel], routes: [NotificationRoute])] =
            [
                ([.email, .sms, .push], [], [mail, sms, push]), ([.email], [], [mail]), ([], [], []),
                ([.email, .sms], [.sms], [sms]), ([.email, .sms, .push], [.push, .email], [mail, push]),
                ([.email], [.sms, .push], []), ([], [.email], []),
            ]

    @Test(arguments: choices.indices)
    func `of the channels asked for those count that are on`(index: Int) {
        let (on, asked, routes) = Self.choices[index]
        #expect(Self.reach(on).routes(by: asked) == routes)
    }

    @Test func `a channel without an address reaches nobody`() {
        #expect(NotificationReach("user:alice").routes(by: []).isEmpty)
        #expect(NotificationReach("user:alice", email: "a@example.org").routes(by: [.sms, .push]).isEmpty)
        let strange = [
            "-oQ/tmp@example.org", "a@example.org, b@example.org", "a@example.org\r\nBcc: b@x.org",
        ]
        for address in strange {
            #expect(NotificationReach("user:alice", email: address).routes(by: []).isEmpty, "\(address)")
        }
        #expect(NotificationReach("contact:1", phone: "no number").routes(by: []).isEmpty)
    }

    @Test func `the same address is the same route however it is written`() {
        #expect(Self.mail.key == NotificationRoute.email("A@Example.org").key)
        #expect(Self.sms.key == NotificationRoute.sms("+49 (30) 12-34").key)
        #expect(Self.sms.key != NotificationRoute.sms("49301234").key)
        #expect(NotificationRoute.display(nil).key == "display:all")
        let keys = [Self.mail, Self.sms, Self.push, .display("hall"), .display(nil)].map(\.key)
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: [
        ("+49 (30) 12-34", "+49301234"), ("030/1234", "0301234"), ("-1234", "1234"), ("(+49) 30", "+4930"),
        ("12+3", "123"),
    ])
    func `a number is dialled without what divides it`(number: String, dialled: String) {
        #expect(NotificationAddress.dialled(number) == dialled)
    }
}
