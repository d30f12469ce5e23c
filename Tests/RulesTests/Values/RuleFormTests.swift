import Bindings
import Flare
import JSON
import Rules
import Testing
import Things

/// The forms of others.
struct RuleFormTests {
    @Test func `each form is known by its members and given back in ours`() throws {
        let forms: [RuleForm] = [
            .rule, .trigger, .schedule, .automation, .propertyNotification, .deviceNotification,
        ]
        for (text, form) in zip(RuleExamples.all, forms) {
            let read = try RuleExamples.read(text)
            #expect(read.form == form)
            #expect(read.warnings.isEmpty, "\(form): \(read.warnings)")
            #expect(try RuleReader().read(.object(read.rule.json)).rule == read.rule)
        }
    }

    @Test func `the first mark that fits decides`() throws {
        func form(_ text: String) throws -> String {
            let refusal = #expect(throws: Refusal.self) { try RuleExamples.read(text) }
            return refusal?.message ?? ""
        }
        #expect(try form(#"{"when":[],"predicate":{}}"#).hasPrefix("when"))
        #expect(try form(#"{"predicate":{},"startTimeEachDay":"08:00:00"}"#).hasPrefix("command"))
        #expect(
            try form(#"{"time_before_end":"00:10:00","triggerType":"always"}"#).contains("endTimeEachDay")
        )
        #expect(try form(#"{"triggerType":"always","notificationType":"x"}"#).hasPrefix("thing"))
        #expect(
            try form(#"{"notification":{"notification_type":"x","thing":"a"}}"#).hasPrefix(
                "notification.notification_type"
            )
        )
        #expect(
            try form(#"{"schedule":"0 7 * * *"}"#).hasPrefix("a rule must have when, or one of predicate")
        )
    }

    // MARK: Kii

    @Test func `a trigger of Kii's states sends its command`() throws {
        let rule = try RuleExamples.read(RuleExamples.kii, thing: "radiator").rule
        let clause = StateClause.and([.equals("power", true), .not(.equals("color", 0))])
        #expect(rule.title == "Kii")
        #expect(rule.description == "Of an app")
        #expect(rule.triggers == [.state(StateTrigger(.thing("radiator"), .clause(clause), edge: .changes))])
        let request = CommandRequest(
            [CommandAction("turnPower", ["power": true]), CommandAction("setBrightness", 90)],
            schema: "lamp",
            schemaVersion: 2,
            metadata: ["a": 1]
        )
        let command = RuleCommand(request, issuer: "user:alice")
        #expect(rule.actions == [RuleAction(.drive(.command(command), .thing(.thing("fan"))))])
    }

    @Test func `Kii's thing is the one that is asked, else the command's`() throws {
        func things(_ command: String, _ rest: String, thing: String?) throws -> [String] {
            let condition = #"{"type":"eq","field":"f","value":1}"#
            let text =
                #"{"predicate":{"eventSource":"states","condition":\#(condition)},"command":{"actions":[{"a":1}]\#(command)}\#(rest)}"#
            let uses = try RuleExamples.read(text, thing: thing).rule.uses
            return uses.reads.map(\.thing.text) + uses.writes.map(\.target.text)
        }
        let target = #","target":"thing:th.0123""#
        #expect(try things(target, "", thing: nil) == ["th.0123", "thing:th.0123"])
        #expect(try things(target, "", thing: "b") == ["b", "thing:th.0123"])
        #expect(try things(target, #","thing":"c""#, thing: "b") == ["c", "thing:th.0123"])
        #expect(try things("", "", thing: "b") == ["b", "thing:b"])
        #expect(throws: Refusal.self) { try things("", "", thing: nil) }
        #expect(throws: Refusal.self) { try things(#","target":"zone:z""#, "", thing: "b") }
    }

    @Test func `Kii's schedules are cron and once`() throws {
        func read(_ predicate: String) throws -> [RuleTrigger] {
            let text = #"{"predicate":\#(predicate),"command":{"actions":[{"a":1}]},"disabled":true}"#
            let rule = try RuleExamples.read(text, thing: "a").rule
            #expect(!rule.isEnabled)
            return rule.triggers
        }
        #expect(
            try read(#"{"eventSource":"SCHEDULE","schedule":"0 12 1 * *"}"#)
                == [.time(TimeTrigger(.cron(CronExpression("0 12 1 * *", at: ""))))]
        )
        #expect(
            try read(#"{"eventSource":"SCHEDULE_ONCE","scheduleAt":1893484800000}"#)
                == [.time(TimeTrigger(.once(1_893_484_800_000), missed: .run))]
        )
    }

    @Test(arguments: [
        (#"{"predicate":{"eventSource":"X"},"command":{"actions":[{"a":1}]}}"#, "predicate.eventSource"),
        (#"{"predicate":{"eventSource":"STATES"},"command":{"actions":[{"a":1}]}}"#, "predicate.condition"),
        (#"{"predicate":{"eventSource":"SCHEDULE"},"command":{"actions":[{"a":1}]}}"#, "predicate.schedule"),
        (
            #"{"predicate":{"eventSource":"SCHEDULE_ONCE"},"command":{"actions":[{"a":1}]}}"#,
            "predicate.scheduleAt"
        ),
        (
            #"{"predicate":{"eventSource":"SCHEDULE","schedule":"0 7 * * *"},"command":{"actions":[]}}"#,
            "command.actions"
        ),
        (
            #"{"predicate":{"eventSource":"SCHEDULE","schedule":"0 7 * * *"},"triggersWhat":"SERVER_CODE","serverCode":{}}"#,
            "triggersWhat"
        ),
        (#"{"predicate":{"eventSource":"SCHEDULE","schedule":"0 7 * * *"}}"#, "command"),
        (#"{"predicate":7,"command":{}}"#, "predicate"),
    ])
    func `what Kii's form cannot say is refused`(text: String, field: String) {
        let refusal = #expect(throws: Refusal.self) { try RuleExamples.read(text, thing: "a") }
        #expect(refusal?.field == field, "\(refusal?.message ?? "")")
    }

    // MARK: Ayla's schedules

    @Test func `an Ayla schedule sets its properties`() throws {
        let rule = try RuleExamples.read(RuleExamples.ayla).rule
        #expect(rule.title == "Evening")
        #expect(rule.isEnabled)
        let members = rule.triggers.first?.schedule?.members
        #expect(members?["daysOfWeek"] == [2, 3, 4])
        #expect(members?["startDate"] == nil)
        #expect(members?["daysOfMonth"] == nil)
        let lamp = RuleTarget.thing(.thing("lamp"))
        #expect(
            rule.actions == [
                RuleAction(.drive(.set(["Blue_LED": true]), lamp)),
                RuleAction(.drive(.set(["level": 40]), lamp), at: .range),
                RuleAction(.drive(.set(["Blue_LED": false]), lamp), at: .end),
            ]
        )
    }

    @Test(arguments: [
        (#"{"name":"a","value":1,"atStart":true,"atEnd":true}"#, [RuleAction.Timing.start, .end]),
        (#"{"name":"a","value":1,"atStart":true,"inRange":true}"#, [.range]),
        (#"{"name":"a","value":1}"#, [.start]),
    ])
    func `each time of an Ayla action is an action`(action: String, timings: [RuleAction.Timing]) throws {
        let text = #"{"startTimeEachDay":"08:00:00","duration":60,"name":"n","scheduleActions":[\#(action)]}"#
        #expect(try RuleExamples.read(text, thing: "a").rule.actions.map(\.timing) == timings)
    }

    @Test(arguments: [
        (#"[]"#, "scheduleActions"), (#"[{"name":"a","value":1,"active":false}]"#, "scheduleActions"),
        (#"[{"name":"a","value":1,"atEnd":true}]"#, "scheduleActions[0].atEnd"),
        (#"[{"value":1}]"#, "scheduleActions[0].name"), (#"[{"name":"a"}]"#, "scheduleActions[0].value"),
        (#"[{"name":"a","value":{}}]"#, "scheduleActions[0].value"),
        (
            #"[{"schedule_action":{"name":"a","value":"x","base_type":"integer"}}]"#,
            "scheduleActions[0].schedule_action.value"
        ),
        (#"[{"name":"a","value":2,"baseType":"boolean"}]"#, "scheduleActions[0].value"),
        ("7", "scheduleActions"),
    ])
    func `an Ayla action that cannot be done is refused`(actions: String, field: String) {
        let text = #"{"startTimeEachDay":"08:00:00","name":"n","scheduleActions":\#(actions)}"#
        let refusal = #expect(throws: Refusal.self) { try RuleExamples.read(text, thing: "a") }
        #expect(refusal?.field == field, "\(refusal?.message ?? "")")
    }

    @Test func `a long name of another form is cut`() throws {
        let name = String(repeating: "é", count: 80)
        let text =
            #"{"startTimeEachDay":"08:00:00","displayName":"\#(name)","scheduleActions":[{"name":"a","value":1}]}"#
        let read = try RuleExamples.read(text, thing: "a")
        #expect(read.rule.title.count == 50)
        #expect(read.warnings.map(\.path) == ["displayName"])
    }

    // MARK: AMAP

    @Test func `a location automation has the circle of its file`() throws {
        let rule = try RuleExamples.read(RuleExamples.automation).rule
        let circle = RuleCircle(centre: GeoPoint(latitude: 52.5, longitude: 13.4), radius: 150)
        #expect(rule.triggers == [.enter(.circle(circle))])
        #expect(!rule.isEnabled)
        #expect(
            rule.actions.map(\.work) == [
                .drive(.set(["on": true]), .thing(.thing("lamp"))),
                .drive(.set(["level": 3]), .thing(.thing("lamp"))),
            ]
        )
    }

    @Test(arguments: [
        (#""id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e id2: 1 id3: 2""#, "[]"),
        (#""B1""#, #"[{"uuid":"b1","beaconId":"id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e id2: 1 id3: 2"}]"#),
        (
            #""B1""#,
            #"[{"id":"B1","proximityUUID":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}]"#
        ),
        (
            #""F7826DA6-4FA2-4E98-8024-BC5B71E0893E""#,
            #"[{"uuid":"f7826da6-4fa2-4e98-8024-bc5b71e0893e","major":1,"minor":2}]"#
        ),
    ])
    func `a beacon automation has the beacon of its file, or its own`(uuid: String, beacons: String) throws {
        let text =
            #"{"triggerUUID":\#(uuid),"triggerType":"TriggerTypeBeaconExit","actions":[{"device":"a","property":"p","value":1}],"beacons":\#(beacons)}"#
        let name = BeaconName("id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e id2: 1 id3: 2")
        let beacon = try #require(name.map { RuleBeacon($0) })
        #expect(try RuleExamples.read(text).rule.triggers == [.exit(.beacon(beacon))])
    }

    @Test(arguments: [
        (
            #"{"triggerUUID":"X","triggerType":"TriggerTypeGeofenceExit","actions":[{"device":"a","property":"p","value":1}]}"#,
            "triggerUUID"
        ),
        (
            #"{"triggerUUID":"X","triggerType":"TriggerTypeBeaconEnter","actions":[{"device":"a","property":"p","value":1}]}"#,
            "triggerUUID"
        ),
        (#"{"triggerUUID":"X","triggerType":"Other","actions":[]}"#, "triggerType"),
        (
            #"{"triggerUUID":"X","triggerType":"TriggerTypeGeofenceExit","locations":[{"uuid":"X","latitude":99,"longitude":0,"radius":50}]}"#,
            "locations.X.latitude"
        ),
        (
            #"{"triggerUUID":"b1","triggerType":"TriggerTypeBeaconEnter","actions":[{"device":"a","property":"p","value":1}],"beacons":[{"uuid":"b1","beaconId":"id1: 0x2f234454cf6d4a0fadf2 id2: 0xf49100010002"}]}"#,
            "beacons.b1.beaconId"
        ),
        (
            #"{"triggerUUID":"id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e","triggerType":"TriggerTypeBeaconEnter","actions":["17"]}"#,
            "actions[0]"
        ),
        (
            #"{"triggerUUID":"id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e","triggerType":"TriggerTypeBeaconEnter"}"#,
            "actions"
        ),
    ])
    func `an automation of no place is refused`(text: String, field: String) {
        let refusal = #expect(throws: Refusal.self) { try RuleExamples.read(text) }
        #expect(refusal?.field == field, "\(refusal?.message ?? "")")
    }

    // MARK: Notifications

    @Test func `a property notification tells people`() throws {
        let rule = try RuleExamples.read(RuleExamples.property).rule
        let clause = StateClause.range("room_temp", .init(from: 30))
        #expect(rule.triggers == [.state(StateTrigger(.thing("radiator"), .clause(clause)))])
        #expect(
            rule.actions.map(\.work) == [
                .notify(
                    RuleNotification(
                        to: [.email("dave@example.org")],
                        by: [.email],
                        text: RuleText("It is warm")
                    )
                ),
                .notify(
                    RuleNotification(to: [.contact("7")], by: [.sms], text: RuleText("{thing}: {value}"))
                ),
                .notify(RuleNotification(to: [.sms("+14085551111")], by: [.sms])),
                .notify(RuleNotification(to: [.contact("8")], by: [.push], text: RuleText("warm"))),
            ]
        )
    }

    @Test(arguments: [
        (#""triggerType":"always""#, StateTrigger.Subject.field("p"), StateTrigger.Edge.isTrue),
        (#""triggerType":"on_change""#, .field("p"), .changes),
        (
            #""triggerType":"compare_absolute","compareType":"==","value":"1""#, .clause(.equals("p", 1)),
            .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":"==","value":"1","baseType":"boolean""#,
            .clause(.equals("p", true)), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":"==","value":"1","baseType":"string""#,
            .clause(.equals("p", "1")), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":"==","value":"eco""#,
            .clause(.equals("p", "eco")), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":">","value":"1""#,
            .clause(.range("p", .init(from: 1, including: false))), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":"<","value":1"#,
            .clause(.range("p", .init(including: true, to: 1, including: false))), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":">=","value":"1""#,
            .clause(.range("p", .init(from: 1))), .becomesTrue
        ),
        (
            #""triggerType":"compare_absolute","compareType":"<=","value":"1.5""#,
            .clause(.range("p", .init(to: 1.5))), .becomesTrue
        ),
    ])
    func `a property is compared`(type: String, subject: StateTrigger.Subject, edge: StateTrigger.Edge) throws
    {
        let text =
            #"{\#(type),"property":"p","propertyNickname":"q","thing":"t","deviceNickname":"d","triggerApps":[{"name":"email","contactId":1}]}"#
        #expect(
            try RuleExamples.read(text, thing: "x").rule.triggers == [
                .state(StateTrigger(.thing("t"), subject, edge: edge))
            ]
        )
    }

    @Test func `a device notification has its threshold`() throws {
        let rule = try RuleExamples.read(RuleExamples.device).rule
        #expect(rule.triggers == [.device(DeviceTrigger(.thing("meter"), .connectionLost, threshold: 600))])
        #expect(
            rule.actions.map(\.work) == [
                .notify(RuleNotification(to: [.contact("8")], by: [.push], text: RuleText("gone"))),
                .notify(
                    RuleNotification(
                        to: [.email("a@example.org")],
                        by: [.email],
                        subject: RuleText("Lost"),
                        text: RuleText("gone")
                    )
                ),
            ]
        )
    }

    @Test(arguments: [
        (#"{"name":"fax","contactId":1}"#, "triggerApps[0].name"),
        (#"{"name":"email"}"#, "triggerApps[0].contactId"),
        (#"{"name":"sms","param1":"49"}"#, "triggerApps[0].contactId"),
        (#"{"name":"push_ios","param1":"token"}"#, "triggerApps[0].contactId"),
        (#"{"name":"email","param1":"a@b.c\r\nBcc: d@e.f"}"#, "triggerApps[0].param1"),
        (#"{"name":"sms","param1":"49\n","param2":"123"}"#, "triggerApps[0].param1"),
        (#"{"name":"sms","phoneNumber":"x"}"#, "triggerApps[0].phoneNumber"),
        (#"{"name":"email","contactId":{}}"#, "triggerApps[0].contactId"),
        (#"{"name":"email","contactId":1,"message":"{oops}"}"#, "triggerApps[0].message"),
        (#"{"name":"email","contactId":1,"email_subject":"a\nb"}"#, "triggerApps[0].email_subject"),
        (#"{"trigger_app":7}"#, "triggerApps[0].trigger_app"),
    ])
    func `an app that reaches nobody is refused`(app: String, field: String) {
        let text = #"{"triggerType":"always","property":"p","thing":"t","triggerApps":[\#(app)]}"#
        let refusal = #expect(throws: Refusal.self) { try RuleExamples.read(text) }
        #expect(refusal?.field == field, "\(refusal?.message ?? "")")
    }
}

/// Kii's form as an answer.
struct KiiTriggerTests {
    @Test func `a trigger is answered as it was sent`() throws {
        let sent = try JSONValue(parsing: RuleExamples.kii).object ?? [:]
        let read = try RuleReader(thing: "radiator").read(.object(sent)).rule
        var answer = sent
        answer["disabled"] = false
        #expect(read.kiiTrigger(issuer: "user:bob") == answer)
        let again = try RuleReader(thing: "radiator").read(
            .object(read.kiiTrigger(issuer: "user:bob") ?? [:])
        )
        #expect(again.rule == read)
    }

    @Test func `what Kii's form can say is read from it again`() throws {
        for seed in UInt64(0)..<500 {
            var random = RandomRule(seed: seed)
            let rule = try random.rule()
            guard let trigger = rule.kiiTrigger(issuer: "user:bob") else { continue }
            let read = try RuleReader(thing: "radiator").read(.object(trigger))
            #expect(read.form == .trigger)
            #expect(read.rule.title == rule.title)
            #expect(read.rule.isEnabled == rule.isEnabled)
            #expect(read.rule.actions.count == 1)
        }
    }

    @Test func `a rule with conditions is no trigger of Kii's`() throws {
        #expect(try RuleExamples.read(RuleExamples.tooWarm).rule.kiiTrigger(issuer: "user:a") == nil)
    }
}
