import Flare
import Rules
import Testing
import Things

struct RuleSimulationTests {
    private func simulation(_ rules: Int) throws -> RuleSimulation {
        let rules = try (0..<rules).map { number in
            let time = "0\(number % 10):\(10 + number % 50):00"
            return (
                slug: "r\(number)",
                rule: try SimulatedRules.rule(#"{"when":{"on":"schedule","startTimeEachDay":"\#(time)"}}"#)
            )
        }
        return try RuleSimulation(rules, in: RuleCalendar())
    }

    @Test func `a year of daily schedules has a row for each day and rule`() throws {
        let year = EngineRig.midnight..<EngineRig.midnight + 365 * 86_400_000
        let rows = try simulation(20).rows(from: year.lowerBound, until: year.upperBound)
        #expect(rows.count == 365 * 20)
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test func `rows that come one moment after the other are the same`() throws {
        let day = EngineRig.midnight..<EngineRig.midnight + 86_400_000
        let whole = try simulation(20)
        var stepped = whole
        var rows = try stepped.begin(from: day.lowerBound, until: day.upperBound)
        while let more = try stepped.next() {
            rows += more
            #expect(day.contains(stepped.time))
        }
        let all = try whole.rows(from: day.lowerBound, until: day.upperBound)
        #expect(rows == all && rows.count == 20)
        let end = try stepped.next()
        #expect(end == nil)
    }

    @Test func `a row is a line of CSV`() throws {
        let zone = try #require(ZoneTable(offset: 7200))
        let row = RuleSimulation.Row(at: EngineRig.midnight, slug: "a", why: #"state a b "x,y" -> 1"#)
        #expect(row.csv(in: zone) == #"2026-06-01T02:00:00+02:00,a,"state a b ""x,y"" -> 1""#)
    }

    @Test func `a place that is given has no other things`() throws {
        let lamp = ObjectReference(.thing, FlareID(high: 1, low: 2))
        let place = SimulatedPlace([(reference: lamp, slug: "lamp")])
        let known = try SimulatedRules(#"{"when":{"on":"near","thing":"lamp"}}"#).rules
        let unknown = try SimulatedRules(#"{"when":{"on":"near","thing":"fan"}}"#).rules
        _ = try RuleSimulation(known, in: RuleCalendar(), place: place)
        #expect(throws: Refusal.self) { try RuleSimulation(unknown, in: RuleCalendar(), place: place) }
        let events = try SimulatedEvent.read(
            "time,kind,subject,value\n2026-06-01,near,\(lamp.id),\n2026-06-01,near,fan,",
            in: .utc
        )
        let simulation = try RuleSimulation(known, in: RuleCalendar(), place: place)
        #expect(throws: Refusal.self) {
            try simulation.rows(from: EngineRig.midnight, until: EngineRig.midnight + 1, events)
        }
    }
}
