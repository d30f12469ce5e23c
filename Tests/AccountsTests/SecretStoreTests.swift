import Accounts
import AccountsFixture
import Foundation
import GRDB
import People
import Testing

struct SecretStoreTests {
    @Test func `no secret is in the files`() throws {
        try withFolder { folder in
            let home = try TestAccounts(
                path: folder.appending(path: "trilateral.db").path(percentEncoded: false)
            )
            let (token, _) = try home.store.addToken(
                "panel",
                ofUser: "bob",
                ceiling: nil,
                until: nil,
                by: .program(at: 3)
            )
            let (session, _) = try home.store.addSession(of: home.bob, name: "kiosk", until: 1000, at: 3)
            let link = try home.store.addLink(.reset, of: home.bob, at: 3)
            let hash = try #require(PasswordHash(of: Array("correct horse".utf8)))
            try home.store.setPassword(hash, ofUser: "owner", by: .program(at: 3))
            let files = try FileManager.default.contentsOfDirectory(
                at: folder,
                includingPropertiesForKeys: nil
            )
            #expect(files.count >= 2)
            for file in files {
                let bytes = try Data(contentsOf: file)
                let secrets = [
                    token.text, String(token.text.dropFirst(4)), session.text, link.text, "correct horse",
                ]
                for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
            }
        }
    }

    @Test func `tokens are found by what is brought, and gone when removed`() throws {
        let home = try TestAccounts()
        let (token, record) = try home.store.addToken(
            "panel",
            ofUser: "bob",
            ceiling: .read,
            until: 100,
            by: home.asBob.at(3)
        )
        let registry = try home.registry(at: 5)
        #expect(registry.identify(.token(token.text)) == .user(home.bob, ceiling: .read))
        try registry.flush()
        #expect(try home.store.secrets(.token, ofUser: "bob", at: 6).map(\.used) == [5])
        #expect(try home.store.secrets(.token, ofUser: "owner", at: 6).isEmpty)
        #expect(try home.store.secrets(at: 100).isEmpty)
        #expect(record.id.utf8.count == 16)
        let eve = try home.store.addUser(NewUser("eve"), by: .program(at: 3))
        #expect(
            code { try home.store.removeSecret(record.id, by: Authority(.user(eve), at: 6)) } == "unknown"
        )
        try home.store.removeSecret(record.id, by: home.asBob.at(6))
        #expect(try home.store.secrets(at: 6).isEmpty)
    }

    @Test func `tokens have names and limits`() throws {
        let home = try TestAccounts()
        func add(_ name: String, until: Int64? = nil, by authority: Authority = .program(at: 0)) -> String? {
            code {
                _ = try home.store.addToken(
                    name,
                    ofUser: "bob",
                    ceiling: nil,
                    until: until,
                    by: authority.at(3)
                )
            }
        }
        #expect(add("panel") == nil && add("panel") == "not_allowed")
        #expect(
            add("") == "invalid_value" && add("a\nb") == "invalid_value"
                && add("late", until: 3) == "invalid_value"
        )
        // A token that allows less cannot make one that allows more.
        #expect(add("more", by: Authority(.user(home.bob, ceiling: .read), at: 0)) == "not_allowed")
        #expect(add("short", until: 4) == nil)
        for number in 0..<48 { #expect(add("t\(number)") == nil) }
        #expect(add("more") == "not_allowed")
        #expect(
            code {
                _ = try home.store.addToken(
                    "more",
                    ofUser: "bob",
                    ceiling: nil,
                    until: nil,
                    by: .program(at: 5)
                )
            }
                == nil
        )
        let panel = try #require(home.store.secrets(at: 3).first { $0.name == "panel" })
        #expect(code { try home.store.removeSecret("panel", by: .program(at: 3)) } == "unknown")
        #expect(code { try home.store.removeSecret(panel.id, by: home.asBob.at(3)) } == nil)
    }

    @Test func `the fifty-first session ends the one that was used least recently`() throws {
        let home = try TestAccounts()
        let sessions = try (0..<50).map {
            try home.store.addSession(of: home.bob, name: "\($0)", until: 1000, at: Int64($0)).0
        }
        let registry = try home.registry(at: 60)
        #expect(registry.identify(.session(sessions[0].text)) != nil)
        try registry.flush()
        _ = try home.store.addSession(of: home.bob, name: "50", until: 1000, at: 70)
        let names = try home.store.secrets(.session, ofUser: "bob", at: 80).map(\.name)
        #expect(names.count == 50 && names.contains("0") && !names.contains("1"))
    }

    @Test func `a new password and a switched-off user end all sessions, not tokens`() throws {
        let home = try TestAccounts()
        let hash = try #require(PasswordHash(of: Array("correct horse".utf8)))
        _ = try home.store.addToken("panel", ofUser: "bob", ceiling: nil, until: nil, by: .program(at: 3))
        _ = try home.store.addSession(of: home.bob, name: "", until: 1000, at: 3)
        try home.store.setPassword(hash, ofUser: "bob", by: .program(at: 4))
        #expect(try home.store.secrets(at: 4).map(\.kind) == [.token])
        _ = try home.store.addSession(of: home.bob, name: "", until: 1000, at: 3)
        try home.store.setState(.off, ofUser: "bob", by: .program(at: 4))
        #expect(try home.store.secrets(at: 4).map(\.kind) == [.token])
        #expect(
            code { _ = try home.store.addSession(of: home.bob, name: "", until: 1000, at: 5) }
                == "not_allowed"
        )
    }

    @Test func `a session that was ended is not brought back by a use`() throws {
        let home = try TestAccounts()
        let (session, _) = try home.store.addSession(of: home.bob, name: "", until: 1000, at: 3)
        let registry = try home.registry(at: 5)
        #expect(registry.identify(.session(session.text)) != nil)
        try home.store.endSession(session)
        try registry.flush()
        #expect(try home.store.secrets(at: 6).isEmpty)
    }

    @Test func `a sign-in learns the stored hash of known names only`() throws {
        let home = try TestAccounts()
        let hash = try #require(PasswordHash(of: Array("correct horse".utf8)))
        try home.store.setPassword(hash, ofUser: "bob", by: .program(at: 4))
        #expect(try home.store.credentials(ofUser: "bob")?.password == "\(hash)")
        let owner = try #require(try home.store.credentials(ofUser: "owner"))
        #expect(owner.user.id == home.owner && owner.password == nil)
        for name in ["eve", "", "' OR 1=1 --", String(repeating: "x", count: 1 << 20)] {
            #expect(try home.store.credentials(ofUser: name) == nil)
        }
    }

    // MARK: Links

    @Test func `a link works once, in its time, and for what it is`() throws {
        let home = try TestAccounts()
        var new = NewUser("eve")
        new.state = .pending
        let eve = try home.store.addUser(new, by: .program(at: 3))
        let hash = try #require(PasswordHash(of: Array("correct horse".utf8)))
        let first = try home.store.addLink(.verify, of: eve, at: 3)
        let second = try home.store.addLink(.verify, of: eve, at: 3)
        // Whoever asks for another link does not end the one that is on its way.
        #expect(try home.store.link(first, at: 4)?.purpose == .verify)
        #expect(try home.store.link(second, at: 4)?.purpose == .verify)
        #expect(try home.store.link(second, at: 3 + 86_400_000) == nil)
        #expect(code { _ = try home.store.reset(second, to: hash, at: 4) } == "not_allowed")
        #expect(try home.store.verify(second, activates: true, at: 4).state == .active)
        for link in [first, second] {
            #expect(code { _ = try home.store.verify(link, activates: true, at: 4) } == "not_allowed")
        }
        #expect(try home.store.table().user(eve)?.state == .active)

        let reset = try home.store.addLink(.reset, of: eve, at: 10)
        _ = try home.store.addSession(of: eve, name: "", until: 5_000_000, at: 10)
        #expect(try home.store.link(reset, at: 10 + 1_800_000) == nil)
        #expect(try home.store.reset(reset, to: hash, at: 10 + 1_799_999).name == "eve")
        #expect(try home.store.secrets(at: 11).isEmpty)
        #expect(try home.store.link(reset, at: 11) == nil)
    }

    @Test func `a link verifies without activating where somebody approves, and never somebody who is off`()
        throws
    {
        let home = try TestAccounts()
        var new = NewUser("eve")
        new.state = .pending
        let eve = try home.store.addUser(new, by: .program(at: 3))
        let first = try home.store.addLink(.verify, of: eve, at: 3)
        #expect(try home.store.verify(first, activates: false, at: 4).state == .pending)
        try home.store.setState(.off, ofUser: "eve", by: .program(at: 5))
        let second = try home.store.addLink(.verify, of: eve, at: 5)
        #expect(try home.store.verify(second, activates: true, at: 6).state == .off)
        #expect(try home.store.table().user(eve)?.state == .off)
    }

    @Test func `who signed up and did not verify is removed after a while`() throws {
        let home = try TestAccounts()
        for (name, state) in [("eve", UserState.pending), ("ann", .pending), ("old", .active)] {
            var new = NewUser(name)
            new.state = state
            let id = try home.store.addUser(new, by: .program(at: 10))
            guard name == "ann" else { continue }
            _ = try home.store.verify(home.store.addLink(.verify, of: id, at: 10), activates: false, at: 11)
        }
        try home.store.removeUnverified(before: 10)
        #expect(try home.store.users().count == 5)
        try home.store.removeUnverified(before: 11)
        #expect(try home.store.users().map(\.user.name) == ["ann", "bob", "old", "owner"])
    }

    // MARK: Contacts

    @Test func `contacts are one's own`() throws {
        let home = try TestAccounts()
        let id = try home.store.addContact(
            Contact(name: "Eve", email: "eve@example.org", phone: "+49 30 123", channels: [.email, .sms]),
            ofUser: "bob",
            by: home.asBob.at(3)
        )
        let eve = try home.store.addUser(NewUser("eve"), by: .program(at: 3))
        let found = try home.store.contacts(ofUser: "bob", by: home.asBob.at(3))
        #expect(found.map(\.id) == [id] && found.first?.channels == [.email, .sms])
        #expect(
            code { _ = try home.store.contacts(ofUser: "bob", by: Authority(.user(eve), at: 3)) }
                == "not_allowed"
        )
        #expect(
            code { try home.store.removeContact(id, ofUser: "eve", by: Authority(.user(eve), at: 3)) }
                == "unknown"
        )
        for contact in [
            Contact(name: ""), Contact(name: "x", email: "x"), Contact(name: "x", phone: "call me"),
        ] {
            #expect(
                code { _ = try home.store.addContact(contact, ofUser: "bob", by: .program(at: 3)) }
                    == "invalid_value"
            )
        }
        for _ in 0..<199 {
            _ = try home.store.addContact(Contact(name: "x"), ofUser: "bob", by: .program(at: 3))
        }
        #expect(
            code { _ = try home.store.addContact(Contact(name: "x"), ofUser: "bob", by: .program(at: 3)) }
                == "not_allowed"
        )
        try home.store.removeContact(id, ofUser: "bob", by: home.asBob.at(3))
    }
}
