import JSON
import Rules
import SeededRandom
import Testing

struct RuleFileTests {
    private func read(_ text: String, thing: String? = nil) -> RuleFile {
        RuleFile("f.json", json: Array(text.utf8), thing: thing)
    }

    @Test func `a list of rules in several forms`() {
        let file = read("[\n" + RuleExamples.all.joined(separator: ",\n") + "\n]")
        #expect(file.isUsable, "\(file.problems)")
        #expect(
            file.entries.map(\.rule.form) == [
                .rule, .trigger, .schedule, .automation, .propertyNotification, .deviceNotification,
            ]
        )
        #expect(file.entries.first?.position == FilePosition(line: 2, column: 1))
        #expect(file.entries.dropFirst().first?.position.line == 5)
    }

    @Test func `AMAP's file has its places beside its automations`() {
        let file = read(
            #"""
            {"locations":[{"uuid":"L","latitude":1,"longitude":2,"radius":100}],
             "beacons":[{"uuid":"B","namespace":"2f234454cf6d4a0fadf2"}],
             "automations":[
              {"name":"a","triggerUUID":"L","triggerType":"TriggerTypeGeofenceExit","actions":[{"device":"d","property":"p","value":1}]},
              {"name":"b","triggerUUID":"B","triggerType":"TriggerTypeBeaconEnter","actions":[{"device":"d","property":"p","value":1}]}],
             "schedules":[{"schedule":{"name":"s","startTimeEachDay":"08:00:00","deviceNickname":"d",
              "scheduleActions":[{"name":"p","value":1}]}}]}
            """#
        )
        #expect(file.problems.isEmpty, "\(file.problems)")
        // In the order of the names of the lists.
        #expect(file.entries.map(\.rule.rule.title) == ["s", "a", "b"])
        #expect(file.entries.map(\.position.line) == [6, 4, 5])
    }

    @Test func `one rule is a file`() {
        for text in RuleExamples.all { #expect(read(text).entries.count == 1) }
    }

    @Test func `one error and nothing counts`() {
        let file = read(
            """
            [\(RuleExamples.then(#"{"publish":1}"#)),
              {"when": [{"on": "near",
                "thing": "a"}],
               "é": 1, "thn": 2, "then": [
                 {"set": {"on": true}, "target": "x"}]},
              7]
            """
        )
        #expect(file.entries.isEmpty)
        #expect(!file.isUsable)
        #expect(
            file.problems.map(\.description) == [
                "f.json:5:28: error: invalid_value: then[0].target must be thing: or zone: with a slug or an identifier, or nearby, is \"x\"",
                "f.json:6:3: error: wrong_type: a rule must be an object",
            ]
        )
    }

    @Test func `each part of a rule that is wrong is told`() {
        let file = read(
            """
            {"title": 7, "pause": -1,
             "when": [{"on": "near"}, {"on": "cron", "cron": "x"}, {"on": "far", "thing": "a"}],
             "if": [{"zone": []}],
             "then": [{"publish": null}, {"publish": 1}, {"action": "", "target": "nearby"}]}
            """
        )
        #expect(file.entries.isEmpty)
        let fields = file.problems.map { $0.message.prefix { $0 != " " } }
        #expect(
            fields == [
                "title", "pause", "when[0].thing", "when[1].cron", "if[0].zone", "then[0]", "then[2].action",
            ],
            "\(file.problems)"
        )
    }

    private static let wrong: [(rule: String, fields: [String])] = [
        (
            #"{"schedule":{"displayName":7,"startTimeEachDay":"25:00","scheduleActions":[{"value":1},{"name":"a","value":1},{"name":"b"}]}}"#,
            [
                "schedule.displayName", "schedule.startTimeEachDay", "schedule.thing",
                "schedule.scheduleActions[0].name", "schedule.scheduleActions[2].value",
            ]
        ),
        (
            #"{"triggersWhat":"SERVER_CODE","title":7,"predicate":{"eventSource":"X"},"command":{"target":"zone:z","actions":7}}"#,
            ["triggersWhat", "title", "command.target", "predicate.eventSource", "command.actions"]
        ),
        (
            #"{"name":7,"triggerUUID":"L","triggerType":"X","actions":["a",{"device":"d","property":"p"},{"property":"p"}]}"#,
            ["name", "triggerType", "actions[0]", "actions[1].value", "actions[2].device"]
        ),
        (
            #"{"triggerType":"X","active":7,"triggerApps":[{"name":"fax"},{"name":"email","contactId":1},{"name":"sms"}]}"#,
            ["active", "thing", "property", "triggerType", "triggerApps[0].name", "triggerApps[2].contactId"]
        ),
        (
            #"{"notificationType":"X","description":7,"notificationApps":[7]}"#,
            ["description", "thing", "notificationType", "notificationApps[0]"]
        ),
    ]

    @Test(arguments: wrong.indices) func `each wrong part of another form has an error`(index: Int) {
        let file = read(Self.wrong[index].rule)
        #expect(file.entries.isEmpty)
        let fields = file.problems.map { $0.message.prefix { $0 != " " } }.sorted()
        #expect(fields.map(String.init) == Self.wrong[index].fields.sorted(), "\(file.problems)")
    }

    @Test func `a warning has its place`() {
        let file = read(
            """
            {"rules": [
              {"when": [{"on": "near", "thing": "a"}],
               "é": 1, "thn": 2, "then": [{"publish": 1}]}]}
            """
        )
        #expect(file.entries.count == 1)
        #expect(
            file.problems.map(\.position)
                == [FilePosition(line: 3, column: 12), FilePosition(line: 3, column: 4)].sorted()
        )
        #expect(file.problems.allSatisfy { $0.severity == .warning && $0.code == "unknown_key" })
    }

    @Test(arguments: [
        ("", 1, 1), ("{", 1, 2), ("[1,\n 2,\n  é]", 3, 3), ("[1]\n]", 2, 1),
    ])
    func `what is no JSON has its place`(text: String, line: Int, column: Int) {
        let file = read(text)
        #expect(file.problems.map(\.code) == ["bad_json"])
        #expect(file.problems.first?.position == FilePosition(line: line, column: column), "\(file.problems)")
    }

    @Test func `a file without rules is refused`() {
        #expect(read("[]").problems.map(\.message) == ["the file has no rule"])
        #expect(!read(#"{"rules":[]}"#).isUsable)
        #expect(!read("{}").isUsable)
    }

    @Test func `a file with too many rules is refused`() {
        let rule = RuleExamples.then(#"{"publish":1}"#)
        let file = read("[" + Array(repeating: rule, count: 5_001).joined(separator: ",") + "]")
        #expect(file.problems.map(\.code) == ["invalid_value"])
    }

    @Test func `each form cut off at each byte is read or refused`() {
        for text in RuleExamples.all + ["[\(RuleExamples.kii)]"] {
            let bytes = Array(text.utf8)
            for end in bytes.indices {
                let file = RuleFile("f", json: Array(bytes[..<end]))
                #expect(file.entries.isEmpty)
                #expect(!file.isUsable)
            }
        }
    }

    @Test func `any bytes are read or refused`() throws {
        var fuzz = Fuzz(seed: 7, corpus: RuleExamples.all + ["[\(RuleExamples.all.joined(separator: ","))]"])
        for _ in 0..<Fuzz.count / 16 {
            let bytes = fuzz.next()
            for entry in RuleFile("f", json: bytes, thing: "a").entries {
                let rule = entry.rule.rule
                #expect(try RuleReader().read(.object(rule.json)).rule == rule, "\(rule.json)")
                _ = rule.sentence
                _ = rule.uses
            }
            // Values that a number cannot hold.
            guard let json = try? JSONValue(parsing: bytes, keepsHugeNumbers: true) else { continue }
            _ = try? RuleReader().read(json)
        }
    }
}
