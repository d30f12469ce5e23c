import Controller
import Daemon
import Flare
import Foundation
import JSON
import Positioning
import TestSupport
import Testing
import Things
import Threading

struct SurveyServiceTests {
    private static let middle = Point3D(x: 6, y: 4, z: 1)

    @Test func `a point that was heard for twenty seconds is stored`() async throws {
        try await withSurvey { survey in
            let answer = try await survey.take("table", standing: Self.middle)
            #expect(answer["stored"] == true && answer["beacons"] == 6 && answer["heard_seconds"] == 20)
            #expect(answer["receiver"] == .string(TestSurvey.receiver))
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            let point = try #require(stored.first?.point)
            #expect(stored.count == 1 && point.name == "table" && point.position == Self.middle)
            #expect(point.takenAt == TestSurvey.now && point.seconds == 20 && point.levels.count == 6)
            let near = try #require(point.levels[FlareID(high: 3, low: 1)])
            #expect(abs(near.decibels + 22 * 0.616) < 1 && near.packets == 60 && near.spread == 0)
        }
    }

    @Test func `a daemon without a device of its own refuses at once`() async throws {
        try await withSurvey(SurveyService.Settings(hasDevice: false)) { survey in
            let wish = SurveyService.Wish(name: "door", position: Point3D(x: 1, y: 1, z: 1), hasHeight: true)
            let refusal = await #expect(throws: Refusal.self) { try await survey.service.take(wish) }
            #expect(refusal?.message.contains("device.present") == true)
            #expect(await survey.service.progress == nil)
        }
    }

    @Test func `the next run has the points of this one`() async throws {
        try await withTemporaryFolder { folder in
            let first = try TestSurvey(in: folder.url)
            await first.enter()
            try await first.takeFive()
            first.close()
            let second = try TestSurvey(in: folder.url)
            defer { second.close() }
            await second.enter()
            #expect(await second.service.list()["points"]?.array?.count == 5)
            #expect(second.lastModel() == .survey(takenAt: TestSurvey.now))
        }
    }

    @Test func `a point that was heard in eleven seconds is not stored`() async throws {
        try await withSurvey { survey in
            let answer = try await survey.take("table", standing: Self.middle, hearing: 11)
            #expect(answer["stored"] == false && answer["reason"] == "too_little")
            #expect(answer["message"]?.string?.contains("11 of 20 seconds, and 12 are needed") == true)
            let nothing = try await survey.take("table", standing: Self.middle, hearing: 0)
            #expect(nothing["stored"] == false && nothing["reason"] == "nothing")
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.isEmpty)
        }
    }

    @Test(arguments: [
        Point3D(x: 60, y: 4, z: 0), Point3D(x: 6, y: -9, z: 0), Point3D(x: .nan, y: 4, z: 0),
        Point3D(x: 6, y: .infinity, z: 0), Point3D(x: 6, y: 4, z: .nan),
    ])
    func `a point outside the place is refused before anything is measured`(place: Point3D) async throws {
        try await withSurvey { survey in
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("far", standing: Self.middle, named: place)
            }
            #expect(refusal?.code == .outOfRange)
        }
    }

    @Test(arguments: ["", " door", "a,b", "line\nbreak", String(repeating: "x", count: 65)])
    func `a name that fits into no file is refused`(name: String) async throws {
        try await withSurvey { survey in
            await #expect(throws: Refusal.self) { _ = try await survey.take(name, standing: Self.middle) }
        }
    }

    @Test func `positions follow the survey from the third point on`() async throws {
        try await withSurvey { survey in
            #expect(survey.lastModel() == .plain)
            for (number, (name, place)) in TestSurvey.five.enumerated().prefix(3) {
                #expect(survey.lastModel() == .plain, "\(number) points")
                _ = try await survey.take(name, standing: place)
            }
            #expect(survey.lastModel() == .survey(takenAt: TestSurvey.now))
            _ = try await survey.service.forget("door")
            #expect(survey.lastModel() == .plain)
        }
    }

    @Test func `a point of another place than its name says is not stored, unless that is wanted`()
        async throws
    {
        try await withSurvey { survey in
            try await survey.takeFive()
            let (here, there) = (Point3D(x: 11, y: 4, z: 1), Point3D(x: 1, y: 4, z: 1))
            let answer = try await survey.take("lamp", standing: here, named: there)
            #expect(answer["stored"] == false && answer["reason"] == "doubtful", "\(answer)")
            #expect(answer["misfit"]?.number ?? 0 > 2.5)
            #expect(await survey.service.list()["points"]?.array?.count == 5)
            let right = try await survey.take("lamp", standing: here)
            #expect(right["stored"] == true && right["misfit"]?.number ?? 9 < 2.5, "\(right)")
            let again = try await survey.take("lamp", standing: here, named: there, isAccepted: true)
            #expect(again["stored"] == true)
        }
    }

    @Test func `a mirrored plan is refused with the third point`() async throws {
        try await withSurvey { survey in
            var answers: [JSONObject] = []
            for (name, place) in TestSurvey.five where name != "table" {
                let mirrored = Point3D(x: 12 - place.x, y: place.y, z: place.z)
                answers.append(try await survey.take(name, standing: place, named: mirrored))
            }
            #expect(answers.map { $0["stored"] } == [true, true, false, false])
            #expect(answers.last?["reason"] == "elsewhere")
            #expect(answers.last?["message"]?.string?.contains("mirrored") == true)
            #expect(survey.lastModel() == .plain)
        }
    }

    @Test func `a point with the name of another one replaces it`() async throws {
        try await withSurvey { survey in
            _ = try await survey.take("table", standing: Self.middle)
            _ = try await survey.take("table", standing: Point3D(x: 5, y: 4, z: 1))
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.map(\.point.position.x) == [5] && stored.map(\.point.levels.count) == [6])
        }
    }

    @Test func `a second point is not measured at the same time`() async throws {
        try await withSurvey { survey in
            let refusals = Locked<[RefusalCode]>([])
            let service = survey.service
            _ = try await survey.take("table", standing: Self.middle) {
                do throws(Refusal) {
                    _ = try await service.take(.init(name: "other", position: Self.middle))
                } catch {
                    refusals.withLock { $0.append(error.code) }
                }
            }
            #expect(refusals.withLock { $0 } == Array(repeating: .rateLimited, count: 20))
        }
    }

    @Test func `a measurement shows how far it is, and can be ended`() async throws {
        try await withSurvey { survey in
            let seen = Locked<[JSONObject]>([])
            let service = survey.service
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Self.middle) {
                    let progress = await service.progress
                    seen.withLock { $0 += [progress].compactMap(\.self) }
                    if progress?["elapsed"] == 4 { await service.endMeasurement() }
                }
            }
            #expect(refusal?.code == .superseded)
            #expect(seen.withLock { $0.map { $0["elapsed"] } } == [0, 1, 2, 3, 4])
            #expect(seen.withLock { $0.last?["heard_seconds"] } == 5)
            #expect(await service.progress == nil)
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.isEmpty)
        }
    }

    @Test func `a place that changes meanwhile ends the measurement`() async throws {
        try await withSurvey { survey in
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Self.middle) {
                    await survey.enter(TestSurvey.map(moving: 2))
                }
            }
            #expect(refusal?.code == .staleTarget)
        }
    }

    @Test func `the centroid estimator cannot use a survey`() async throws {
        try await withSurvey(SurveyService.Settings(isGrid: false)) { survey in
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Self.middle)
            }
            #expect(refusal?.message.contains("positioning.estimator") == true)
        }
    }

    @Test func `the survey of an environment has at most five hundred points`() async throws {
        try await withSurvey { survey in
            try await survey.fill(with: SurveyService.mostPoints)
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Self.middle)
            }
            #expect(refusal?.code == .tooLarge)
            let again = try await survey.take("P7", standing: Self.middle)
            #expect(again["stored"] == true, "a point may be replaced")
        }
    }

    @Test func `files that are imported at once have at most five hundred points together`() async throws {
        try await withSurvey { survey in
            try await survey.fill(with: SurveyService.mostPoints - 60)
            let (file, service) = (Array(Self.file(of: 60).utf8), survey.service)
            let refusals: [RefusalCode] = await withTaskGroup(of: RefusalCode?.self) { group in
                for copy in 0..<4 {
                    group.addTask {
                        do throws(Refusal) {
                            _ = try await service.import(file, receiver: "phone \(copy)", floor: 0)
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: [RefusalCode]()) { $0 += [$1].compactMap(\.self) }
            }
            #expect(refusals.count == 3 && Set(refusals).isSubset(of: [.rateLimited, .tooLarge]))
            let stored = try survey.store.surveyPoints(of: TestSurvey.map())
            #expect(stored.count == SurveyService.mostPoints)
        }
    }

    @Test func `a point that is measured while a file is imported finds no room, either`() async throws {
        try await withSurvey { survey in
            try await survey.fill(with: SurveyService.mostPoints - 60)
            let (file, service) = (Array(Self.file(of: 60).utf8), survey.service)
            let imported = Locked<[Bool]>([])
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await survey.take("table", standing: Self.middle) {
                    guard imported.withLock({ $0.isEmpty }) else { return }
                    let answer = try? await service.import(file, receiver: "phone", floor: 0)
                    imported.withLock { $0.append(answer?["points"] == 60) }
                }
            }
            #expect(imported.withLock { $0 } == [true])
            #expect(refusal?.code == .tooLarge)
        }
    }

    /// Up to 60 points, as the beacons are heard there.
    private static func file(of count: Int) -> String {
        var csv = RecordedSurvey.header + "\n"
        for number in 0..<count {
            let point = Point3D(x: Double(1 + number % 10), y: Double(1 + number / 10), z: 1)
            for (index, beacon) in TestSurvey.places.enumerated() {
                let level = -22 * log10(beacon.distance(to: point))
                csv += "P\(number),\(point.x),\(point.y),beacon \(index),\(level),60\n"
            }
        }
        return csv
    }
}
