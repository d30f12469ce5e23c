import Accounts
import AccountsFixture
import GRDB
import People
import Testing

struct RuleStoreTests {
    private let home: TestAccounts
    private var store: AccountsStore { home.store }

    init() throws { home = try TestAccounts() }

    private var full: NewRule {
        var rule = NewRule(
            slug: "too-warm",
            title: "Zu warm",
            maker: home.bob,
            form: "property-notification",
            body: #"{"title":"Zu warm","when":[]}"#,
            original: #"{"triggerType":"always"}"#
        )
        rule.isEnabled = false
        return rule
    }

    // MARK: Adding

    @Test func `a rule is read as it was added, by number and by slug`() throws {
        let warm = try store.addRule(full, at: 10)
        let lamp = try home.addRule()
        #expect(warm == StoredRule(1, full, slug: "too-warm", added: 10))
        #expect(lamp == StoredRule(2, .named("lamp", of: home.bob), slug: "lamp", added: 10))
        #expect(try store.rules() == [warm, lamp])
        #expect(try store.readRules().damaged.isEmpty)
        #expect(try store.rule(1) == warm && store.rule(slug: "lamp") == lamp)
        #expect(try store.rule(3) == nil && store.rule(slug: "Lamp") == nil)
    }

    @Test(arguments: [99, 100, 101, 199, 200, 4000])
    func `a slug that thousands of rules have gets the next number`(count: Int) throws {
        // They have the numbers 1 to count, and nobody has the wish itself.
        try home.addRows(count, of: home.bob, slug: "rule")
        let slugs = try (1...3).map { _ in try store.addRule(.named("rule", of: home.owner), at: 10).slug }
        #expect(slugs == ["rule", "rule-\(count + 1)", "rule-\(count + 2)"])
    }

    @Test func `a slug that another rule has gets the first number that is free`() throws {
        let slugs = try (1...4).map { _ in try home.addRule().slug }
        #expect(slugs == ["lamp", "lamp-2", "lamp-3", "lamp-4"])
        let third = try #require(try store.rule(slug: "lamp-3"))
        try store.removeRule(third.id)
        #expect(try home.addRule().slug == "lamp-3")
        #expect(try home.addRule("lamp-2").slug == "lamp-2-2")
    }

    @Test(
        arguments: [
            "", "7", "0123", "Lamp", "a/b", "a+", "lampe ", "straße", String(repeating: "a", count: 49),
        ]
    )
    func `what is no slug is refused`(slug: String) throws {
        #expect(code { _ = try home.addRule(slug) } == "invalid_value")
        #expect(try store.rules().isEmpty)
    }

    @Test func `a number is never used for another rule`() throws {
        let first = try home.addRule()
        #expect(try store.removeRule(first.id))
        #expect(try home.addRule().id == 2)
    }

    @Test func `a rule has a maker who is there`() throws {
        let gone = AccountID(high: 5, low: 5)
        #expect(code { _ = try store.addRule(.named("lamp", of: gone), at: 10) } == "unknown")
        var rule = try home.addRule()
        rule.maker = gone
        #expect(code { try store.changeRule(rule) } == "unknown")
        #expect(try store.rules().map(\.maker) == [home.bob])
    }

    // MARK: Limits

    @Test func `a user has two hundred rules at most, also by editing those of others`() throws {
        try home.addRows(199, of: home.bob, slug: "x")
        var foreign = try store.addRule(.named("foreign", of: home.owner), at: 10)
        #expect(code { _ = try home.addRule() } == nil)
        #expect(code { _ = try home.addRule() } == "not_allowed")
        foreign.maker = home.bob
        #expect(code { try store.changeRule(foreign) } == "not_allowed")
        // Their own can still be edited.
        var own = try #require(try store.rule(slug: "lamp"))
        own.title = "Lampe"
        #expect(code { try store.changeRule(own) } == nil)
        #expect(code { _ = try store.addRule(.named("other", of: home.owner), at: 10) } == nil)
    }

    @Test func `five thousand rules are the most`() throws {
        let makers = (1...25).map { AccountID(high: 9, low: $0) }
        for maker in makers { try home.addRows(200, of: maker, slug: "\(maker)") }
        #expect(code { _ = try home.addRule() } == "not_allowed")
        try store.removeRule(17)
        #expect(code { _ = try home.addRule() } == nil)
        #expect(try home.count("rule") == PeopleLimits.rules)
    }

    // MARK: Changes

    @Test func `an edit changes everything but number, slug and time of adding`() throws {
        let old = try home.addRule()
        let other = try home.addRule("other")
        var edited = StoredRule(old.id, full, slug: "ignored", added: 99)
        edited.maker = home.owner
        edited.changed = 50
        try store.changeRule(edited)
        var expected = StoredRule(old.id, full, slug: "lamp", added: 10)
        (expected.maker, expected.changed) = (home.owner, 50)
        #expect(try store.rules() == [expected, other])
        edited.original = nil
        try store.changeRule(edited)
        #expect(try store.rule(old.id)?.original == nil)
    }

    @Test func `what a rule remembers is forgotten with another body, and only then`() throws {
        var rule = try home.addRule()
        try home.remember("old", of: rule.id)
        rule.title = "Lampe"
        rule.maker = home.owner
        try store.changeRule(rule)
        try store.setRule(rule.id, isEnabled: false)
        #expect(try store.ruleMemories() == [rule.id: "old"])
        rule.body = #"{"when":[]}"#
        try store.changeRule(rule)
        #expect(try store.ruleMemories().isEmpty)
    }

    @Test func `a rule is switched, also twice`() throws {
        let (first, second) = (try home.addRule(), try home.addRule())
        for isOn in [false, false, true, true, false] {
            try store.setRule(first.id, isEnabled: isOn)
            #expect(try store.rules().map(\.isEnabled) == [isOn, true])
        }
        #expect(try store.rule(second.id) == second)
    }

    @Test func `a rule that is not there cannot be changed, switched or removed`() throws {
        let rule = StoredRule(7, full, slug: "lamp", added: 1)
        #expect(code { try store.changeRule(rule) } == "unknown")
        #expect(code { try store.setRule(7, isEnabled: true) } == "unknown")
        #expect(try !store.removeRule(7))
    }

    @Test func `a removed rule takes its memory along, and its firings stay`() throws {
        let (first, second) = (try home.addRule(), try home.addRule())
        for rule in [first, second] { try home.remember("m", of: rule.id) }
        try home.save([.number(1, of: first.id)])
        #expect(try store.removeRule(first.id))
        #expect(try store.rules() == [second])
        #expect(try store.ruleMemories() == [second.id: "m"])
        #expect(try home.count("rule_state") == 1)
        #expect(try store.firings(ofRule: first.id, limit: 10) == [.number(1, of: first.id)])
    }

    @Test func `the rules of a user who is removed stay, and can be switched and edited by another`() throws {
        var rule = try home.addRule()
        try store.removeUser("bob", by: .program(at: 20))
        #expect(try store.rules() == [rule])
        try store.setRule(rule.id, isEnabled: false)
        rule.isEnabled = false
        rule.title = "Lampe"
        try store.changeRule(rule)
        rule.maker = home.owner
        try store.changeRule(rule)
        #expect(try store.rules() == [rule])
    }

    @Test func `several rules are stored as a whole or not at all`() throws {
        let refusal = code {
            try store.atomically { store in
                _ = try store.addRule(.named("lamp", of: home.bob), at: 10)
                #expect(try store.rule(slug: "lamp") != nil)
                _ = try store.addRule(.named("7", of: home.bob), at: 10)
            }
        }
        #expect(refusal == "invalid_value")
        #expect(try store.rules().isEmpty)
    }

    // MARK: Damage

    @Test(
        arguments: [
            ("slug", "'7'"), ("slug", "'a/#'"), ("slug", "''"), ("maker", "'bob'"), ("maker", "''"),
        ]
    )
    func `a damaged row is left out, named and can be removed`(column: String, value: String) throws {
        let (damaged, sound) = (try home.addRule(), try home.addRule())
        try home.execute("UPDATE rule SET \(column) = \(value) WHERE id = ?", [damaged.id])
        let list = try store.readRules()
        #expect(list.rules == [sound] && list.damaged.map(\.id) == [damaged.id])
        #expect(list.damaged.first?.description.contains("rule 1 is damaged in '\(column)'") == true)
        #expect(try store.rules() == [sound] && store.rule(damaged.id) == nil)
        #expect(try store.removeRule(damaged.id))
        #expect(try store.readRules().damaged.isEmpty)
    }

    @Test(
        arguments: ["slug", "title", "enabled", "maker", "form", "added", "changed", "body"]
    )
    func `a value of another type in a damaged file is no crash`(column: String) throws {
        let (damaged, sound) = (try home.addRule(), try home.addRule())
        try home.loosen(
            "rule",
            "id INTEGER PRIMARY KEY AUTOINCREMENT, slug UNIQUE, title, enabled, maker, form, added, changed, body, original"
        )
        for value in ["x'FF00'", "NULL"] {
            try home.execute("UPDATE rule SET \(column) = \(value) WHERE id = ?", [damaged.id])
            #expect(try store.rules().last == sound)
            _ = try store.rule(damaged.id)
        }
        #expect(try store.readRules().damaged.map(\.column) == [column])
        // An edit makes it a rule again, where the column can be edited.
        if !["slug", "added"].contains(column) {
            try store.changeRule(damaged)
            #expect(try store.rules() == [damaged, sound])
        }
    }

    @Test(arguments: [
        ("SELECT 1 FROM rule WHERE slug = 'x'", "sqlite_autoindex_rule_1"),
        ("SELECT COUNT(*) FROM rule WHERE maker = 'x'", "rule_maker"),
        ("SELECT * FROM firing WHERE rule = 1 AND seq < 9 ORDER BY seq DESC LIMIT 5", "firing_rule"),
    ])
    func `look-ups read no other rows`(sql: String, index: String) throws {
        let steps = try home.database.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
        }
        #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH") && steps[0].contains("INDEX \(index)"))
    }
}
