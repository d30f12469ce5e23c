import Controller
import Daemon
import Flare
import JSON
import Positioning
import Sensing
import TestSupport
import Testing
import Things

/// What becomes of a survey when its place changes, and its files.
struct SurveyPlaceTests {
    @Test(arguments: [nil, -70.0])
    func `a beacon with another place or power loses its levels`(power: Double?) async throws {
        try await withSurvey { survey in
            try await survey.takeFive()
            let changed = TestSurvey.map(moving: 2, power: power)
            await survey.enter(changed)
            let stored = try survey.store.surveyPoints(of: changed)
            #expect(stored.count == 5 && stored.allSatisfy { $0.point.levels.count == 5 })
            #expect(stored.allSatisfy { $0.point.levels[FlareID(high: 3, low: 2)] == nil })
            #expect(survey.alert?.contains("beacon 2 has another place or power") == true)
            // They do not come back with the beacon.
            await survey.enter()
            #expect(try survey.store.surveyPoints(of: changed).allSatisfy { $0.point.levels.count == 5 })
            _ = try await survey.take("table", standing: Point3D(x: 6, y: 4, z: 1))
            #expect(survey.alert == nil)
        }
    }

    @Test func `a beacon that moved while the daemon was off loses its levels`() async throws {
        try await withTemporaryFolder { folder in
            let first = try TestSurvey(in: folder.url)
            await first.enter()
            try await first.takeFive()
            first.close()
            let second = try TestSurvey(in: folder.url)
            defer { second.close() }
            await second.enter(TestSurvey.map(moving: 0))
            let stored = try second.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.count == 5 && stored.allSatisfy { $0.point.levels.count == 5 })
        }
    }

    @Test func `a beacon that is missing for a while keeps its levels`() async throws {
        try await withSurvey { survey in
            try await survey.takeFive()
            await survey.enter(
                BeaconMap(environment: TestSurvey.environment, zones: [], things: [])
            )
            #expect(survey.alert == nil)
            await survey.enter()
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.allSatisfy { $0.point.levels.count == 6 })
            #expect(survey.lastModel() == .survey(takenAt: TestSurvey.now))
        }
    }

    @Test func `each environment has its own survey`() async throws {
        try await withSurvey { survey in
            try await survey.takeFive()
            let other = FlareEnvironment(id: FlareID(high: 1, low: 9))
            await survey.enter(TestSurvey.map(environment: other), in: other)
            #expect(await survey.service.list()["points"] == .array([]))
            #expect(survey.lastModel() == .plain)
            #expect(try await survey.service.forgetAll(of: nil) == 0)
            await survey.enter()
            #expect(await survey.service.list()["points"]?.array?.count == 5)
        }
    }

    @Test func `without a place there is nothing to survey`() async throws {
        try await withTemporaryFolder { folder in
            let survey = try TestSurvey(in: folder.url)
            defer { survey.close() }
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Point3D(x: 6, y: 4, z: 1))
            }
            #expect(refusal?.code == .unknownEnvironment)
        }
    }

    @Test func `another receiver uses a survey from twenty points on`() async throws {
        try await withSurvey { survey in
            try await survey.takeFive()
            let five = try await survey.service.export(nil).csv
            _ = try await survey.service.forgetAll(of: nil)
            _ = try await survey.service.import(Array(five.utf8), receiver: "phone", floor: 0)
            #expect(survey.lastModel() == .plain)
            #expect(survey.service.channel.adoptForOthers(after: nil)?.radio == nil)
            let rows = five.split(separator: "\n").dropFirst()
            var many = "\(five.prefix { $0 != "\n" })\n"
            for copy in 0..<4 { for row in rows { many += "\(copy) \(row)\n" } }
            _ = try await survey.service.import(Array(many.utf8), receiver: "phone", floor: 0)
            #expect(survey.lastModel() == .survey(takenAt: TestSurvey.now))
            // So do devices that no survey was made with.
            let others = survey.service.channel.adoptForOthers(after: nil)
            #expect(others?.radio?.takenAt == TestSurvey.now)
            #expect(survey.service.channel.adoptForOthers(after: others) == nil)
        }
    }

    @Test func `points are imported as they were exported`() async throws {
        try await withSurvey { survey in
            try await survey.takeFive()
            let before = try survey.store.surveyPoints(of: TestSurvey.map()).map(\.point)
            let (csv, count) = try await survey.service.export(nil)
            #expect(
                count == 5
                    && csv.hasPrefix(
                        "point,x,y,beacon_id,level_db,packets,z,seconds,taken_ms,spread_db\ndoor,1.0,1.0,beacon 0,"
                    )
            )
            #expect(try await survey.service.forgetAll(of: TestSurvey.receiver) == 5)
            let answer = try await survey.service.import(Array(csv.utf8), receiver: nil, floor: 0)
            #expect(answer["points"] == 5 && answer["receiver"] == .string(TestSurvey.receiver))
            let after = try survey.store.surveyPoints(of: TestSurvey.map()).map(\.point)
            #expect(after == before && after.allSatisfy { $0.position.z == 1 && ($0.seconds ?? 0) >= 12 })
            #expect(survey.lastModel() == .survey(takenAt: TestSurvey.now))
        }
    }

    @Test func `a file without heights and times is imported as taken now`() async throws {
        try await withSurvey { survey in
            let csv = RecordedSurvey.header + "\ndoor,6,4,beacon 1,-20,60\n"
            _ = try await survey.service.import(Array(csv.utf8), receiver: nil, floor: 0)
            let point = try #require(try survey.store.surveyPoints(of: TestSurvey.map()).first?.point)
            #expect(point.position == Point3D(x: 6, y: 4, z: 0))
            #expect(point.seconds == nil && point.takenAt == TestSurvey.now)
        }
    }

    @Test func `a point is imported with the time at which it was taken`() async throws {
        try await withSurvey { survey in
            let csv =
                RecordedSurvey.header + ",z,seconds,taken_ms\ndoor,6,4,beacon 1,-20,60,1.5,18,1700000000000\n"
            _ = try await survey.service.import(Array(csv.utf8), receiver: nil, floor: 0)
            let point = try #require(try survey.store.surveyPoints(of: TestSurvey.map()).first?.point)
            #expect(point.position.z == 1.5)
            #expect(point.seconds == 18 && point.takenAt == 1_700_000_000_000)
        }
    }

    @Test func `points of two floors are exported one floor at a time`() async throws {
        try await withSurvey { survey in
            let points = [("cellar", 0), ("attic", 1)].map { name, floor in
                SurveyPoint(
                    name: name,
                    environment: TestSurvey.environment.id,
                    floor: floor,
                    position: Point3D(x: 6, y: 4, z: 1),
                    receiver: TestSurvey.receiver,
                    levels: [FlareID(high: 3, low: 0): .init(decibels: -20, packets: 60)]
                )
            }
            try survey.store.save(points, of: TestSurvey.map())
            await survey.enter(TestSurvey.map(moving: 2))
            await survey.enter()
            let refusal = await #expect(throws: Refusal.self) { _ = try await survey.service.export(nil) }
            #expect(refusal?.message.contains("on the floors 0, 1") == true && refusal?.field == "floor")
            let (csv, count) = try await survey.service.export(nil, floor: 1)
            #expect(count == 1 && csv.contains("attic,6.0,4.0,beacon 0,") && !csv.contains("cellar"))
            let missing = await #expect(throws: Refusal.self) {
                _ = try await survey.service.export(nil, floor: 7)
            }
            #expect(missing?.message == "the survey has no points on floor 7")
        }
    }

    @Test(arguments: [
        ("far,90,4,beacon 0,-20,60", "is not in the place"),
        ("nan,nan,4,beacon 0,-20,60", "line 2: x must be a number"),
        ("loud,6,4,beacon 0,900,60", "line 2: level_db must be a number"),
        ("short,6,4,beacon 0,-20", "line 2: must have 6 fields"),
        (" ,6,4,beacon 0,-20,60", "line 2: point must be 1 to 128 bytes"),
        ("a\u{202E}b,6,4,beacon 0,-20,60", "without commas, invisible characters and spaces"),
        ("strange,6,4,of others,-20,60", "no beacon of this place is among those of point \"strange\""),
    ])
    func `a wrong point of a file is refused, and nothing is stored`(row: String, why: String) async throws {
        try await withSurvey { survey in
            let csv = RecordedSurvey.header + "\n\(row)\ngood,6,4,beacon 1,-20,60\n"
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.service.import(Array(csv.utf8), receiver: nil, floor: 0)
            }
            #expect(refusal?.message.contains(why) == true, "\(refusal?.message ?? "")")
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.isEmpty)
        }
    }
}
