import Testing

/// Rules that look at the data of things.
struct ClauseTriggerTests {
    private static let warm =
        #""on":"state","thing":"radiator","clause":{"type":"range","field":"t","lowerLimit":30}"#

    private func rows(_ more: String, _ events: [String], rule: String = Self.warm) throws -> [String] {
        let rules = try SimulatedRules(#"{"when":{\#(rule)\#(more)}}"#)
        let lines = events.map { event in
            let time = event.prefix(5)
            return event.contains("{")
                ? "\(time):00,state,radiator,\(event.dropFirst(6))" : "\(time):00,\(event.dropFirst(6)),,"
        }
        return try rules.rows(lines)
    }

    @Test func `a clause that becomes true fires once`() throws {
        #expect(
            try rows("", [#"01:00 {"t":29}"#, #"01:01 {"t":30}"#, #"01:02 {"t":31}"#])
                == ["01:01:00 state radiator t 29 -> 30"]
        )
    }

    @Test func `a clause that is true at first sight is no edge`() throws {
        #expect(try rows("", [#"01:00 {"t":31}"#, #"01:01 {"t":32}"#]).isEmpty)
    }

    @Test func `a missing field makes no edge, neither to it nor from it`() throws {
        let events = [
            #"01:00 {"t":29}"#, #"01:01 {"t":null}"#, #"01:02 {"t":31}"#, #"01:03 {"t":29}"#,
            #"01:04 {"t":31}"#,
        ]
        #expect(try rows("", events) == ["01:04:00 state radiator t 29 -> 31"])
        #expect(
            try rows(#","edge":"CONDITION_CHANGED""#, events)
                == ["01:03:00 state radiator t 31 -> 29", "01:04:00 state radiator t 29 -> 31"]
        )
    }

    @Test func `a value that is no number makes no edge of a range`() throws {
        let events = [#"01:00 {"t":"off"}"#, #"01:01 {"t":31}"#, #"01:02 {"t":29}"#, #"01:03 {"t":31}"#]
        #expect(try rows("", events) == ["01:03:00 state radiator t 29 -> 31"])
    }

    @Test func `a true clause fires at each write`() throws {
        #expect(
            try rows(
                #","edge":"CONDITION_TRUE""#,
                [#"01:00 {"t":31}"#, #"01:01 {"t":31}"#, #"01:02 {"t":1}"#]
            )
                == ["01:00:00 state radiator t null -> 31", "01:01:00 state radiator t 31 -> 31"]
        )
    }

    @Test func `a write of another field does not count`() throws {
        #expect(
            try rows(#","edge":"CONDITION_TRUE""#, [#"01:00 {"t":31}"#, #"01:01 {"u":31}"#])
                == ["01:00:00 state radiator t null -> 31"]
        )
    }

    @Test func `a clause must hold for its time`() throws {
        let events = [
            #"01:00 {"t":29}"#, #"01:01 {"t":31}"#, #"01:05 {"t":29}"#, #"01:06 {"t":32}"#,
            #"01:10 {"t":33}"#,
        ]
        #expect(try rows(#","for":300"#, events) == ["01:11:00 state radiator t 29 -> 32"])
    }

    @Test func `a clause that held long enough fires again only after it was false`() throws {
        let events = [
            #"01:00 {"t":29}"#, #"01:01 {"t":31}"#, #"01:10 {"t":32}"#, #"01:20 {"t":20}"#,
            #"01:21 {"t":31}"#,
        ]
        #expect(
            try rows(#","for":60"#, events)
                == ["01:02:00 state radiator t 29 -> 31", "01:22:00 state radiator t 20 -> 31"]
        )
    }

    @Test func `the time of holding begins again after a restart`() throws {
        let events = [#"01:00 {"t":29}"#, #"01:01 {"t":31}"#, "01:03 stop", "01:04 start"]
        #expect(try rows(#","for":300"#, events) == ["01:09:00 state radiator t null -> 31"])
    }

    @Test func `a margin keeps a clause true until the value is far beyond the limit`() throws {
        let events = [
            #"01:00 {"t":29}"#, #"01:01 {"t":30}"#, #"01:02 {"t":28.5}"#, #"01:03 {"t":30}"#,
            #"01:04 {"t":27.9}"#,
            #"01:05 {"t":29}"#, #"01:06 {"t":30}"#,
        ]
        #expect(
            try rows(#","margin":2"#, events)
                == ["01:01:00 state radiator t 29 -> 30", "01:06:00 state radiator t 29 -> 30"]
        )
    }

    @Test func `truths are remembered over a restart and compared with the first value`() throws {
        let cold = [#"01:00 {"t":29}"#, "01:01 stop", #"01:02 {"t":31}"#, "01:03 start", #"01:04 {"t":32}"#]
        #expect(try rows("", cold) == ["01:03:00 state radiator t null -> 31"])
        let warm = [#"01:00 {"t":29}"#, #"01:01 {"t":31}"#, "01:02 stop", "01:03 start", #"01:04 {"t":32}"#]
        #expect(try rows("", warm) == ["01:01:00 state radiator t 29 -> 31"])
    }

    @Test func `a field fires when its value differs, or at each write`() throws {
        let field = #""on":"state","thing":"radiator","field":"t""#
        let events = [#"01:00 {"t":1}"#, #"01:01 {"t":1.0}"#, #"01:02 {"t":"1"}"#, #"01:03 {"u":1}"#]
        #expect(try rows("", events, rule: field) == [#"01:02:00 state radiator t 1 -> "1""#])
        #expect(
            try rows(#","edge":"CONDITION_TRUE""#, events, rule: field)
                == [
                    "01:00:00 state radiator t null -> 1", "01:01:00 state radiator t 1 -> 1",
                    #"01:02:00 state radiator t 1 -> "1""#,
                ]
        )
    }

    @Test func `two triggers that are met by one write fire a rule once`() throws {
        let rules = try SimulatedRules(
            #"""
            {"when":[{"on":"state","thing":"a","field":"t"},{"on":"state","thing":"a","field":"u"}]}
            """#
        )
        #expect(
            try rules.rows(#"01:00:00,state,a,{"t":1,"u":1}"#, #"01:00:01,state,a,{"t":2,"u":2}"#)
                == ["01:00:01 state a t 1 -> 2"]
        )
    }

    @Test func `rules fire by rising numbers, and each counts its own pause`() throws {
        let rules = try SimulatedRules(
            #"{"when":{"on":"state","thing":"a","field":"t"},"pause":60}"#,
            #"{"when":{"on":"state","thing":"a","field":"t"}}"#
        )
        #expect(
            try rules.rows(
                #"01:00:00,state,a,{"t":1}"#,
                #"01:00:10,state,a,{"t":2}"#,
                #"01:01:09,state,a,{"t":3}"#,
                #"01:01:10,state,a,{"t":4}"#
            ) == [
                "01:00:10 r0 state a t 1 -> 2", "01:00:10 r1 state a t 1 -> 2",
                "01:01:09 r1 state a t 2 -> 3",
                "01:01:10 r0 state a t 3 -> 4", "01:01:10 r1 state a t 3 -> 4",
            ]
        )
    }

    @Test func `all conditions must hold at the moment of the firing`() throws {
        let rules = try SimulatedRules(
            #"""
            {"when":{"on":"state","thing":"a","field":"t"},
             "if":[{"thing":"b","clause":{"type":"eq","field":"on","value":true}},{"level":["LIMITED","FULL"]},
              {"zone":["kitchen","hall"]},{"near":["lamp"]},
              {"during":{"startTimeEachDay":"01:00:00","endTimeEachDay":"02:00:00"}}]}
            """#
        )
        let prepared = [
            #"00:00:01,state,b,{"on":true}"#, "00:00:02,level,,Active", "00:00:03,enter,zone:hall,",
            "00:00:04,near,lamp,", #"00:00:05,state,a,{"t":1}"#, #"00:59:59,state,a,{"t":2}"#,
            #"01:00:00,state,a,{"t":3}"#,
        ]
        #expect(try rules.rows(prepared) == ["01:00:00 state a t 2 -> 3"])
        for broken in [
            #"00:30:00,state,b,{"on":null}"#, "00:30:00,level,,Background", "00:30:00,exit,zone:hall,",
            "00:30:00,far,lamp,",
        ] {
            var events = prepared
            events.insert(broken, at: 5)
            #expect(try rules.rows(events).isEmpty, "\(broken)")
        }
    }
}
