import Rules
import SeededRandom
import Testing
import Text

/// The rules of the variable TZ, as they are in the footers of time zone files.
struct ZoneRuleTests {
    private static func changes(_ rule: String, in year: Int) -> [String]? {
        ZoneTable(rule: rule, in: year...year)?.transitions.map {
            "\(CivilTime(milliseconds: $0.instant).shortText) \($0.offset)"
        }
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", ["2026-03-29T01:00:00Z 7200", "2026-10-25T01:00:00Z 3600"]),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", ["2026-04-04T16:00:00Z 36000", "2026-10-03T16:00:00Z 39600"]),
        (
            "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
            ["2026-04-04T15:00:00Z 37800", "2026-10-03T15:30:00Z 39600"]
        ),
        ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", ["2026-04-05T03:00:00Z -14400", "2026-09-06T04:00:00Z -10800"]),
        ("CST5CDT,M3.2.0/0,M11.1.0/1", ["2026-03-08T05:00:00Z -14400", "2026-11-01T05:00:00Z -18000"]),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", ["2026-03-29T01:00:00Z 3600", "2026-10-25T01:00:00Z 0"]),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ["2026-03-29T01:00:00Z -3600", "2026-10-25T01:00:00Z -7200"]),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", ["2026-03-28T00:00:00Z 10800", "2026-10-23T23:00:00Z 7200"]),
        ("AAA3BBB,J60,J300/0", ["2026-03-01T05:00:00Z -7200", "2026-10-27T02:00:00Z -10800"]),
        ("AAA3BBB,59/0,299/0", ["2026-03-01T03:00:00Z -7200", "2026-10-27T02:00:00Z -10800"]),
        ("<+01>-1", []), ("UTC0", []),
    ])
    func `a rule gives the changes of a year`(_ rule: String, _ expected: [String]) {
        #expect(Self.changes(rule, in: 2026) == expected)
    }

    @Test func `29 February counts for days with it, and not for those without`() {
        #expect(Self.changes("AAA0BBB,J60/0,J100/0", in: 2024)?.first == "2024-03-01T00:00:00Z 3600")
        #expect(Self.changes("AAA0BBB,59/0,100/0", in: 2024)?.first == "2024-02-29T00:00:00Z 3600")
    }

    @Test func `daylight saving time all year is one offset`() {
        let zone = ZoneTable(rule: "XXX3EDT4,0/0,J365/23", in: 2020...2030)
        // From the first year to the last.
        #expect(zone?.transitions.count == 2)
        #expect(zone?.offset(at: TestZones.at("2025-07-01T00:00:00Z")) == -14_400)
        #expect(zone?.offset(at: TestZones.at("2025-01-01T03:30:00Z")) == -14_400)
    }

    @Test(arguments: [
        "", "CE-1", "CET", "CET-25", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
        "CET-1CEST,M3.5.0,M10.5.0/3,",
        "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,M3.5.0/168,M4.1.0",
        "CET-1:60", "<CET-1", "<C>1", "CET-1CEST,J0,J365", "CET-1CEST,0,366", "CET-1 ", ":Europe/Berlin",
        "CET-0001",
    ])
    func `a rule that is not legal is refused`(_ rule: String) {
        #expect(ZoneTable(rule: rule, in: 2020...2030) == nil)
    }

    @Test func `years without end are limited`() {
        let zone = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", in: Int.min...Int.max)
        #expect(zone?.transitions.count == 5_000)
        #expect(ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", in: Int.max...Int.max) != nil)
    }

    @Test func `random rules never trap`() {
        var fuzz = Fuzz(
            seed: 3,
            corpus: [
                "CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
                "EET-2EEST,M3.4.4/50,M10.4.4/50",
                "AAA3BBB,J60,J300/-167:59:59", "AAA3BBB-24:59:59,0,365/0",
            ]
        )
        for _ in 0..<Fuzz.count / 4 {
            let zone = ZoneTable(rule: String(decoding: fuzz.next(), as: UTF8.self), in: 2020...2022)
            if let zone {
                #expect(ZoneTable(firstOffset: zone.firstOffset, transitions: zone.transitions) == zone)
            }
        }
    }
}
