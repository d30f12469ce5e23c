import Controller
import Rules
import Testing

struct RuleUsesTests {
    @Test func `what a rule looks at and drives is listed`() throws {
        let rule = try RuleExamples.read(
            #"""
            {"when":[{"on":"state","thing":"a","clause":{"type":"and","clauses":[{"type":"eq","field":"f","value":1},{"type":"range","field":"g","lowerLimit":1}]}},
              {"on":"enter","zone":"z"},{"on":"exit","geofence":{"latitude":0,"longitude":0,"radius":50}},{"on":"near","thing":"n"},
              {"on":"lifecycle","level":"Active"},{"on":"lifecycle","call":"applicationDidConnect"},{"on":"device","thing":"d","event":"ip_change"}],
             "if":[{"thing":"b","clause":{"type":"eq","field":"h","value":1}},{"zone":["z","y"]},{"near":["n"]},{"level":["Active"]}],
             "then":[{"set":{"on":true,"level":1},"target":"thing:t"},{"action":"x","target":"zone:z"},
              {"command":{"actions":[{"p":1}]},"target":"thing:u"},{"notify":["user:alice","user:alice"]},{"ceiling":"NONE"},{"publish":1}]}
            """#
        ).rule
        let uses = rule.uses
        #expect(
            uses.reads.map { "\($0.thing.text).\($0.field) \($0.starts)" } == [
                "a.f true", "a.g true", "b.h false",
            ]
        )
        #expect(uses.writes.map(\.target.text) == ["thing:t", "zone:z", "thing:u"])
        #expect(uses.writes.map(\.what) == [.values(["level", "on"]), .action("x"), .command(["p"])])
        #expect(uses.writes.allSatisfy { !$0.isScheduled })
        #expect(uses.zones.map(\.text) == ["z", "y"])
        #expect(uses.places.count == 1)
        #expect(uses.nearness.map(\.text) == ["n"])
        #expect(uses.connections.map(\.text) == ["d"])
        #expect(uses.levels == [.active])
        #expect(uses.calls == [.applicationDidConnect])
        #expect(uses.recipients == [.user("alice")])
        #expect(uses.setsCeiling)
        #expect(uses.publishes)
        #expect(uses.looksAtDevices)
    }

    @Test func `a text with the zone looks at the device`() throws {
        for (text, isLooking) in [("{zone}", true), ("{thing} {why}", false)] {
            let rule = try RuleExamples.read(
                #"{"when":[{"on":"state","thing":"a","field":"f"}],"then":[{"notify":["user:alice"],"text":"\#(text)"}]}"#
            ).rule
            #expect(rule.uses.tellsZone == isLooking && rule.uses.looksAtDevices == isLooking)
        }
    }

    @Test func `what a schedule sets is marked`() throws {
        let rule = try RuleExamples.read(RuleExamples.scheduled(#"{"set":{"on":true},"target":"thing:t"}"#))
            .rule
        #expect(rule.uses.writes.map(\.isScheduled) == [true])
        #expect(!rule.uses.looksAtDevices)
    }
}
