import JSON
import Rules
import SeededRandom
import Testing
import Things

/// The command line.
struct RuleOptionsTests {
    private func options(_ change: (inout RuleOptions) -> Void) -> RuleOptions {
        var options = RuleOptions()
        options.thing = "lamp"
        options.when = ["on"]
        options.steps = [.set("level=1")]
        change(&options)
        return options
    }

    @Test(arguments: [
        ("brightness>=0.5", #"{"type":"range","field":"brightness","lowerLimit":0.5}"#),
        ("brightness>=80%", #"{"type":"range","field":"brightness","lowerLimit":0.8}"#),
        ("brightness == 50 %", #"{"type":"eq","field":"brightness","value":0.5}"#),
        ("humidity==50%", #"{"type":"eq","field":"humidity","value":"50%"}"#),
        ("t > -3", #"{"type":"range","field":"t","lowerLimit":-3,"lowerIncluded":false}"#),
        ("t<=1e3", #"{"type":"range","field":"t","upperLimit":1000}"#),
        ("t<5", #"{"type":"range","field":"t","upperLimit":5,"upperIncluded":false}"#),
        ("mode==eco", #"{"type":"eq","field":"mode","value":"eco"}"#),
        ("on==true", #"{"type":"eq","field":"on","value":true}"#),
        (#"mode=="1""#, #"{"type":"eq","field":"mode","value":"1"}"#),
        ("mode!=a=b", #"{"type":"not","clause":{"type":"eq","field":"mode","value":"a=b"}}"#),
    ])
    func `a comparison is a clause`(text: String, clause: String) throws {
        let rule = try options { $0.when = [text] }.rule().rule
        let expected =
            #"{"when":[{"on":"state","thing":"lamp","clause":\#(clause)}],"then":[{"set":{"level":1},"target":"thing:lamp"}]}"#
        #expect(try rule == RuleExamples.read(expected).rule)
    }

    @Test(arguments: [
        "", "=", ">=", "t>", ">=3", "t=3", "t>=x", "t=>3", "t>=true", "t>=80%", "brightness>101%",
        "brightness>=x%",
    ])
    func `another comparison is refused`(text: String) {
        let refusal = #expect(throws: Refusal.self) { try options { $0.when = [text] }.rule() }
        #expect(refusal?.field == "--when", "\(refusal?.message ?? "")")
    }

    @Test(arguments: [
        ("08:00-20:00", "08:00:00", "20:00:00"), ("22:00:30-06:00", "22:00:30", "06:00:00"),
        ("sunset-sunrise", "sunset", "sunrise"), ("sunset-01:00-06:00", "sunset-01:00:00", "06:00:00"),
        ("22:00-sunrise-01:00", "22:00:00", "sunrise-01:00:00"),
        ("sunset+00:30-sunrise+00:10", "sunset+00:30:00", "sunrise+00:10:00"),
    ])
    func `a range of times is a condition`(text: String, from: String, until: String) throws {
        let json = try options { $0.between = [text] }.json()
        #expect(
            json["if"] == [["during": ["startTimeEachDay": .string(from), "endTimeEachDay": .string(until)]]]
        )
    }

    @Test func `all options together`() throws {
        var all = RuleOptions()
        all.title = "All"
        all.pause = "60"
        all.missed = "run"
        all.thing = "meter"
        all.when = ["power>100", "status"]
        all.hold = nil
        all.device = ["on_connection_lost"]
        all.threshold = "600"
        (all.start, all.end, all.days) = ("08:00", "sunset", "1,7")
        all.cron = ["0 7 * * 1-5"]
        all.once = ["2030-01-01T08:00:00Z", "1893484800000"]
        all.enter = ["zone:kitchen", "geo:52.5,13.4,100"]
        all.exit = ["beacon:id1: 0x2f234454cf6d4a0fadf2"]
        (all.near, all.far) = (["lamp"], ["lamp"])
        (all.level) = ["Active"]
        #expect(throws: Refusal.self) { try all.rule() }
        all.near = []
        all.steps = [
            .target("zone:kitchen"), .action("blink"), .ceiling("LIMITED"), .ceiling("null"),
            .notify("user:alice"), .notify("a@b.c"),
            .notify("sms:+49 30 1"),
        ]
        (all.channels, all.text) = (["email"], "{why}")
        all.enter = ["zone:kitchen"]
        all.once = []
        let rule = try all.rule().rule
        #expect(rule.triggers.count == 9)
        #expect(rule.actions.count == 6)
        #expect(rule.title == "All")
        #expect(
            rule.actions.map(\.work).suffix(2) == [
                .notify(RuleNotification(to: [.email("a@b.c")], by: [.email], text: RuleText("{why}"))),
                .notify(RuleNotification(to: [.sms("+49 30 1")], by: [.email], text: RuleText("{why}"))),
            ]
        )
    }

    @Test func `values beside each other are set at once`() throws {
        let steps: [RuleOptions.Step] = [
            .set("on=true"), .set("level=0.4"), .set("on=false"), .set("end:on=false"), .set("end:color=red"),
            .action("range:blink"),
            .set("url=a=b"),
        ]
        let json = try options {
            $0.when = []
            ($0.start, $0.end) = ("08:00", "09:00")
            $0.steps = steps
        }.json()
        let lamp: JSONValue = "thing:lamp"
        #expect(
            json["then"] == [
                ["set": ["on": true, "level": 0.4], "target": lamp], ["set": ["on": false], "target": lamp],
                ["set": ["on": false, "color": "red"], "target": lamp, "at": "end"],
                ["action": "blink", "target": lamp, "at": "range"], ["set": ["url": "a=b"], "target": lamp],
            ]
        )
    }

    @Test func `what is driven is for the targets before it`() throws {
        let json = try options {
            $0.steps = [
                .target("table-lamp"), .set("on=false"), .target("desk-lamp"), .target("zone:hall"),
                .set("on=true"), .set("color=red"), .notify("user:a"), .action("blink"),
            ]
        }.json()
        let values: JSONValue = ["on": true, "color": "red"]
        #expect(
            json["then"] == [
                ["set": ["on": false], "target": "thing:table-lamp"],
                ["set": values, "target": "thing:desk-lamp"], ["set": values, "target": "zone:hall"],
                ["notify": ["user:a"]], ["action": "blink", "target": "thing:desk-lamp"],
                ["action": "blink", "target": "zone:hall"],
            ]
        )
    }

    @Test func `what is published is JSON or a text`() throws {
        let json = try options {
            $0.when = []
            ($0.start, $0.end) = ("08:00", "09:00")
            $0.steps = [.publish(#"{"a":[1]}"#), .publish("end:all quiet")]
        }.json()
        #expect(json["then"] == [["publish": ["a": [1]]], ["publish": "all quiet", "at": "end"]])
    }

    @Test(arguments: [
        ("1,7", [1, 7]), ("Mon,Tue", [2, 3]), ("2-6", [2, 3, 4, 5, 6]), ("fri-sun,1", [6, 7, 1]),
        ("wed", [4]),
    ])
    func `days are numbers or names`(text: String, days: [Int]) throws {
        let json = try options {
            ($0.when, $0.start, $0.days) = ([], "08:00", text)
        }.json()
        let expected = JSONValue.array(days.map { JSONValue($0) })
        #expect(json["when"]?.array?.first?["daysOfWeek"] == expected)
    }

    @Test func `a schedule has a first and a last date`() throws {
        let rule = try options {
            ($0.when, $0.start) = ([], "08:00")
            ($0.from, $0.until) = ("2026-12-20", "2027-01-06")
        }.rule().rule
        guard case .time(let trigger)? = rule.triggers.first, case .schedule(let schedule) = trigger.due
        else {
            Issue.record("it is no schedule")
            return
        }
        #expect(schedule.startDate?.description == "2026-12-20")
        #expect(schedule.endDate?.description == "2027-01-06")
    }

    private static let beacon = "beacon:id1: 0x2f234454cf6d4a0fadf2"

    @Test func `a beacon has how strongly it must be heard, and when it is out`() throws {
        let json = try options {
            ($0.enter, $0.exit) = (["zone:kitchen", Self.beacon], [Self.beacon])
            ($0.rssi, $0.gone) = ("-65", "10")
        }.json()
        let text: JSONValue = "id1: 0x2f234454cf6d4a0fadf2"
        #expect(
            json["when"]?.array?.suffix(3) == [
                ["on": "enter", "zone": "kitchen"],
                ["on": "enter", "beacon": text, "rssi": -65, "gone": 10],
                ["on": "exit", "beacon": text, "rssi": -65, "gone": 10],
            ]
        )
    }

    private static let wrong: [(String, @Sendable (inout RuleOptions) -> Void)] = [
        (
            "--when",
            {
                $0.thing = nil; $0.steps.append(.target("a"))
            }
        ), ("--edge", { $0.edge = "falling" }), ("--edge", { $0.edge = "rising" }),
        (
            "--for",
            {
                $0.when = ["t>1"]; $0.hold = "-1"
            }
        ), ("--for", { $0.hold = "x" }),
        (
            "--for",
            {
                $0.when = []; $0.hold = "5"
            }
        ),
        (
            "--margin",
            {
                $0.when = ["t==1"]; $0.margin = "5"
            }
        ), ("--device", { $0.device = ["lost"] }),
        ("--threshold", { $0.threshold = "400" }),
        (
            "--threshold",
            {
                $0.device = ["ip_change"]; $0.threshold = "4"
            }
        ),
        ("--start", { $0.start = "8:00" }), ("--end", { $0.end = "08:00" }),
        (
            "--end",
            {
                $0.start = "08:00"; $0.end = "25"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "0"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "1,,2"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "mon-fri-sun"
            }
        ),
        ("--cron", { $0.cron = ["* *"] }), ("--once", { $0.once = ["tomorrow"] }),
        ("--missed", { $0.missed = "run" }),
        (
            "--missed",
            {
                $0.cron = ["0 7 * * *"]; $0.missed = "maybe"
            }
        ),
        ("--enter", { $0.enter = ["kitchen"] }), ("--enter", { $0.enter = ["geo:1,2"] }),
        ("--enter", { $0.enter = ["geo:91,2,50"] }),
        ("--exit", { $0.exit = ["beacon:x"] }), ("--exit", { $0.exit = ["zone:"] }),
        ("--rssi", { $0.rssi = "-65" }), ("--gone", { $0.gone = "10" }),
        ("--rssi", { ($0.enter, $0.rssi) = (["zone:kitchen"], "-65") }),
        ("--rssi", { ($0.enter, $0.rssi) = ([RuleOptionsTests.beacon], "loud") }),
        ("--rssi", { ($0.enter, $0.rssi) = ([RuleOptionsTests.beacon], "-300") }),
        ("--gone", { ($0.exit, $0.gone) = ([RuleOptionsTests.beacon], "5") }),
        ("--near", { $0.near = [""] }),
        ("--level", { $0.level = ["x"] }), ("--between", { $0.between = ["08:00"] }),
        ("--between", { $0.between = ["08:00-20"] }),
        ("--set", { $0.steps = [.set("on")] }), ("--set", { $0.steps = [.set("=1")] }),
        ("--set", { $0.steps = [.set("end:on=1")] }),
        ("--target", { $0.steps.append(.target("planet:x")) }),
        ("--target", { $0.steps = [.target("a"), .set("on=1"), .target("b")] }),
        ("--from", { $0.from = "2026-12-20" }), ("--until", { $0.until = "2026-12-20" }),
        (
            "--from",
            {
                $0.start = "08:00"; $0.from = "20.12.2026"
            }
        ),
        (
            "--until",
            {
                $0.start = "08:00"; $0.from = "2026-12-20"; $0.until = "2026-12-19"
            }
        ),
        ("--publish", { $0.steps = [.publish("{\"a\":")] }),
        ("--publish", { $0.steps = [.publish("null")] }),
        (
            "--target",
            {
                $0.steps = [.notify("user:a"), .target("x")]
            }
        ),
        ("--ceiling", { $0.steps = [.ceiling("HIGH")] }), ("--notify", { $0.steps = [.notify("alice")] }),
        ("--channel", { $0.channels = ["email"] }),
        (
            "--channel",
            {
                $0.steps = [.notify("user:a")]; $0.channels = ["fax"]
            }
        ),
        ("--text", { $0.text = "x" }),
        (
            "--text",
            {
                $0.steps = [.notify("user:a")]; $0.text = "{x}"
            }
        ),
        ("--title", { $0.title = " " }), ("--pause", { $0.pause = "x" }), ("--pause", { $0.pause = "-1" }),
    ]

    @Test func `a refusal names the option`() {
        for (index, (option, change)) in Self.wrong.enumerated() {
            let refusal = #expect(throws: Refusal.self) { try options(change).rule() }
            #expect(refusal?.field == option, "\(index): \(refusal?.message ?? "")")
            #expect(refusal?.message.hasPrefix(option) == true, "\(index): \(refusal?.message ?? "")")
        }
    }

    private static let given:
        [(option: String, value: String, change: @Sendable (inout RuleOptions) -> Void)] =
            [
                ("--start", "25:00", { $0.start = "25:00" }),
                ("--start", "23:60:00", { $0.start = "23:60:00" }),
                ("--end", "24:00", { ($0.start, $0.end) = ("08:00", "24:00") }),
                ("--from", "20.12.2026", { ($0.start, $0.from) = ("08:00", "20.12.2026") }),
                ("--cron", "0 7 * *", { $0.cron = ["0 7 * *"] }),
                ("--once", "tomorrow", { $0.once = ["tomorrow"] }),
                ("--enter", "x", { $0.enter = ["beacon:x"] }), ("--level", "high", { $0.level = ["high"] }),
                ("--for", "-1", { ($0.when, $0.hold) = (["t>1"], "-1") }),
                ("--pause", "-1", { $0.pause = "-1" }),
            ]

    @Test func `a refusal has the value as it was given, and no member of JSON`() {
        for (option, value, change) in Self.given {
            let refusal = #expect(throws: Refusal.self) { try options(change).rule() }
            let message = refusal?.message ?? ""
            #expect(message.hasPrefix(option) && message.contains(value), "\(message)")
            for word in ["when[", "then[", "EachDay", "Date"] {
                #expect(!message.contains(word), "\(message)")
            }
        }
    }

    @Test(
        arguments: [
            (
                "when[2].at must be in the future, is 2020", "when[2].at",
                "--once must be in the future, is 2020"
            ),
            ("when[0].thing: there is no thing \"x\"", "when[0].thing", "--thing: there is no thing \"x\""),
            ("when[1].threshold is wrong", "when[1].threshold", "--threshold is wrong"),
            ("there is no zone \"x\"", "then[1].target", "--target: there is no zone \"x\""),
            // What is before the first target is for the thing.
            ("then[0].target: no", "then[0].target", "--thing: no"),
            ("on must be ON or OFF", "then[0]", "--set: on must be ON or OFF"),
            ("timeZone: unknown", "when[2]", "--once: timeZone: unknown"),
            ("when has too many", "when", "--when, --device and --once has too many"),
            ("too large", nil, "too large"), ("as is wrong", "as", "as is wrong"),
        ] as [(String, String?, String)]
    )
    func `what is found later is told of the option, too`(message: String, field: String?, told: String) {
        let all = options {
            ($0.when, $0.once, $0.device) = (["on"], ["2020-01-01T00:00:00Z"], ["on_connect"])
            ($0.threshold, $0.steps) = ("300", [.set("on=1"), .target("zone:x"), .set("on=0")])
        }
        #expect(all.sentence(message, about: field) == told)
    }

    @Test func `too many parts are told of the options that they come from`() {
        let refusal = #expect(throws: Refusal.self) {
            try options { $0.cron = Array(repeating: "0 7 * * *", count: 10) }.rule()
        }
        #expect(refusal?.message.hasPrefix("--when and --cron must be a list of 1 to 10") == true)
    }

    @Test func `dates that contradict each other are named as options`() {
        let refusal = #expect(throws: Refusal.self) {
            try options { ($0.start, $0.from, $0.until) = ("08:00", "2026-12-20", "2026-12-19") }.rule()
        }
        #expect(
            refusal?.message
                == "--until must not be before --from, which is 2026-12-20; is 2026-12-19"
        )
    }

    @Test func `nothing to start it or to do is refused`() {
        #expect(throws: Refusal.self) { try options { $0.when = [] }.rule() }
        #expect(throws: Refusal.self) { try options { $0.steps = [] }.rule() }
    }

    @Test func `any words are read or refused`() {
        let corpus = [
            "brightness>=0.5", "sunset-01:00-06:00", "geo:52.5,13.4,100",
            "beacon:id1: 0x2f234454cf6d4a0fadf2",
            "end:on=false", "range:a={\"b\":[1]}", "user:alice", "sms:+49", "2030-01-01T08:00:00Z", "1,7",
            "null",
        ]
        var fuzz = Fuzz(seed: 9, corpus: corpus)
        for _ in 0..<Fuzz.count / 20 {
            let text = String(decoding: fuzz.next(), as: UTF8.self)
            _ = try? options {
                $0.when = [text]
                $0.between = [text]
            }.rule()
            for step in [
                RuleOptions.Step.set(text), .action(text), .ceiling(text), .notify(text), .publish(text),
            ] {
                _ = try? options { $0.steps = [.target(text), step] }.rule()
            }
            _ = try? options { ($0.cron, $0.once, $0.enter) = ([text], [text], [text]) }.rule()
            _ = try? options { ($0.exit, $0.level, $0.device) = ([text], [text], [text]) }.rule()
            _ = try? options { ($0.start, $0.days, $0.title) = (text, text, text) }.rule()
            _ = try? options { ($0.enter, $0.rssi, $0.gone) = ([Self.beacon], text, text) }.rule()
            _ = try? options { ($0.hold, $0.pause, $0.from) = (text, text, text) }.rule()
        }
    }
}
