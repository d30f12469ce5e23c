import Flare
import Positioning
import Testing

struct SurveyMeasurementTests {
    private let hall = GridPlace.hall

    @Test func `levels are means over the level at one metre, with their spread`() throws {
        var measurement = SurveyMeasurement(map: hall.map)
        for (second, rssi) in [-70, -74, -72].enumerated() {
            measurement.record(GridPlace.sighting(1, rssi, at: Double(second)))
        }
        measurement.record(GridPlace.sighting(2, -80, at: 2.5))
        let level = try #require(measurement.levels[hall.map.beacons[1].thing])
        #expect(level.decibels == -13 && level.packets == 3 && level.spread == 2)
        #expect(measurement.levels[hall.map.beacons[2].thing]?.spread == nil)
        #expect(measurement.beacons == 2 && measurement.packets == 4 && measurement.heardSeconds == 3)
    }

    @Test func `what is no beacon of the place, and impossible levels, are not counted`() {
        var measurement = SurveyMeasurement(map: hall.map)
        measurement.record(GridPlace.sighting(99, -70, at: 1))
        for rssi in [127, 0, 42] { measurement.record(GridPlace.sighting(1, rssi, at: 1)) }
        measurement.record(GridPlace.sighting(1, -70, at: .nan))
        measurement.record(GridPlace.sighting(1, -70, at: 1e300))
        #expect(measurement.heardSeconds == 0 && measurement.levels.isEmpty)
    }

    @Test func `a clock that jumps does not fill memory`() {
        var measurement = SurveyMeasurement(map: hall.map)
        for second in 0..<5_000 { measurement.record(GridPlace.sighting(1, -70, at: Double(second))) }
        #expect(measurement.heardSeconds == 1_000 && measurement.packets == 5_000)
    }

    @Test(arguments: [
        (Point3D(x: 6, y: 4), true), (Point3D(x: -1.9, y: 9.4), true), (Point3D(x: 20, y: 4), false),
        (Point3D(x: .nan, y: 4), false),
    ])
    func `points of a survey are where the device can be`(point: Point3D, isInside: Bool) throws {
        let area = try #require(SurveyArea(map: hall.map, settings: GridEstimator.Settings()))
        #expect(area.contains(point) == isInside)
    }

    @Test func `without beacons there is no place to survey`() {
        let map = BeaconMap(beacons: [], perimeter: nil)
        #expect(SurveyArea(map: map, settings: GridEstimator.Settings()) == nil, "an area")
    }

    @Test func `spots may have heights`() throws {
        let plain = try PositionSurvey.spots(Array("name,x,y\ndoor,1,2\n".utf8))
        #expect(plain == [.init(name: "door", position: Point3D(x: 1, y: 2))])
        for start in ["", "\u{FEFF}"] {
            let high = try PositionSurvey.spots(Array("\(start)name, x,y,z\r\ndoor,1,2,3.5\r\n".utf8))
            #expect(high == [.init(name: "door", position: Point3D(x: 1, y: 2, z: 3.5), hasHeight: true)])
        }
        #expect(throws: CSVError.self) { _ = try PositionSurvey.spots(Array("name,x,y,z\ndoor,1,2\n".utf8)) }
    }
}
