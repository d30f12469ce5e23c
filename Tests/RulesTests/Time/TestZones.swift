import Rules
import Text

/// Time zones whose changes are written here by hand, and instants as texts.
enum TestZones {
    static let berlin = zone(
        3600,
        ("2025-03-30T01:00:00Z", 7200),
        ("2025-10-26T01:00:00Z", 3600),
        ("2026-03-29T01:00:00Z", 7200),
        ("2026-10-25T01:00:00Z", 3600),
        ("2027-03-28T01:00:00Z", 7200),
        ("2027-10-31T01:00:00Z", 3600)
    )
    static let sydney = zone(39_600, ("2026-04-04T16:00:00Z", 36_000), ("2026-10-03T16:00:00Z", 39_600))
    /// Changes by half an hour.
    static let lordHowe = zone(39_600, ("2026-04-04T15:00:00Z", 37_800), ("2026-10-03T15:30:00Z", 39_600))
    /// Clocks go from midnight to one, and from midnight back to eleven.
    static let santiago = zone(-10_800, ("2026-04-05T03:00:00Z", -14_400), ("2026-09-06T04:00:00Z", -10_800))
    /// Clocks go from midnight to one, and from one back to midnight.
    static let havana = zone(-18_000, ("2026-03-08T05:00:00Z", -14_400), ("2026-11-01T05:00:00Z", -18_000))
    /// Skipped 2011-12-30.
    static let apia = zone(-36_000, ("2011-12-30T10:00:00Z", 50_400), ("2012-03-31T14:00:00Z", 46_800))
    /// Clocks went back over midnight, a minute after it.
    static let stJohns = zone(-12_600, ("2010-03-14T03:31:00Z", -9_000), ("2010-11-07T02:31:00Z", -12_600))

    /// With the instants of their changes.
    static let all: [(name: String, zone: ZoneTable, changes: [Int64])] = [
        ("Berlin", berlin, [at("2026-03-29T01:00:00Z"), at("2026-10-25T01:00:00Z")]),
        ("Sydney", sydney, [at("2026-04-04T16:00:00Z"), at("2026-10-03T16:00:00Z")]),
        ("Lord Howe", lordHowe, [at("2026-04-04T15:00:00Z"), at("2026-10-03T15:30:00Z")]),
        ("Santiago", santiago, [at("2026-04-05T03:00:00Z"), at("2026-09-06T04:00:00Z")]),
        ("Havana", havana, [at("2026-03-08T05:00:00Z"), at("2026-11-01T05:00:00Z")]),
        ("Apia", apia, [at("2011-12-30T10:00:00Z"), at("2012-03-31T14:00:00Z")]),
        ("St. John's", stJohns, [at("2010-03-14T03:31:00Z"), at("2010-11-07T02:31:00Z")]),
        ("UTC", .utc, [at("2024-02-29T00:00:00Z")]),
    ]

    /// The instant of RFC 3339.
    static func at(_ text: String) -> Int64 { CivilTime(text)?.milliseconds ?? .min }

    static func zone(_ first: Int, _ changes: (String, Int)...) -> ZoneTable {
        ZoneTable(
            firstOffset: first,
            transitions: changes.map { .init(instant: at($0.0), offset: $0.1) }
        ) ?? .utc
    }
}
