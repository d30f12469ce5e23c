import Foundation
import Rules
import Settings
import TestSupport
import Testing

/// The time zones of a machine, as files in a folder.
struct TimeZoneDatabaseTests {
    /// A file without changes: its rule says all.
    private static func file(_ rule: String) -> Data {
        let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        let counts: [UInt8] = [0, 0, 0, 0, 1, 4].flatMap { (count: UInt8) -> [UInt8] in [0, 0, 0, count] }
        let block = header + counts + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
        return Data(block + block + Array("\n\(rule)\n".utf8))
    }

    private static let tokyo = file("JST-9")
    /// 2026-07-01.
    private static let july: Int64 = 1_782_864_000_000

    /// Runs the body with a folder that has zones, and a database of them.
    private func withZones(
        _ variables: [String: String] = [:],
        localTime: String = "none",
        _ body: (TemporaryFolder, TimeZoneDatabase) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let zones = folder.url.appending(path: "zones")
            for name in ["Asia", "Europe"] {
                try FileManager.default.createDirectory(
                    at: zones.appending(path: name),
                    withIntermediateDirectories: true
                )
            }
            try Self.tokyo.write(to: zones.appending(path: "Asia/Tokyo"))
            try Self.file("CET-1CEST,M3.5.0,M10.5.0/3").write(to: zones.appending(path: "Europe/Berlin"))
            try Data("no zone".utf8).write(to: zones.appending(path: "zone.tab"))
            try Self.tokyo.write(to: folder.url.appending(path: "outside"))
            try folder.write("Europe/Berlin\n", to: "timezone")
            let database = TimeZoneDatabase(
                variables.merging(["TZDIR": folder.path("zones")]) { given, _ in given },
                localTime: folder.path(localTime),
                zoneName: folder.path("timezone")
            )
            try body(folder, database)
        }
    }

    private static func error(_ body: () throws(TimeZoneError) -> ZoneTable) -> TimeZoneError? {
        do throws(TimeZoneError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a zone is the file of its name, and its rule is followed for centuries`() async throws {
        try await withZones { (_, database) throws in
            let berlin = try database.zone(named: "Europe/Berlin")
            #expect(berlin.offset(at: Self.july) == 7200)
            #expect(try database.zone(named: "Asia/Tokyo").offset(at: Self.july) == 32_400)
            // July of the last year.
            #expect(berlin.offset(at: 16_740_864_000_000) == 7200)
        }
    }

    @Test func `UTC needs no file, and other names need the database`() async throws {
        try await withZones(["TZDIR": "/nowhere/zones"]) { (_, database) throws in
            #expect(try database.zone(named: "UTC") == .utc)
            let error = Self.error { () throws(TimeZoneError) in try database.zone(named: "Asia/Tokyo") }
            #expect(error?.cause == .noDatabase)
            #expect(error?.description.contains("/nowhere/zones") == true)
            #expect(error?.description.contains("install the package tzdata") == true)
        }
    }

    @Test(
        arguments: [
            "", ".", "..", "/etc/localtime", "../outside", "Asia/../../outside", "Asia//Tokyo", "Asia/",
            "Asia\0", "Asia/Tókyo", "Asia Tokyo",
        ]
    )
    func `a name never leads out of the folder`(name: String) async throws {
        try await withZones { (_, database) throws in
            let error = Self.error { () throws(TimeZoneError) in try database.zone(named: name) }
            #expect(error?.cause == .name, "\(name)")
            #expect(error?.description.contains("must be a name such as Europe/Berlin, or UTC") == true)
        }
    }

    @Test func `an unknown name has a hint, and a file that is no zone is named`() async throws {
        try await withZones { (_, database) throws in
            for (name, cause, text) in [
                ("Europe/Berln", .name, "did you mean \"Europe/Berlin\""),
                ("Mars/Base", .name, "must be a name such as Europe/Berlin, or UTC"),
                ("Asia", .name, "there is no time zone \"Asia\""), ("zone.tab", .file, "zone.tab: "),
            ] as [(String, TimeZoneError.Cause, String)] {
                let error = Self.error { () throws(TimeZoneError) in try database.zone(named: name) }
                #expect(error?.cause == cause, "\(name)")
                #expect(error?.description.contains(text) == true, "\(name)")
            }
        }
    }

    @Test(
        arguments: [
            ("Asia/Tokyo", 32_400), (":Asia/Tokyo", 32_400), ("", 0), ("UTC", 0), ("JST-9", 32_400),
            ("EST5EDT,M3.2.0,M11.1.0", -14_400),
        ]
    )
    func `the system's zone is that of TZ: a name or a rule`(variable: String, offset: Int) async throws {
        try await withZones(["TZ": variable]) { (_, database) throws in
            #expect(try database.systemZone().offset(at: Self.july) == offset)
        }
    }

    @Test func `a TZ that is none is an error that names it, and one with a path is a file`() async throws {
        try await withZones(["TZ": "Mars/Base"]) { (folder, database) throws in
            let error = Self.error { () throws(TimeZoneError) in try database.systemZone() }
            #expect(error?.description.hasPrefix("TZ: there is no time zone \"Mars/Base\"") == true)
            let path = TimeZoneDatabase(["TZ": ":" + folder.path("outside")])
            #expect(try path.systemZone().offset(at: Self.july) == 32_400)
        }
    }

    @Test func `without TZ the zone is that of the machine's file, or else of its name, or else UTC`()
        async throws
    {
        try await withZones(localTime: "outside") { (_, database) throws in
            #expect(try database.systemZone().offset(at: Self.july) == 32_400)
        }
        try await withZones { (folder, database) throws in
            #expect(try database.systemZone().offset(at: Self.july) == 7200)
            let bare = TimeZoneDatabase(
                [:],
                localTime: folder.path("none"),
                zoneName: folder.path("none")
            )
            #expect(try bare.systemZone() == .utc)
        }
    }
}
