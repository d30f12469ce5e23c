import Flare
import JSON
import Rules
import Testing
import Things

/// Rules as JSON texts, simulated in Berlin in June 2026, where clocks are two hours ahead.
struct SimulatedRules {
    var zone: ZoneTable
    var position: GeoPoint?
    var rules: [(slug: String, rule: Rule)] = []

    /// Each text has the members of a rule; `when` may be one trigger, and `then` publishes.
    init(_ texts: String..., zone: ZoneTable? = nil, position: GeoPoint? = nil) throws {
        self.zone = try zone ?? #require(ZoneTable(offset: 7200))
        self.position = position
        for (number, text) in texts.enumerated() {
            rules.append((slug: "r\(number)", rule: try Self.rule(text)))
        }
    }

    static func rule(_ text: String) throws -> Rule {
        var json = try #require(JSONValue(parsing: text).object)
        if let trigger = json["when"], trigger.object != nil { json["when"] = [trigger] }
        if json["then"] == nil { json["then"] = [["publish": 1]] }
        return try RuleReader().read(.object(json)).rule
    }

    func time(_ text: String) throws -> Int64 {
        let date = text.contains("-") ? text : "2026-06-01T\(text)"
        return try #require(SimulatedEvent.instant(date, in: zone))
    }

    /// Rows as `HH:mm:ss slug why`, with the day before it if it is not the first of June.
    func rows(
        from: String = "00:00",
        until: String = "2026-06-02",
        missedMinutes: Int64 = 60,
        _ events: String...
    ) throws -> [String] {
        try rows(from: from, until: until, missedMinutes: missedMinutes, events)
    }

    func rows(
        from: String = "00:00",
        until: String = "2026-06-02",
        missedMinutes: Int64 = 60,
        _ events: [String]
    ) throws -> [String] {
        let lines = events.map { event in
            event.hasPrefix("2026-") ? event : "2026-06-01T\(event)"
        }
        let text = (["time,kind,subject,value"] + lines).joined(separator: "\n")
        let simulation = try RuleSimulation(
            rules,
            in: RuleCalendar(zone, place: position),
            RuleEngine.Configuration(missedMinutes: missedMinutes)
        )
        let rows = try simulation.rows(
            from: time(from),
            until: time(until),
            SimulatedEvent.read(text, in: zone)
        )
        return rows.map { row in
            let local = zone.local(at: row.at)
            let day = local.date.description == "2026-06-01" ? "" : "\(local.date) "
            let slug = rules.count == 1 ? "" : "\(row.slug) "
            return "\(day)\(local.time) \(slug)\(row.why)"
        }
    }
}
