import Accounts
import Controller
import Daemon
import JSON
import People
import Rules
import Testing
import Things
import Threading

/// Who gets what rules tell, and what becomes of it.
@Suite(.timeLimit(.minutes(2)))
struct RuleNotifierTests {
    @Test func `a user is reached by e-mail and on own installations`() async throws {
        try await withNotifier { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            let refusal = await bench.send([.user("bob")], of: bob)
            #expect(refusal?.code == .notNotifiable && refusal?.message.contains("/me") == true)
            try bench.setEmail("bob@example.org", of: "bob")
            #expect(await bench.send([.user("bob")], of: bob) == nil)
            #expect(delivery.take() == ["outbox/email bob@example.org"])
            try bench.install("phone", of: bob)
            try bench.install("watch", of: bob, isDevelopment: true)
            try bench.install("other", of: bench.home.carol)
            #expect(await bench.send([.user("\(bob)")], of: bob) == nil)
            #expect(
                delivery.take() == [
                    "outbox/email bob@example.org", "outbox/push phone", "outbox-dev/push watch",
                ]
            )
            #expect(await bench.send([.user("bob")], of: bob, by: [.push, .sms]) == nil)
            #expect(delivery.take() == ["outbox/push phone", "outbox-dev/push watch"])
            #expect(await bench.send([.user("bob")], of: bob, by: [.sms])?.code == .notNotifiable)
            #expect(delivery.take() == [])
        }
    }

    @Test func `a contact is reached by those of its channels that are on`() async throws {
        try await withNotifier { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            let eve = try bench.addContact("eve", "eve@example.org", "+49 30 1", on: [.sms])
            #expect(await bench.send([.contact("eve")], of: bob) == nil)
            #expect(delivery.take() == ["outbox/sms +49 30 1"])
            #expect(await bench.send([.contact(eve)], of: bob, by: [.email])?.code == .notNotifiable)
            try bench.addContact("eve", "two@example.org", on: [.email])
            #expect(await bench.send([.contact("eve")], of: bob)?.code == .staleTarget, "two are called so")
            #expect(await bench.send([.contact(eve)], of: bob) == nil)
        }
    }

    @Test func `a push to a contact goes to its owner, and to others only if the maker may notify them`()
        async throws
    {
        try await withNotifier { (bench) async throws in
            let (home, delivery) = (bench.home, bench.delivery)
            for user in ["owner", "bob"] {
                try bench.addContact("carol", "carol@example.org", of: user, on: [.push])
            }
            let ofBob = try bench.addContact("him", "carol@example.org", on: [.push])
            try bench.addContact("me", "bob@example.org", on: [.push])
            try bench.install("phone", of: home.carol)
            try bench.install("watch", of: home.bob)
            #expect(await bench.send([.contact("carol")], of: home.owner)?.code == .notNotifiable)
            try bench.setEmail("Carol@Example.org", of: "carol")
            try bench.setEmail("bob@example.org", of: "bob")
            // Nobody has confirmed what bob has written.
            #expect(await bench.send([.contact("carol")], of: home.bob)?.code == .notNotifiable)
            #expect(await bench.send([.contact(ofBob)], of: home.owner)?.code == .notNotifiable)
            #expect(delivery.take() == [])
            #expect(await bench.send([.contact("me")], of: home.bob) == nil)
            #expect(delivery.take() == ["outbox/push watch"])
            #expect(await bench.send([.contact("carol")], of: home.owner) == nil)
            #expect(delivery.take() == ["outbox/push phone"])
            try bench.setEmail("carol@example.org", of: "bob")
            let refusal = await bench.send([.contact("carol")], of: home.owner)
            #expect(refusal?.code == .notNotifiable, "two have the address")
        }
    }

    @Test func `whoever takes the name or the identifier of a user who is gone gets no messages`()
        async throws
    {
        try await withNotifier { (bench) async throws in
            let (home, delivery) = (bench.home, bench.delivery)
            let former = NotificationRecipient.user("\(home.carol)")
            try home.accounts.change { try $0.removeUser("carol", by: .program(at: 1)) }
            for name in ["carol", "\(home.carol)"] {
                try home.accounts.change { _ = try $0.addUser(NewUser(name), by: .program(at: 1)) }
                try bench.setEmail("eve@example.org", of: name)
            }
            #expect(await bench.send([former], of: home.owner)?.code == .staleTarget)
            #expect(delivery.take() == [])
        }
    }

    @Test func `a name that is a number gets no messages of a contact that is gone`() async throws {
        try await withNotifier { (bench) async throws in
            try bench.addContact("999", "bob@example.org", of: "bob", on: [.email])
            #expect(await bench.send([.contact("999")], of: bench.home.owner)?.code == .staleTarget)
            #expect(await bench.send([.contact("999")], of: bench.home.bob) == nil)
            #expect(bench.delivery.take() == ["outbox/email bob@example.org"])
        }
    }

    @Test func `others are notified by who owns everything when the message is sent`() async throws {
        try await withNotifier { (bench) async throws in
            let home = bench.home
            try bench.setEmail("carol@example.org", of: "carol")
            try bench.install("phone", of: home.carol)
            let contact = try bench.addContact("eve", "eve@example.org", of: "carol", on: [.email])
            let others: [(NotificationRecipient, RefusalCode, String)] = [
                (.user("carol"), .notAllowed, "outbox/email carol@example.org"),
                (.contact("eve"), .staleTarget, "outbox/email eve@example.org"),
                (.contact(contact), .staleTarget, "outbox/email eve@example.org"),
                (.installation("phone"), .staleTarget, "outbox/push phone"),
                (.email("x@example.org"), .notAllowed, "outbox/email x@example.org"),
                (.sms("030 1234"), .notAllowed, "outbox/sms 030 1234"),
            ]
            for (recipient, code, sent) in others {
                #expect(await bench.send([recipient], of: home.bob)?.code == code, "\(recipient)")
                #expect(bench.delivery.take() == [])
                #expect(await bench.send([recipient], of: home.owner) == nil, "\(recipient)")
                #expect(bench.delivery.take().first == sent)
            }
            #expect(await bench.send([.user("nobody")], of: home.bob)?.code == .notAllowed)
            #expect(await bench.send([.user("nobody")], of: home.owner)?.code == .staleTarget)
            // bob owns everything from now on; then carol is off.
            try home.allow(home.bob, .own, .all)
            #expect(await bench.send([.user("carol")], of: home.bob) == nil)
            try home.accounts.change { try $0.setState(.off, ofUser: "carol", by: .program(at: 1)) }
            #expect(await bench.send([.user("carol")], of: home.bob)?.code == .notNotifiable)
            #expect(await bench.send([.installation("phone")], of: home.bob)?.code == .staleTarget)
        }
    }

    @Test func `a message has what the contract says`() async throws {
        try await withNotifier { (bench) async throws in
            try bench.setEmail("bob@example.org", of: "bob")
            #expect(await bench.send([.user("bob")], of: bench.home.bob) == nil)
            let body = try #require(bench.delivery.state.withLock { $0.sent.first?.body.object })
            #expect(body["id"]?.string?.hasPrefix("m.") == true)
            #expect(
                body.keys.sorted()
                    == ["epoch", "id", "kind", "rule", "seq", "subject", "text", "to", "ts"]
            )
            #expect(body["rule"] == "warm" && body["epoch"] == "e" && body["seq"] == 7)
            #expect(body["kind"] == "rule")
        }
    }

    @Test func `what nobody reads has failed, and is a problem until somebody reads it`() async throws {
        try await withNotifier { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            try bench.setEmail("bob@example.org", of: "bob")
            delivery.state.withLock { $0.unread = ["t/n/outbox/email"] }
            let refusal = await bench.send([.user("bob"), .display("hall")], of: bob)
            #expect(refusal?.code == .serverRejected && refusal?.message.contains("contrib/outbox") == true)
            #expect(refusal?.message.contains("bob@example.org") == false)
            #expect(delivery.banners.count == 1, "the others get it")
            #expect(delivery.problems.first??.contains("t/n/outbox/email") == true)
            delivery.state.withLock { $0.unread = [] }
            for _ in 0..<2 {
                #expect(await bench.send([.user("bob")], of: bob) == nil)
                #expect(delivery.problems.map { $0 == nil } == [false, true])
            }
            // More people read results than know the address.
            delivery.state.withLock { $0.unread = ["t/n/outbox/email"] }
            let other = await bench.send([.email("x@example.org")], of: bench.home.owner)
            #expect(other?.code == .serverRejected && other?.message.contains("x@example.org") == false)
        }
    }

    @Test func `a recipient has a limit, and an address of several recipients, too`() async throws {
        try await withNotifier(perHour: 2) { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            try bench.setEmail("bob@example.org", of: "bob")
            try bench.addContact("me", "BOB@example.org", on: [.email])
            // The same address in one message: one e-mail.
            #expect(await bench.send([.user("bob"), .contact("me")], of: bob) == nil)
            #expect(delivery.take() == ["outbox/email bob@example.org"])
            #expect(await bench.send([.contact("me")], of: bob) == nil)
            #expect(await bench.send([.user("bob")], of: bob)?.code == .rateLimited)
            #expect(await bench.send([.display("hall")], of: bob) == nil)
            delivery.state.withLock { $0.now = 61 * 60_000 }
            #expect(await bench.send([.user("bob")], of: bob) == nil)
        }
    }

    @Test func `the messages of others use up nobody's limit`() async throws {
        try await withNotifier(perHour: 2) { (bench) async throws in
            let (home, delivery) = (bench.home, bench.delivery)
            try bench.setEmail("bob@example.org", of: "bob")
            try bench.addContact("him", "bob@example.org", of: "carol", on: [.email])
            for _ in 0..<2 {
                #expect(await bench.send([.contact("him"), .allDisplays], of: home.carol) == nil)
            }
            #expect(await bench.send([.contact("him")], of: home.carol)?.code == .rateLimited)
            #expect(await bench.send([.allDisplays], of: home.carol)?.code == .rateLimited)
            _ = delivery.take()
            #expect(await bench.send([.user("bob"), .allDisplays], of: home.owner) == nil)
            #expect(delivery.take() == ["outbox/email bob@example.org"])
        }
    }

    @Test func `nobody writes to many strangers without owning everything`() async throws {
        try await withNotifier { (bench) async throws in
            let (home, delivery) = (bench.home, bench.delivery)
            var contacts: [NotificationRecipient] = []
            for number in 0..<7 {
                let name = "c\(number)"
                try bench.addContact(name, "\(name)@example.org", on: [.email])
                contacts.append(.contact(name))
            }
            let refusal = await bench.send(contacts, of: home.bob)
            #expect(refusal?.code == .rateLimited)
            #expect(delivery.take().count == 5)
            #expect(await bench.send(contacts, of: home.owner) == nil)
            #expect(delivery.take().count == 7)
        }
    }

    @Test func `a display that is not there is shown nothing, and takes no room`() async throws {
        try await withNotifier(perHour: 1) { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            let invented = (0..<50).map { NotificationRecipient.display("d\($0)") }
            #expect(await bench.send(invented, of: bob)?.code == .unknownDisplay)
            #expect(delivery.banners.isEmpty)
            #expect(await bench.send([.display("hall")], of: bob) == nil)
            #expect(delivery.banners.count == 1)
        }
    }

    @Test func `a banner goes to a display, and fails where none is attached`() async throws {
        try await withNotifier { (bench) async throws in
            let (bob, delivery) = (bench.home.bob, bench.delivery)
            #expect(await bench.send([.display("hall"), .allDisplays], of: bob) == nil)
            #expect(
                delivery.banners == [
                    Banner(on: "hall", "Too warm", "radiator is at 31", seconds: 10, rule: "warm"),
                    Banner(on: nil, "Too warm", "radiator is at 31", seconds: 10, rule: "warm"),
                ]
            )
            let refusal = await bench.send([.display("door")], of: bob)
            #expect(refusal?.code == .unknownDisplay && refusal?.message.contains("display:door") == true)
            delivery.state.withLock { $0.displays = [] }
            let none = await bench.send([.allDisplays], of: bob)
            #expect(none?.code == .unknownDisplay && none?.message == "display:all: no display is open")
        }
    }
}
