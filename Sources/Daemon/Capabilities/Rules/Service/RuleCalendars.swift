import Flare
import Rules
package import Settings
import Things

/// Makes the calendar of the engine, from the time zones of this machine.
package struct RuleCalendars: Sendable {
    private let database: TimeZoneDatabase
    /// `rules.time_zone`; `nil` for the system's.
    var configured: String?
    /// Tables that were read, since each of them is a file.
    private var tables: [String: ZoneTable] = [:]

    /// - Parameter configured: The zone of what names none, if the environment has none.
    package init(_ database: TimeZoneDatabase, configured: String? = nil) {
        (self.database, self.configured) = (database, configured)
    }

    /// The calendar of a place, with the zones that rules name.
    ///
    /// A zone that cannot be read is left out: then nothing is due in it.
    mutating func calendar(of place: RuleSurroundings, _ names: Set<String>) -> RuleCalendar {
        var named: [String: ZoneTable] = [:]
        for name in names { named[name] = try? table(name) }
        return RuleCalendar(usual(of: place), named: named, place: place.position)
    }

    /// That of the environment, else the configured one, else that of the system, else UTC.
    private mutating func usual(of place: RuleSurroundings) -> ZoneTable {
        for name in [place.timeZone, configured] {
            if let name, let table = try? table(name) { return table }
        }
        return (try? database.systemZone()) ?? .utc
    }

    /// Checks that what a rule needs of the calendar is there.
    ///
    /// - Throws: `invalid_value` for an unknown time zone, and for the sun without a position.
    mutating func check(_ rule: Rule, in place: RuleSurroundings) throws(Refusal) {
        for name in rule.zoneNames.sorted() {
            do throws(TimeZoneError) {
                _ = try table(name)
            } catch {
                throw Refusal(.invalidValue, "timeZone: \(error)", field: "timeZone")
            }
        }
        guard rule.uses.followsSun, place.position == nil else { return }
        throw Refusal(
            .invalidValue,
            "sunrise and sunset need a position: give the environment a geofence, or this device a GPS"
        )
    }

    private mutating func table(_ name: String) throws(TimeZoneError) -> ZoneTable {
        if let known = tables[name] { return known }
        let table = try database.zone(named: name)
        tables[name] = table
        return table
    }
}
