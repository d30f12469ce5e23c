import Flare
import Rules
import Testing

/// Rules that are due at times.
struct ScheduleTriggerTests {
    private static let day = #""on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00""#
    private static let actions = #""then":[{"publish":1},{"publish":2,"at":"end"}]"#
    private static let ranged = #""then":[{"publish":1,"at":"range"},{"publish":2,"at":"end"}]"#

    private func rows(
        _ when: String,
        _ more: String = "",
        until: String = "2026-06-02",
        events: String...
    ) throws -> [String] {
        let more = more.isEmpty ? "" : ",\(more)"
        return try SimulatedRules(#"{"when":{\#(when)}\#(more)}"#).rows(until: until, events)
    }

    @Test func `a schedule fires at its start and at its end`() throws {
        #expect(try rows(Self.day, until: "2026-06-03") == ["08:00:00 start", "2026-06-02 08:00:00 start"])
        #expect(try rows(Self.day, Self.actions) == ["08:00:00 start", "10:00:00 end"])
    }

    @Test func `cron fires at its minutes`() throws {
        #expect(
            try rows(#""on":"cron","cron":"30 8,9 * * *""#) == ["08:30:00 cron", "09:30:00 cron"]
        )
    }

    @Test func `a moment fires once and switches its rule off`() throws {
        let once = #"{"on":"once","at":"2026-06-01T08:00:00+02:00"}"#
        let rules = try SimulatedRules(
            #"{"when":[\#(once),{"on":"schedule","startTimeEachDay":"07:00:00"}]}"#
        )
        #expect(try rules.rows(until: "2026-06-03") == ["07:00:00 start", "08:00:00 once"])
        #expect(
            try rules.rows("08:00:00,stop,,", "08:10:00,start,,")
                == ["07:00:00 start", "08:00:00 once"]
        )
    }

    @Test func `the first moment counts, the last does not`() throws {
        let rules = try SimulatedRules(#"{"when":{"on":"schedule","startTimeEachDay":"00:00:00"}}"#)
        #expect(try rules.rows() == ["00:00:00 start"])
    }

    @Test func `two triggers of one time fire a rule once`() throws {
        let rules = try SimulatedRules(
            #"{"when":[{"on":"schedule","startTimeEachDay":"08:00:00"},{"on":"cron","cron":"0 8 * * *"}]}"#
        )
        #expect(try rules.rows() == ["08:00:00 start"])
    }

    @Test func `runs that follow at once end before the next begins`() throws {
        #expect(
            try rows(
                #""on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00","interval":3600,"duration":3600"#,
                Self.actions
            ) == ["08:00:00 start", "09:00:00 end", "09:00:00 start", "10:00:00 end"]
        )
    }

    // MARK: Missed

    @Test func `a missed start is skipped, or run if it is not too late`() throws {
        let off = "07:59:00,stop,,"
        // Up to a minute is not late.
        #expect(try rows(Self.day, events: off, "08:01:00,start,,") == ["08:01:00 start"])
        #expect(try rows(Self.day, events: off, "08:01:01,start,,").isEmpty)
        let run = Self.day + #","missed":"run""#
        #expect(try rows(run, events: off, "08:01:01,start,,") == ["08:01:01 missed start"])
        #expect(try rows(run, events: off, "09:00:00,start,,") == ["09:00:00 missed start"])
        #expect(try rows(run, events: off, "09:00:01,start,,").isEmpty)
    }

    @Test func `only the latest missed occurrence runs`() throws {
        #expect(
            try rows(
                #""on":"cron","cron":"*/10 * * * *","missed":"run""#,
                until: "2026-06-01T09:00:00",
                events: "00:05:00,stop,,",
                "08:35:00,start,,"
            ) == ["00:00:00 cron", "08:35:00 missed cron", "08:40:00 cron", "08:50:00 cron"]
        )
    }

    @Test func `a moment that was missed runs by default`() throws {
        let once = #""on":"once","at":"2026-06-01T08:00:00+02:00""#
        #expect(try rows(once, events: "07:00:00,stop,,", "08:30:00,start,,") == ["08:30:00 missed once"])
        #expect(try rows(once, events: "07:00:00,stop,,", "09:30:00,start,,").isEmpty)
    }

    @Test func `the end of a run that had begun is caught up`() throws {
        #expect(
            try rows(Self.day, Self.actions, events: "09:00:00,stop,,", "23:00:00,start,,")
                == ["08:00:00 start", "23:00:00 missed end"]
        )
    }

    @Test func `the end is not caught up when the next run is under way`() throws {
        #expect(
            try rows(
                Self.day,
                Self.actions,
                until: "2026-06-03",
                events: "09:00:00,stop,,",
                "2026-06-02T09:00:00,start,,"
            ) == ["08:00:00 start", "2026-06-02 10:00:00 end"]
        )
    }

    @Test func `the end of a run that had not begun is not caught up`() throws {
        #expect(try rows(Self.day, Self.actions, events: "07:00:00,stop,,", "11:00:00,start,,").isEmpty)
    }

    @Test func `the end of a run whose start was missed fires when it is due`() throws {
        #expect(
            try rows(Self.day, Self.actions, events: "07:00:00,stop,,", "09:00:00,start,,") == [
                "10:00:00 end"
            ]
        )
    }

    @Test func `the actions of a range run once whenever one is inside`() throws {
        #expect(try rows(Self.day, Self.ranged) == ["08:00:00 start", "10:00:00 end"])
        #expect(
            try rows(Self.day, Self.ranged, events: "07:00:00,stop,,", "09:00:00,start,,")
                == ["09:00:00 range", "10:00:00 end"]
        )
        #expect(
            try rows(
                Self.day,
                Self.ranged,
                events: "08:30:00,stop,,",
                "09:00:00,start,,",
                "09:10:00,stop,,",
                "09:20:00,start,,"
            )
                == ["08:00:00 start", "10:00:00 end"]
        )
        let rules = try SimulatedRules(#"{"when":{\#(Self.day)},\#(Self.ranged)}"#)
        #expect(try rules.rows(from: "09:00") == ["09:00:00 range", "10:00:00 end"])
    }

    @Test func `the end of a run that has fired asks no conditions`() throws {
        let condition = #""if":[{"zone":["kitchen"]}],\#(Self.actions)"#
        #expect(
            try rows(
                Self.day,
                condition,
                events: "07:00:00,enter,zone:kitchen,",
                "09:00:00,exit,zone:kitchen,"
            )
                == ["08:00:00 start", "10:00:00 end"]
        )
        #expect(try rows(Self.day, condition).isEmpty)
    }

    // MARK: Clock

    @Test func `a clock that is set forward makes occurrences late`() throws {
        #expect(try rows(Self.day, events: "07:00:00,clock,,2026-06-01T08:00:30") == ["08:00:30 start"])
        #expect(try rows(Self.day, events: "07:00:00,clock,,2026-06-01T08:30:00").isEmpty)
        #expect(
            try rows(Self.day + #","missed":"run""#, events: "07:00:00,clock,,2026-06-01T08:30:00")
                == ["08:30:00 missed start"]
        )
        #expect(
            try rows(Self.day, Self.actions, events: "09:00:00,clock,,2026-06-01T12:00:00")
                == ["08:00:00 start", "12:00:00 missed end"]
        )
    }

    @Test func `what has fired does not fire again when the clock is set back`() throws {
        #expect(
            try rows(Self.day, Self.actions, events: "08:30:00,clock,,2026-06-01T07:30:00")
                == ["08:00:00 start", "10:00:00 end"]
        )
        #expect(
            try rows(Self.day, Self.actions, events: "10:30:00,clock,,2026-06-01T09:50:00")
                == ["08:00:00 start", "10:00:00 end"]
        )
    }

    @Test func `a clock that is set back by more than an hour had a wrong date`() throws {
        #expect(
            try rows(Self.day, events: "08:30:00,clock,,2026-06-01T07:29:59") == [
                "08:00:00 start", "08:00:00 start",
            ]
        )
        // Nothing of the wrong date may stay on.
        #expect(
            try rows(
                #""on":"schedule","startTimeEachDay":"08:00:00","duration":7200"#,
                Self.actions,
                events: "08:30:00,clock,,2026-06-01T06:00:00"
            ) == ["08:00:00 start", "06:00:00 end", "08:00:00 start", "10:00:00 end"]
        )
    }

    @Test func `a time that clocks skip is the end of the gap`() throws {
        let zone = try #require(
            ZoneTable(
                firstOffset: 3600,
                transitions: [.init(instant: 1_774_746_000_000, offset: 7200)]
            )
        )
        let rules = try SimulatedRules(
            #"{"when":{"on":"schedule","startTimeEachDay":"02:30:00"}}"#,
            zone: zone
        )
        #expect(
            try rules.rows(from: "2026-03-28", until: "2026-03-31")
                == ["2026-03-28 02:30:00 start", "2026-03-29 03:00:00 start", "2026-03-30 02:30:00 start"]
        )
    }

    @Test func `sunset needs a place`() throws {
        let text = #"{"when":{"on":"schedule","startTimeEachDay":"sunset"}}"#
        #expect(try SimulatedRules(text).rows().isEmpty)
        let berlin = GeoPoint(latitude: 52.52, longitude: 13.4)
        let rows = try SimulatedRules(text, position: berlin).rows()
        #expect(rows.count == 1)
        #expect(rows.first?.hasPrefix("21:1") == true)
    }

    @Test func `rows are by time, then in the order of the rules`() throws {
        let rules = try SimulatedRules(
            #"{"when":{\#(Self.day)},\#(Self.actions)}"#,
            #"{"when":{"on":"cron","cron":"0 8,10 * * *"}}"#
        )
        #expect(
            try rules.rows() == [
                "08:00:00 r0 start", "08:00:00 r1 cron", "10:00:00 r0 end", "10:00:00 r1 cron",
            ]
        )
    }
}
