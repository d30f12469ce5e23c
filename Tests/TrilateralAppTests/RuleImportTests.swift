import JSON
import TestSupport
import Testing

/// `rule import`: what it prints of what the daemon answers.
@Suite(.timeLimit(.minutes(2))) struct RuleImportTests {
    private static let rule: JSONValue = [
        "title": "Night", "when": [["on": "cron", "cron": "0 22 * * *"]],
        "then": [["set": ["on": false], "target": "thing:lamp"]],
    ]

    @Test func `an import prints a line for each rule`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("[\n\(Self.rule.text),\n\(Self.rule.text)]", to: "rules.json")
            let made: JSONValue = ["rules": [["slug": "night"], ["slug": "night-2"]]]
            try await desk.withDaemon(["POST rules/import": .init(201, made)]) {
                let end = try await desk.run(["rule", "import", file, "--as", "bob"])
                #expect(end.status == 0)
                #expect(end.output == "\(file):2 rule night\n\(file):3 rule night-2\n", "\(end.output)")
            }
            let sent = try #require(desk.sent.first?.body)
            #expect(sent["as"] == "bob" && sent["check"] == false && sent["rules"]?.array?.count == 2)
        }
    }

    @Test func `an import names and counts the rules that are there already`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("[\n\(Self.rule.text),\n\(Self.rule.text)]", to: "rules.json")
            let rules: JSONValue = [["slug": "evening"], ["slug": "night"]]
            let made: JSONValue = ["rules": rules, "unchanged": [["index": 1, "slug": "night"]]]
            try await desk.withDaemon(["POST rules/import": .init(201, made)]) {
                let output = try await desk.run(["rule", "import", file]).output
                #expect(output.contains("\(file):2 rule evening\n\(file):3 rule night unchanged\n"))
                #expect(output.contains("1 of 2 rules is there already"), "\(output)")
            }
        }
    }

    @Test func `a warning of an import has the place of the member, and hinders nothing`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("[\n\(Self.rule.text)]", to: "rules.json")
            let warning: JSONValue = [
                "index": 0, "code": "invalid_value", "message": "it is twice", "field": "nothing",
            ]
            let made: JSONValue = ["rules": [["slug": "night"]], "warnings": [warning]]
            try await desk.withDaemon(["POST rules/import": .init(201, made)]) {
                let end = try await desk.run(["rule", "import", file])
                #expect(end.status == 0, "\(end.output)")
                #expect(end.output.contains("\(file):2:1: warning: invalid_value: it is twice\n"))
                #expect(end.output.contains("\(file):2 rule night\n"), "\(end.output)")
            }
        }
    }

    @Test func `a problem that the daemon has found has the place of the rule in its file`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("[\n\(Self.rule.text),\n\(Self.rule.text)]", to: "rules.json")
            let problem: JSONValue = ["index": 1, "code": "unknown_thing", "message": "there is no lamp"]
            try await desk.withDaemon(["POST rules/import": .init(200, ["problems": [problem]])]) {
                let end = try await desk.run(["rule", "import", file, "--check"])
                #expect(end.status == 65)
                #expect(
                    end.output == "\(file):3:1: error: unknown_thing: there is no lamp\n",
                    "\(end.output)"
                )
            }
        }
    }

    @Test func `a problem of a part of a rule has the place of the part`() async throws {
        try await withVerbDesk { desk in
            let rule = """
                [{"when":[{"on":"near","thing":"a"}],
                 "then":[{"publish":1},{"publish":2}]}]
                """
            let file = try desk.write(rule, to: "rules.json")
            let problem: JSONValue = ["index": 0, "code": "timeout", "message": "no", "field": "then[1]"]
            try await desk.withDaemon(["POST rules/import": .init(200, ["problems": [problem]])]) {
                let output = try await desk.run(["rule", "import", file, "--check"]).output
                #expect(output == "\(file):2:24: error: timeout: no\n", "\(output)")
            }
        }
    }
}
