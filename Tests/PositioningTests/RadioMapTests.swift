import Flare
import Foundation
import Positioning
import Testing

/// A survey of a hall whose levels differ from the model by what a wall takes.
@Suite struct RadioMapTests {
    private let hall = GridPlace.hall

    /// Nine points, as the beacons are heard there; a wall takes 10 dB from what is on its other side.
    private func survey(
        receiver: String? = nil,
        seconds: Double? = 20,
        count: Int = 9,
        _ place: (Point3D) -> Point3D = { $0 }
    ) -> [SurveyPoint] {
        (0..<count).map { number in
            let point = Point3D(x: 1.5 + Double(number % 3) * 4.5, y: 1 + Double(number / 3 % 3) * 3, z: 0.9)
            let levels = hall.map.beacons.indices.map { beacon in
                let level = heard(beacon, at: point) - GridPlace.power
                return (hall.map.beacons[beacon].thing, SurveyPoint.Level(decibels: level, packets: 60))
            }
            return SurveyPoint(
                name: "P\(number)",
                environment: hall.map.environment,
                position: place(point),
                receiver: receiver,
                seconds: seconds,
                levels: Dictionary(levels) { first, _ in first }
            )
        }
    }

    private func heard(_ beacon: Int, at point: Point3D) -> Double {
        let place = hall.map.beacons[beacon].position
        return hall.level(beacon, at: point) - ((place.x < 8) == (point.x < 8) ? 0 : 10)
    }

    private func error(at spot: Point3D, _ radio: RadioMap?) -> Double {
        var estimator = GridEstimator(map: hall.map)
        estimator.radioMaps.device = radio
        let estimates = hall.stand(at: spot, from: 0, seconds: 20, &estimator) { beacon, _ in
            heard(beacon, at: spot)
        }
        return estimates.last?.position.plane(to: spot) ?? .infinity
    }

    @Test func `a survey makes positions behind a wall more accurate`() throws {
        let radio = try RadioMap(survey: survey(), map: hall.map)
        #expect(radio.points == 9)
        let spots = [
            Point3D(x: 9.5, y: 3, z: 0.9), Point3D(x: 6.8, y: 2, z: 0.9), Point3D(x: 9, y: 6, z: 0.9),
        ]
        let plain = spots.reduce(0) { $0 + error(at: $1, nil) }
        let surveyed = spots.reduce(0) { $0 + error(at: $1, radio) }
        #expect(surveyed < 0.8 * plain, "\(surveyed) against \(plain)")
    }

    @Test func `fewer than three points are refused`() {
        for count in 0..<3 {
            #expect(throws: SurveyError.tooFewPoints(count)) {
                _ = try RadioMap(survey: survey(count: count), map: hall.map)
            }
        }
    }

    @Test func `points that were heard too shortly, elsewhere or impossibly do not count`() throws {
        let far = FlareID(high: 9, low: 9)
        let others = survey().map {
            SurveyPoint(name: $0.name, environment: far, position: $0.position, levels: $0.levels)
        }
        let impossible = survey().map { point in
            var point = point
            point.levels = point.levels.mapValues { _ in .init(decibels: .nan, packets: 60) }
            return point
        }
        let nowhere = survey { _ in Point3D(x: .nan, y: .infinity) }
        for useless in [survey(seconds: 5), others, impossible, nowhere] {
            #expect(throws: SurveyError.tooFewPoints(0)) { _ = try RadioMap(survey: useless, map: hall.map) }
            #expect(try RadioMap(survey: useless + survey(), map: hall.map).points == 9)
        }
    }

    @Test func `a survey on a mirrored plan is refused`() {
        let mirrored = survey { Point3D(x: 12 - $0.x, y: 8 - $0.y) }
        #expect(throws: SurveyError.self) { _ = try RadioMap(survey: mirrored, map: hall.map) }
    }

    @Test func `two points that were swapped stand out`() {
        var points = survey()
        #expect(SurveyCheck(survey: points, map: hall.map).findings.filter(\.isDoubtful).isEmpty)
        (points[0].levels, points[8].levels) = (points[8].levels, points[0].levels)
        let doubtful = SurveyCheck(survey: points, map: hall.map).findings.filter(\.isDoubtful).map(\.point)
        #expect(Set(doubtful).isSuperset(of: ["P0", "P8"]))
    }

    @Test func `of more points than count on a floor the newest do`() {
        // Each hears one beacon, so that this takes no time.
        let things = hall.map.beacons.map(\.thing)
        let points = survey(count: 252).enumerated().map { number, point in
            var point = point
            point.levels = point.levels.filter { $0.key == things[number % things.count] }
            return point
        }
        let judged = SurveyCheck(survey: points, map: hall.map).findings.map(\.point)
        #expect(judged.count == 250 && judged.first == "P2" && judged.last == "P251")
    }

    @Test func `a radio map of other cells or of another environment is not used`() throws {
        let radio = try RadioMap(survey: survey(), map: hall.map)
        var estimator = GridEstimator(map: hall.map)
        estimator.radioMaps.device = radio
        #expect(estimator.isSurveyed)
        estimator.map = GridPlace([.zero, Point3D(x: 5, y: 5)]).map
        #expect(!estimator.isSurveyed)
        estimator.map = hall.map
        #expect(estimator.isSurveyed)
        estimator.map = BeaconMap(
            environment: FlareEnvironment(id: FlareID(high: 9, low: 0)),
            zones: [],
            things: []
        )
        #expect(!estimator.isSurveyed)
    }

    @Test func `a new radio map keeps the position`() throws {
        var estimator = GridEstimator(map: hall.map)
        let spot = Point3D(x: 4, y: 5, z: 0.9)
        hall.stand(at: spot, from: 0, seconds: 20, &estimator)
        estimator.radioMaps.device = try RadioMap(survey: survey(), map: hall.map)
        let after = hall.stand(at: spot, from: 20, seconds: 1, &estimator)
        #expect(try #require(after.last).position.plane(to: spot) < 2)
    }

    @Test func `a survey counts for its receiver, and for others when it is large`() {
        let small = survey(receiver: "phone")
        let large = survey(receiver: "tablet", count: 20)
        #expect((small + large).counting(for: "phone") == small)
        #expect((small + large).counting(for: "watch") == large)
        #expect(small.counting(for: "watch").isEmpty)
    }

    @Test func `the levels of a beacon that was moved are dropped`() {
        var beacons = hall.map.beacons.map(\.position)
        beacons[2].x += 1
        let points = survey().dropping(changesFrom: hall.map, to: GridPlace(beacons).map)
        for point in points {
            #expect(point.levels[hall.map.beacons[2].thing] == nil)
            #expect(point.levels.count == 5)
        }
    }

    @Test func `some points cover the place, the middle first`() {
        let names = survey().covering(5).map(\.name)
        #expect(names.first == "P4")
        #expect(Set(names.dropFirst()) == ["P0", "P2", "P6", "P8"])
        #expect(survey().covering(100) == survey())
        #expect(survey().covering(0).isEmpty)
    }
}

@Suite struct RecordedSurveyTests {
    private func survey(_ csv: String) throws(CSVError) -> RecordedSurvey {
        let beacons = try RecordedWalk.beacons(Array("id,x,y,z,tx_power\na,0,0,2,-59\nb,5,0,2,-59\n".utf8))
        return try RecordedSurvey(beacons: beacons, csv: Array(csv.utf8))
    }

    private static let header = "point,x,y,beacon_id,level_db,packets\n"

    @Test func `points are read with their levels`() throws {
        let rows = "p,1,2,a,-10.5,60\np,1,2,b,-20,59\nq,3,4,a,-12,40\nq,3,4,stranger,-1,9\n"
        let survey = try survey(Self.header + rows)
        #expect(survey.points.map(\.name) == ["p", "q"])
        #expect(survey.points.map(\.levels.count) == [2, 1])
        #expect(survey.points.first?.position == Point3D(x: 1, y: 2))
        #expect(survey.unknown.count == 1 && survey.unknown.first?.line == 5)
    }

    @Test func `a file is read as it was written`() throws {
        let thing = try #require(
            try survey(Self.header + "p,1,2,a,-10.5,60\n").points.first?.levels.keys.first
        )
        func point(_ name: String, z: Double, seconds: Double?, takenAt: Int64?, spread: Double?)
            -> SurveyPoint
        {
            SurveyPoint(
                name: name,
                environment: FlareID(high: 0, low: 0),
                position: Point3D(x: 1.25, y: -2, z: z),
                seconds: seconds,
                takenAt: takenAt,
                levels: [thing: SurveyPoint.Level(decibels: -10.37, packets: 57.5, spread: spread)]
            )
        }
        let points = [
            point("p", z: 1.1, seconds: 18, takenAt: 1_900_000_000_123, spread: 2.25),
            point("q", z: 0, seconds: nil, takenAt: nil, spread: nil),
        ]
        #expect(try survey(RecordedSurvey.csv(points, names: [thing: "a"])).points == points)
    }

    @Test func `a file may stop after each of the columns that may follow`() throws {
        let header = Self.header.dropLast()
        let point = try #require(try survey("\(header),z\np,1,2,a,-10,60,1.5\n").points.first)
        #expect(point.position.z == 1.5 && point.seconds == nil && point.takenAt == nil)
        let problem = try #require(throws: CSVError.self) {
            _ = try survey("\(header),seconds\np,1,2,a,-10,60,20\n")
        }
        #expect(problem.message.contains("and may go on with z,seconds,taken_ms,spread_db"))
    }

    @Test(arguments: [
        ("p,1,2,a,-10,60,x,20,1,2\n", "z must be a number"),
        ("p,1,2,a,-10,60,1,-1,1,2\n", "seconds must be a number"),
        ("p,1,2,a,-10,60,1,20,1e300,2\n", "taken_ms must be a number"),
        ("p,1,2,a,-10,60,1,20,1,-2\n", "spread_db must be a number"),
        ("p,1,2,a,-10,60\n", "must have 10 fields"),
        ("p,1,2,a,-10,60,,,,\np,1,2,b,-10,60,1,,,\n", "p has other coordinates than in line 2"),
        ("p,1,2,a,-10,60,,,,\np,1,2,b,-10,60,,20,,\n", "p has another time or duration than in line 2"),
        ("p,1,2,a,-10,60,,,7,\np,1,2,b,-10,60,,,8,\n", "p has another time or duration than in line 2"),
    ])
    func `what may follow is checked, too`(_ rows: String, _ words: String) throws {
        let header = Self.header.dropLast() + ",z,seconds,taken_ms,spread_db\n"
        let problem = try #require(throws: CSVError.self) { _ = try survey(header + rows) }
        #expect(problem.message.contains(words), "\(problem.message)")
    }

    @Test(arguments: [
        ("p,1,2,a,nan,60\n", 2, "level_db must be a number"),
        ("p,1,2,a,-10,-1\n", 2, "packets must be a number"),
        ("p,1,2,a,-10,60\np,1,3,b,-10,60\n", 3, "p has other coordinates than in line 2"),
        ("p,1,2,a,-10,60\np,1,2,a,-11,60\n", 3, "a has a level at p already"),
    ])
    func `an invalid survey is refused with the line`(_ rows: String, _ line: Int, _ words: String) throws {
        let problem = try #require(throws: CSVError.self) { _ = try survey(Self.header + rows) }
        #expect(problem.line == line)
        #expect(problem.message.contains(words), "\(problem.message)")
    }
}
