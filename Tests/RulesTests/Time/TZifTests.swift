import Foundation
import Rules
import SeededRandom
import Testing
import Text
import Things

/// Files of the time zone database, made here and read from the system.
struct TZifTests {
    /// A file, whose parts can be wrong.
    private struct File {
        var version = UInt8(ascii: "2")
        var times: [(time: Int64, type: UInt8)] = []
        var offsets: [Int32] = [0]
        var leapSeconds: UInt32 = 0
        var footer = "\nUTC0\n"

        private func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }

        private func header(_ times: Int, _ types: Int) -> [UInt8] {
            Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + number(0) + number(0)
                + number(leapSeconds) + number(UInt32(times)) + number(UInt32(types)) + number(4)
        }

        var bytes: [UInt8] {
            var bytes = header(0, 1) + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
            bytes += header(times.count, offsets.count)
            for (time, _) in times {
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
            }
            bytes += times.map(\.type)
            for offset in offsets { bytes += number(UInt32(bitPattern: offset)) + [0, 0] }
            return bytes + Array("UTC\0".utf8) + Array(footer.utf8)
        }

        static let berlin = File(
            times: [(-2_422_054_408, 1), (1_743_296_400, 2), (1_761_440_400, 1)],
            offsets: [3208, 3600, 7200],
            footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n"
        )
    }

    private static func refusal(_ bytes: [UInt8]) -> Refusal? {
        do throws(Refusal) {
            _ = try ZoneTable(tzif: bytes, until: 2030)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the changes of a file are continued by its rule`() throws {
        let zone = try ZoneTable(tzif: File.berlin.bytes, until: 2027)
        #expect(zone.firstOffset == 3208)
        let changes = zone.transitions.map {
            "\(CivilTime(milliseconds: $0.instant).shortText) \($0.offset)"
        }
        #expect(
            changes == [
                "1893-03-31T23:06:32Z 3600", "2025-03-30T01:00:00Z 7200", "2025-10-26T01:00:00Z 3600",
                "2026-03-29T01:00:00Z 7200", "2026-10-25T01:00:00Z 3600", "2027-03-28T01:00:00Z 7200",
                "2027-10-31T01:00:00Z 3600",
            ]
        )
    }

    @Test func `a file without changes has the offset of its rule`() throws {
        #expect(try ZoneTable(tzif: File().bytes, until: 2100) == .utc)
        let fixed = File(offsets: [19_800], footer: "\nIST-5:30\n")
        #expect(try ZoneTable(tzif: fixed.bytes, until: 2100) == ZoneTable(offset: 19_800))
    }

    @Test func `a file without a rule keeps its last offset`() throws {
        let file = File(times: [(0, 1)], offsets: [0, 3600], footer: "\n\n")
        let zone = try ZoneTable(tzif: file.bytes, until: 2100)
        #expect(zone.offset(at: TestZones.at("2090-01-01T00:00:00Z")) == 3600)
    }

    @Test func `a change long ago only moves the first offset`() throws {
        let file = File(times: [(-1 << 59, 1), (0, 0)], offsets: [0, 3600])
        let zone = try ZoneTable(tzif: file.bytes, until: 2100)
        #expect(zone.firstOffset == 3600)
        #expect(zone.transitions == [.init(instant: 0, offset: 0)])
    }

    @Test func `damaged files are refused with a reason`() {
        var old = File()
        old.version = 0
        var leap = File()
        leap.leapSeconds = 27
        let cases: [([UInt8], String)] = [
            ([], "does not begin with TZif"),
            (Array("GIF89a".utf8), "does not begin with TZif"),
            (old.bytes, "version 1"),
            (leap.bytes, "leap seconds"),
            (File(times: [(0, 1)]).bytes, "a type of time that it does not have"),
            (File(times: [(5, 0), (5, 0)]).bytes, "do not rise"),
            (File(offsets: [93_600]).bytes, "type of time that is not legal"),
            (File(footer: "").bytes, "footer"),
            (File(footer: "\nCET-1CEST\n").bytes, "rule"),
            (File().bytes + [0], "footer"),
            ([UInt8](repeating: 0, count: 65_537), "at most 65536 bytes"),
        ]
        for (bytes, reason) in cases {
            #expect(Self.refusal(bytes)?.message.contains(reason) == true, "\(reason)")
        }
    }

    @Test func `a file cut at any byte is refused`() {
        let bytes = File.berlin.bytes
        for count in 0..<bytes.count {
            #expect(Self.refusal(Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test func `random files never trap`() {
        var fuzz = Fuzz(seed: 4, corpus: [File.berlin.bytes, File().bytes])
        for _ in 0..<Fuzz.count / 4 {
            guard let zone = try? ZoneTable(tzif: fuzz.next(), until: 2030) else { continue }
            #expect(ZoneTable(firstOffset: zone.firstOffset, transitions: zone.transitions) == zone)
        }
    }

    private static let folder = "/usr/share/zoneinfo"

    private static func table(_ name: String) -> ZoneTable? {
        FileManager.default.contents(atPath: "\(folder)/\(name)")
            .flatMap { try? ZoneTable(tzif: Array($0), until: 2037) }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "\(folder)/Europe/Berlin")),
        arguments: [
            ("Europe/Berlin", TestZones.berlin, 2025...2027),
            ("Australia/Sydney", TestZones.sydney, 2026...2026),
            ("Australia/Lord_Howe", TestZones.lordHowe, 2026...2026),
            ("America/Havana", TestZones.havana, 2026...2026),
            ("America/Santiago", TestZones.santiago, 2026...2026),
            ("America/St_Johns", TestZones.stJohns, 2010...2010),
        ]
    )
    func `the system's files have the changes that are known`(
        _ name: String,
        _ known: ZoneTable,
        _ years: ClosedRange<Int>
    ) throws {
        let zone = try #require(Self.table(name))
        let changes = zone.transitions.filter { years.contains(zone.local(at: $0.instant).date.year) }
        #expect(changes == known.transitions)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "\(folder)/Europe/Berlin")),
        arguments: [
            ("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"), ("Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1"),
            ("America/New_York", "EST5EDT,M3.2.0,M11.1.0"),
            ("America/Nuuk", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"),
            ("America/Santiago", "<-04>4<-03>,M9.1.6/24,M4.1.6/24"),
            ("Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0"),
            ("Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
        ]
    )
    func `the rule of a zone gives the changes that the system's file lists`(_ name: String, _ rule: String)
        throws
    {
        let zone = try #require(Self.table(name))
        let start = TestZones.at("2027-01-01T00:00:00Z")
        let listed = zone.transitions.filter { $0.instant >= start }
        let expanded = try #require(ZoneTable(rule: rule, in: 2026...2037)).transitions.filter {
            $0.instant >= start
        }
        #expect(listed == expanded)
        #expect(listed.count == 22)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "\(folder)/Pacific/Apia")))
    func `the system's file skips a day in Samoa`() throws {
        let zone = try #require(Self.table("Pacific/Apia"))
        #expect(
            zone.local(at: TestZones.at("2011-12-30T09:59:59Z")).description == "2011-12-29T23:59:59-10:00"
        )
        #expect(
            zone.local(at: TestZones.at("2011-12-30T10:00:00Z")).description == "2011-12-31T00:00:00+14:00"
        )
    }
}
