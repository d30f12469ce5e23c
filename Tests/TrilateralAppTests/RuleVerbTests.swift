import Foundation
import JSON
import TestSupport
import Testing

/// The verbs of `rule`: what they send to the daemon, what they print, and how they end.
@Suite(.timeLimit(.minutes(2))) struct RuleVerbTests {
    /// Words as a person types them; `FILE` stands for the path of a file with a rule.
    private static func words(_ text: String, file: String = "") -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in text {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted:
                words.append(word)
                word = ""
            default: word.append(character)
            }
        }
        return (words + [word]).map { $0 == "FILE" ? file : $0 }
    }

    private static let rule: JSONValue = [
        "title": "Night", "when": [["on": "cron", "cron": "0 22 * * *"]],
        "then": [["set": ["on": false], "target": "thing:lamp"]],
    ]

    // MARK: Adding

    @Test func `a rule in words is sent in our form, and its short name is printed`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add": .init(201, ["id": 1, "slug": "bright"])]) {
                let verb =
                    "rule add --title Bright --thing desk-lamp --when 'brightness>=0.5' --notify user:alice"
                let end = try await desk.run(Self.words(verb))
                #expect(end.status == 0 && end.output == "bright\n", "\(end.output)")
            }
            let sent = try #require(desk.sent.first?.body)
            #expect(sent["form"] == "rule" && sent["rule"]?["title"] == "Bright")
            #expect(sent["rule"]?["when"]?.array?.first?["thing"] == "desk-lamp")
            #expect(sent["rule"]?["then"] == [["notify": ["user:alice"]]])
        }
    }

    @Test func `what may be misspelt is a warning`() async throws {
        try await withVerbDesk { desk in
            let answer = VerbDesk.Answer(201, ["slug": "r", "warnings": ["fan has no field \"onn\" now"]])
            try await desk.withDaemon(["POST rules/add": answer]) {
                let end = try await desk.run(Self.words("rule add --thing fan --when onn --notify user:a"))
                #expect(end.status == 0 && end.output.contains("warning: fan has no field"), "\(end.output)")
            }
        }
    }

    @Test func `several targets, dates and what is published are of the rule`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add": .init(201, ["slug": "r"])]) {
                let verb =
                    "rule add --start 23:00 --from 2026-12-20 --target a --set on=false --target zone:b "
                    + "--target zone:c --set on=true --publish end"
                let end = try await desk.run(Self.words(verb))
                #expect(end.status == 0, "\(end.output)")
            }
            let rule = desk.sent.first?.body?["rule"]
            #expect(rule?["when"]?.array?.first?["startDate"] == "2026-12-20")
            let then = rule?["then"]?.array ?? []
            #expect(then.map { $0["target"] } == ["thing:a", "zone:b", "zone:c", nil])
            #expect(then.last?["publish"] == "end")
        }
    }

    @Test func `what is done keeps the order of the command line`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add?as=bob": .init(201, ["slug": "r"])]) {
                let verb =
                    "rule add --as bob --thing fan --start 08:00 --end 09:00 --notify user:bob --set on=true "
                    + "--set=speed=2 --action turbo --set end:on=false --ceiling range:NONE"
                let end = try await desk.run(Self.words(verb))
                #expect(end.status == 0, "\(end.output)")
            }
            let then = desk.sent.first?.body?["rule"]?["then"]?.array ?? []
            #expect(then.map { $0.object?.keys.contains("notify") } == [true, false, false, false, false])
            #expect(then.map { $0["set"] } == [nil, ["on": true, "speed": 2], nil, ["on": false], nil])
            #expect(then.map { $0["at"] } == [nil, nil, nil, "end", "range"])
            #expect(then.map { $0["action"] } == [nil, nil, "turbo", nil, nil])
        }
    }

    @Test func `a rule that profiles do not allow ends the verb with 1`() async throws {
        try await withVerbDesk { desk in
            let message = "the profile heating of thing radiator does not let schedules set \"room_temp\""
            try await desk.withDaemon(["POST rules/add": .refused(409, "not_schedulable", message)]) {
                let verb = "rule add --cron '* * * * *' --thing radiator --set room_temp=1"
                let end = try await desk.run(Self.words(verb))
                #expect(end.status == 1 && end.output == "trilateral rule add: \(message)\n", "\(end.output)")
            }
        }
    }

    @Test func `a rule of a file is sent with its form, and without its secrets`() async throws {
        try await withVerbDesk { desk in
            let schedule = #"""
                {"schedule":{"name":"night","displayName":"Night","password":"s3cret","startTimeEachDay":"22:00:00",
                "scheduleActions":[{"name":"on","value":0,"baseType":"boolean","active":true,"atStart":true}]}}
                """#
            let file = try desk.write(schedule, to: "rule.json")
            try await desk.withDaemon(["POST rules/add": .init(201, ["slug": "night"])]) {
                let end = try await desk.run(["rule", "add", "--file", file, "--thing", "lamp"])
                #expect(end.status == 0, "\(end.output)")
                #expect(end.output.hasSuffix("night\n"))
            }
            let sent = try #require(desk.sent.first?.body)
            #expect(sent["form"] == "schedule" && sent["rule"]?["title"] == "Night")
            #expect(!sent.text.contains("s3cret"))
        }
    }

    // MARK: One request

    @Test(arguments: [
        ("rule on bright", "POST rules/bright/on", ""), ("rule off 7", "POST rules/7/off", ""),
        ("rule rm bright", "DELETE rules/bright", ""),
        ("rule run bright", "POST rules/bright/run?wait=40", ""),
        ("rule show bright", "GET rules/bright", "{\"slug\":\"bright\"}\n"),
        ("rule show bright --original", "GET rules/bright?original=1", "{\"slug\":\"bright\"}\n"),
        ("rule show bright --json", "GET rules/bright", "{\"slug\":\"bright\"}\n"),
        ("rule list --json --thing fan", "GET rules?thing=fan", "{\"slug\":\"bright\"}\n"),
    ])
    func `a verb sends one request, and prints what it is asked for`(
        verb: String,
        line: String,
        output: String
    ) async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon([line: .init(200, ["slug": "bright"])]) {
                let end = try await desk.run(Self.words(verb))
                #expect(end.status == 0 && end.output == output, "\(end.output)")
            }
            #expect(desk.sent.map(\.line) == [line])
        }
    }

    @Test(
        arguments: [
            (["outcome": "done", "results": [["ok": true]]], 0, ""), (["outcome": "running"], 0, ""),
            (
                [
                    "outcome": "failed",
                    "results": [["ok": true], ["ok": false, "code": "timeout", "message": "no answer"]],
                ], 1, "trilateral rule run: not everything was done; action 2: no answer\n"
            ),
        ] as [(JSONValue, Int, String)]
    )
    func `a run says what went wrong, and its exit code that something did`(
        answer: JSONValue,
        status: Int,
        output: String
    ) async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/bright/run?wait=40": .init(200, answer)]) {
                let end = try await desk.run(["rule", "run", "bright"])
                #expect(end.status.map(Int.init) == status && end.output == output, "\(end.output)")
            }
        }
    }

    @Test func `a list has a line for each rule`() async throws {
        try await withVerbDesk { desk in
            let rows: JSONValue = [
                [
                    "id": 1, "slug": "bright", "title": "Bright", "state": "ready",
                    "last": ["ts": "2026-11-21T10:18:53Z", "why": "run", "outcome": "done"],
                ],
                [
                    "id": 12, "slug": "night", "title": "Night", "state": "off",
                    "next": "2026-11-22T21:00:00Z",
                ],
            ]
            try await desk.withDaemon(["GET rules": .init(200, ["rules": rows])]) {
                let end = try await desk.run(["rule", "list"])
                #expect(
                    end.output == """
                        ID  SLUG    STATE  NEXT                  LAST                  TITLE
                        1   bright  ready  -                     2026-11-21T10:18:53Z  Bright
                        12  night   off    2026-11-22T21:00:00Z  -                     Night

                        """
                )
            }
        }
    }

    @Test func `an explanation has a line for each time`() async throws {
        try await withVerbDesk { desk in
            let lines: JSONValue = [
                ["ts": "2026-11-21T10:18:53Z", "result": "done", "why": "cron"],
                ["ts": "2026-11-21T10:19:53Z", "result": "edge", "why": "state fan on", "count": 3],
                [
                    "ts": "2026-11-21T10:20:53Z", "result": "failed", "why": "cron",
                    "results": [["ok": true], ["ok": false, "code": "timeout", "message": "no answer"]],
                ],
            ]
            let answer = VerbDesk.Answer(200, ["lines": lines])
            try await desk.withDaemon(["GET rules/bright/explain?limit=5": answer]) {
                let end = try await desk.run(["rule", "explain", "bright", "--limit", "5"])
                #expect(
                    end.output == """
                        TS                    RESULT  WHY
                        2026-11-21T10:18:53Z  done    cron
                        2026-11-21T10:19:53Z  edge    state fan on (3 times)
                        2026-11-21T10:20:53Z  failed  cron; action 2: no answer

                        """
                )
            }
        }
    }

    @Test(arguments: [true, false])
    func `a test prints what the rule sees, and its exit code says whether it would fire`(wouldFire: Bool)
        async throws
    {
        try await withVerbDesk { desk in
            let line: JSONValue = [
                "path": "when[0]", "truth": "true", "what": "fan is on", "saw": "on true",
            ]
            let answer = VerbDesk.Answer(200, ["wouldFire": .bool(wouldFire), "lines": [line]])
            let file = try desk.write(Self.rule.text, to: "rule.json")
            try await desk.withDaemon(["POST rules/bright/test": answer, "POST rules/test": answer]) {
                for verb in ["rule test bright", "rule test --file FILE"] {
                    let end = try await desk.run(Self.words(verb, file: file))
                    #expect(end.status == (wouldFire ? 0 : 1))
                    #expect(end.output == "true  when[0]  fan is on: on true\n")
                }
            }
        }
    }

    @Test func `a test says first that a rule is off or suspended`() async throws {
        try await withVerbDesk { desk in
            let off: JSONValue = ["wouldFire": false, "state": "off", "lines": []]
            let gone: JSONValue = [
                "wouldFire": false, "state": "suspended", "suspended": "gone", "missing": ["thing:fan"],
                "lines": [],
            ]
            let answers = ["POST rules/a/test": off, "POST rules/b/test": gone]
            try await desk.withDaemon(answers.mapValues { VerbDesk.Answer(200, $0) }) {
                let first = try await desk.run(["rule", "test", "a"])
                #expect(first.status == 1 && first.output == "off: the rule is switched off\n")
                let second = try await desk.run(["rule", "test", "b"])
                #expect(second.status == 1 && second.output == "suspended: gone: thing:fan\n")
            }
        }
    }

    // MARK: Files

    @Test func `a file whose rules name no thing points to the option that does`() async throws {
        try await withVerbDesk { desk in
            let rule = #"{"when":[{"on":"state","field":"t"}],"then":[{"notify":["user:a"]}]}"#
            let file = try desk.write(rule, to: "rules.json")
            try await desk.withDaemon([:]) {
                let end = try await desk.run(["rule", "import", file])
                #expect(
                    end.status == 65 && end.output.contains("; or name one with --thing"),
                    "\(end.output)"
                )
            }
        }
    }

    @Test func `a file with an error is not sent`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write(#"[{"when":[]}]"#, to: "rules.json")
            try await desk.withDaemon([:]) {
                for verb in ["import FILE", "add --file FILE", "test --file FILE"] {
                    let end = try await desk.run(Self.words("rule \(verb)", file: file))
                    #expect(end.status == 65, "\(end.output)")
                    #expect(end.output.contains("rules.json:1:3: error: invalid_value: when must be a list"))
                }
                let missing = try await desk.run(["rule", "import", desk.folder.path("none.json")])
                #expect(missing.status == 66)
            }
            #expect(desk.sent.isEmpty)
        }
    }

    @Test func `an export has a rule on each line, and is a file to import`() async throws {
        try await withVerbDesk { desk in
            let answer = VerbDesk.Answer(200, ["rules": [Self.rule, Self.rule]])
            try await desk.withDaemon(["POST rules/export": answer]) {
                let end = try await desk.run(["rule", "export", "night"])
                #expect(end.output.split(separator: "\n").count == 4)
                #expect(try JSONValue(parsing: end.output) == ["rules": [Self.rule, Self.rule]])
            }
            #expect(desk.sent.map(\.body) == [["rules": ["night"]]])
        }
    }

    // MARK: Ends

    @Test(arguments: [
        "rule add --cron '0 7 * * *' --thing fan --set on=true", "rule add --file FILE", "rule list",
        "rule show bright", "rule on bright", "rule off bright", "rule rm bright", "rule run bright",
        "rule test bright", "rule test --file FILE", "rule import FILE", "rule export", "rule explain bright",
    ])
    func `the verbs need a daemon, and make no folder without one`(verb: String) async throws {
        try await withVerbDesk { desk in
            let file = try desk.write(Self.rule.text, to: "rule.json")
            let end = try await desk.run(Self.words(verb, file: file))
            #expect(end.status == 69, "\(end.output)")
            #expect(end.output.contains("no daemon runs with the state folder"), "\(end.output)")
            #expect(!FileManager.default.fileExists(atPath: desk.state))
        }
    }

    @Test(arguments: [
        ("rule add", 65, "a rule needs one of --when, --device"),
        ("rule add --cron '0 7 * * *' --thing fan", 65, "a rule needs one of --set, --action"),
        ("rule add --cron '0 7 * *' --thing fan --set on=true", 65, "--cron must "),
        ("rule add --when 'on==true' --set on=true", 65, "--when needs --thing"),
        ("rule add --file FILE --title x", 64, "--file excludes all other options"),
        ("rule add --file FILE --set on=true", 64, "--file excludes all other options"),
        ("rule add --thing '' --cron '0 7 * * *' --set on=true", 64, "--thing must be a name"),
        ("rule test", 64, "give a rule or --file"),
        ("rule test bright --file FILE", 64, "give a rule or --file"),
        ("rule test bright --thing fan", 64, "--thing needs --file"),
        ("rule show ''", 66, "there is no rule \"\""), ("rule rm ''", 66, "there is no rule \"\""),
        ("rule explain bright --limit 0", 64, "--limit must be 1 to 1000"),
        ("rule import", 64, "file"), ("rule import - -", 64, "- can be given once"),
        ("rule turn bright", 64, "there is no verb \"turn\""),
    ])
    func `mistakes are found before a daemon is asked`(verb: String, status: Int, sentence: String)
        async throws
    {
        try await withVerbDesk { desk in
            let file = try desk.write(Self.rule.text, to: "rule.json")
            let end = try await desk.run(Self.words(verb, file: file))
            #expect(end.status.map(Int.init) == status, "\(end.output)")
            #expect(end.output.contains(sentence), "\(end.output)")
        }
    }
}
