import JSON
import Rules
import SeededRandom
import Testing
import Things

/// The command line.
struct RuleOptionsTests {
    func options(_ change: (inout RuleOptions) -> Void) -> RuleOptions {
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

    static let beacon = "beacon:id1: 0x2f234454cf6d4a0fadf2"

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
