import Accounts
import Controller
import Daemon
import JSON
import People
import Rules
import Testing

/// Rules whose recipients are removed.
@Suite(.timeLimit(.minutes(2)))
struct RuleRecipientTests {
    private static func rule(_ title: String, _ recipients: JSONValue...) -> JSONValue {
        let when: JSONValue = ["on": "state", "thing": "fan", "field": "on"]
        return ["title": .string(title), "when": [when], "then": [["notify": .array(recipients)]]]
    }

    /// What the engine was told is missing, newest last.
    private static func missed(_ home: TestRules) -> [[String]] {
        home.engine.changes.compactMap {
            if case .missed(_, let recipients) = $0 { recipients } else { nil }
        }
    }

    @Test func `a rule is suspended when the user whom it notifies is removed, also if the name comes back`()
        async throws
    {
        try await withRules { (home, _) async throws in
            let rule = Self.rule("Tell", "user:carol")
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            try home.accounts.change { try $0.removeUser("carol", by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements == [.gone] && Self.missed(home) == [["user:carol"]])
            let shown = await home.ask("GET", "tell", as: home.owner).body
            #expect(shown["state"] == "suspended" && shown["suspended"] == "gone", "\(shown)")
            #expect(shown["sentence"]?.string?.contains("carol") == true)
            #expect(!shown.text.contains("\(home.carol)"))
            try home.accounts.change { store in
                _ = try store.addUser(NewUser("carol"), by: .program(at: 1))
            }
            await home.service.follow()
            #expect(home.judgements == [.gone])
            // The name leads to somebody else now.
            let again = await home.ask("GET", "tell", as: home.owner).body
            #expect(again.text.contains("\(home.carol)"))
            #expect(await home.ask("PUT", "tell", rule, as: home.owner).status == 200)
            #expect(await home.ask("GET", "tell", as: home.owner).body["state"] == "ready")
        }
    }

    @Test func `a rule goes on for the recipients that are left`() async throws {
        try await withRules { (home, _) async throws in
            let rule = Self.rule("Tell", "user:carol", "user:bob")
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            try home.accounts.change { try $0.removeUser("carol", by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements.isEmpty && Self.missed(home) == [["user:carol"]])
            try home.accounts.change { try $0.removeUser("bob", by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements == [.gone])
            #expect(Self.missed(home).last == ["user:carol", "user:bob"])
        }
    }

    @Test func `contacts and installations that are removed are missed as users are`() async throws {
        try await withNotifier { (bench) async throws in
            let home = bench.home
            let eve = try bench.addContact("eve", "eve@example.org", on: [.email])
            try bench.install("phone", of: home.bob)
            let rules = [Self.rule("Eve", "contact:eve"), Self.rule("Phone", "installation:phone")]
            for rule in rules { #expect(await home.ask("POST", "", rule, as: home.bob).status == 201) }
            let number = try #require(Int64(eve))
            try home.accounts.change { store in
                try store.removeContact(number, ofUser: "bob", by: .program(at: 1))
                _ = try store.removeInstallation("phone")
            }
            await home.service.follow()
            #expect(home.judgements == [.gone, .gone])
            #expect(Self.missed(home) == [["contact:eve"], ["installation:phone"]])
        }
    }

    @Test func `the alert names the recipients that are not there, and what to do`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        bench.send(.missed(1, recipients: ["user:alice"]))
        func alert() -> String? { bench.controller.state.alerts["rules"]?.message }
        let advice = "user:alice is not there; edit the rule to name its recipients anew"
        #expect(
            alert() == "Rules that notify only some of their recipients: rule-1 (\(advice))."
        )
        bench.send(.judged(1, .gone))
        #expect(alert() == "Suspended rules: rule-1 (\(advice)).")
        bench.send(.missed(1, recipients: []))
        bench.send(.judged(1, nil))
        #expect(alert() == nil)
    }
}
