import Controller
import JSON
import Rules
import Testing
import Things

/// Our own form.
struct RuleReaderTests {
    @Test func `the example of the contract is read`() throws {
        let read = try RuleExamples.read(RuleExamples.tooWarm)
        #expect(read.rule.title == "Too warm")
        #expect(read.rule.isEnabled)
        #expect(read.rule.triggers.count == 1)
        #expect(read.rule.conditions.count == 1)
        #expect(read.rule.actions.count == 2)
        #expect(read.form == .rule)
        #expect(read.warnings.isEmpty)
        #expect(!read.rule.isScheduled)
    }

    @Test func `names may be in snake case`() throws {
        let snake = try RuleExamples.read(
            #"""
            {"when":[{"on":"schedule","start_time_each_day":"08:00:00","days_of_week":[1],"time_zone":"Europe/Berlin"},
             {"on":"state","thing":"a","clause":{"type":"range","field":"lower_limit","lower_limit":1,"lower_included":false}}],
             "then":[{"command":{"actions":[{"a_b":1}],"schema_version":3},"target":"thing:a"}]}
            """#
        )
        let camel = try RuleExamples.read(
            #"""
            {"when":[{"on":"schedule","startTimeEachDay":"08:00:00","daysOfWeek":[1],"timeZone":"Europe/Berlin"},
             {"on":"state","thing":"a","clause":{"type":"range","field":"lower_limit","lowerLimit":1,"lowerIncluded":false}}],
             "then":[{"command":{"actions":[{"a_b":1}],"schemaVersion":3},"target":"thing:a"}]}
            """#
        )
        #expect(snake.rule == camel.rule)
        #expect(snake.warnings.isEmpty)
    }

    @Test func `an unknown member is named and kept`() throws {
        let read = try RuleExamples.read(
            #"""
            {"whn":1,"when":[{"on":"near","thing":"a","colour":2}],"if":[{"zone":["z"],"thing":"x"}],
             "then":[{"publish":1,"targt":3},{"notify":[{"email":"a@b.c","name":"n"}]}]}
            """#
        )
        #expect(
            read.warnings.map(\.path) == [
                "whn", "when[0].colour", "if[0].thing", "then[0].targt", "then[1].notify[0].name",
            ]
        )
        #expect(read.warnings.first?.message.contains("did you mean \"when\"?") == true)
        #expect(read.original["whn"] == 1)
    }

    @Test func `at most twenty unknown members are named`() throws {
        var rule = try JSONValue(parsing: RuleExamples.tooWarm).object ?? [:]
        for number in 0..<500 { rule["unknown\(number)"] = true }
        #expect(try RuleReader().read(.object(rule)).warnings.count == RuleLimits.warnings)
    }

    @Test func `a thing may be meant anyway`() throws {
        let text = #"{"when":[{"on":"state","field":"on"}],"then":[{"set":{"on":true}}]}"#
        #expect(throws: Refusal.self) { try RuleExamples.read(text) }
        let rule = try RuleExamples.read(text, thing: "lamp").rule
        #expect(rule.triggers == [.state(StateTrigger(.thing("lamp"), .field("on")))])
        #expect(rule.actions == [RuleAction(.drive(.set(["on": true]), .thing(.thing("lamp"))))])
    }

    @Test func `a rule without a title is called after its trigger`() throws {
        let text =
            #"{"when":[{"on":"state","thing":"radiator","field":"temperature of the living room"}],"then":[{"publish":1}]}"#
        #expect(try RuleExamples.read(text).rule.title == "radiator's temperature of the living room changes")
        let long = text.replacing("radiator", with: "radiator of grandmother")
        #expect(try RuleExamples.read(long).rule.title == "radiator of grandmother's temperature of the")
        #expect(
            try RuleExamples.read(text.replacing("radiator", with: String(repeating: "x", count: 100))).rule
                .title.count == 50
        )
    }

    @Test func `a ceiling of null is no absence`() throws {
        let rule = try RuleExamples.read(RuleExamples.then(#"{"ceiling":null}"#)).rule
        #expect(rule.actions == [RuleAction(.ceiling(nil))])
    }

    @Test(arguments: [
        "active", "Active", "FULL", "full",
    ])
    func `a level has three names`(name: String) throws {
        let rule = try RuleExamples.read(RuleExamples.when(#"{"on":"lifecycle","level":"\#(name)"}"#)).rule
        #expect(rule.triggers == [.level(.active)])
    }

    @Test(arguments: [
        (#""2030-01-01T08:00:00Z""#, 1_893_484_800_000),
        (#""2030-01-01T09:00:00.5+01:00""#, 1_893_484_800_500),
        ("1893484800000", 1_893_484_800_000),
        ("0", 0),
    ])
    func `a time is a text or milliseconds`(text: String, time: Int64) throws {
        let rule = try RuleExamples.read(RuleExamples.when(#"{"on":"once","at":\#(text)}"#)).rule
        #expect(rule.triggers == [.time(TimeTrigger(.once(time)))])
    }

    @Test func `what happens once is to come when the rule is made`() throws {
        let rule = try RuleExamples.read(RuleExamples.when(#"{"on":"once","at":1000}"#)).rule
        #expect(throws: Never.self) { try rule.checkFuture(at: 999) }
        let refusal = #expect(throws: Refusal.self) { try rule.checkFuture(at: 1000) }
        #expect(refusal?.message == "when[0].at must be in the future, is 1970-01-01T00:00:01Z")
    }

    @Test func `seconds of a device have defaults`() {
        #expect(DeviceTrigger(.thing("a"), .connected).seconds == 0)
        #expect(DeviceTrigger(.thing("a"), .addressChanged).seconds == 0)
        #expect(DeviceTrigger(.thing("a"), .connectionLost).seconds == 300)
        #expect(DeviceTrigger(.thing("a"), .connected, threshold: 600).seconds == 600)
    }

    @Test func `a schedule has actions at its end and in its range`() throws {
        let rule = try RuleExamples.read(
            RuleExamples.scheduled(
                #"{"ceiling":"NONE","at":"range"},{"publish":1,"at":"end"},{"publish":2,"at":"start"}"#
            )
        ).rule
        #expect(rule.actions.map(\.timing) == [.range, .end, .start])
        #expect(rule.isScheduled)
    }
}
