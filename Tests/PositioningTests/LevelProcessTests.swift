import Flare
import Foundation
import Testing

@testable import Positioning

/// What a survey says of one beacon's levels in cells, against the same formula solved in double precision.
@Suite struct LevelProcessTests {
    /// Eleven points: more than are subtracted together, and some that are left.
    private static let places = (0..<11).map { Point3D(x: Double($0 % 4) * 5, y: Double($0 / 4) * 6) }
    private static let beacon = Point3D(x: 7, y: 4)

    private static func slope(_ place: Point3D) -> Double {
        -5 * log10(max(place.squareInPlane(to: beacon), 0.3))
    }

    private static func survey(_ points: [Int]) -> SurveyLevels.Beacon {
        SurveyLevels.Beacon(
            index: 0,
            source: .device,
            points: points,
            levels: points.map { 2.2 * slope(places[$0]) + 3 * sin(Double($0)) },
            packets: points.map { 20 + Double($0) },
            slopes: points.map { slope(places[$0]) }
        )
    }

    /// The mean and the variance of a Gaussian process, by Gaussian elimination.
    private static func expected(_ survey: SurveyLevels.Beacon, at cell: Point3D, exponent: Double) -> (
        level: Double, variance: Double
    ) {
        let middle = LevelProcess.middleSlope
        func line(_ one: Double, _ other: Double) -> Double {
            4 + 0.35 * 0.35 * (one - middle) * (other - middle)
        }
        func walls(_ one: Point3D, _ other: Point3D) -> Double {
            16 * exp(-one.squareInPlane(to: other).squareRoot() / 8)
        }
        let count = survey.points.count
        let own = slope(cell)
        let covariances = survey.points.indices.map {
            line(survey.slopes[$0], own) + walls(places[survey.points[$0]], cell)
        }
        // Columns: the covariance, and the two right sides.
        var rows = survey.points.indices.map { one in
            survey.points.indices.map { other in
                line(survey.slopes[one], survey.slopes[other])
                    + walls(places[survey.points[one]], places[survey.points[other]])
                    + (one == other ? 9 + 25 / survey.packets[one] : 0)
            } + [survey.levels[one] - exponent * survey.slopes[one], covariances[one]]
        }
        for pivot in 0..<count {
            for row in 0..<count where row != pivot {
                let share = rows[row][pivot] / rows[pivot][pivot]
                for column in rows[row].indices { rows[row][column] -= share * rows[pivot][column] }
            }
        }
        var (level, variance) = (exponent * own, line(own, own) + 16)
        for row in 0..<count {
            level += covariances[row] * rows[row][count] / rows[row][row]
            variance -= covariances[row] * rows[row][count + 1] / rows[row][row]
        }
        return (level, max(variance, 0.25) + 9)
    }

    @Test(arguments: [[3], [0, 1, 2], [0, 1, 2, 3], Array(0..<11), [1, 4, 5, 6, 8, 10]])
    func `a cell has the level and the variance of the Gaussian process`(points: [Int]) throws {
        let survey = Self.survey(points)
        let process = LevelProcess(survey, Self.places, offset: 0, exponent: 2)
        let cells = (0..<LevelProcess.Cells.scalarCount).map {
            Point3D(x: Double($0) * 1.1, y: Double($0 % 5) * 2.7)
        }
        let slopes = LevelProcess.Cells(cells.map { Float(Self.slope($0)) })
        let walls = Self.places.map { place in
            LevelProcess.Cells(
                cells.map { Float(LevelProcess.walls(place.squareInPlane(to: $0).squareRoot())) }
            )
        }
        var work = walls
        var levels = slopes * Float(2)
        let variances = try work.withUnsafeMutableBufferPointer { work in
            try walls.withUnsafeBufferPointer { walls in
                process.predict(
                    slopes,
                    walls: try #require(walls.baseAddress),
                    work: try #require(work.baseAddress),
                    levels: &levels
                )
            }
        }
        for (number, cell) in cells.enumerated() {
            let right = Self.expected(survey, at: cell, exponent: 2)
            #expect(abs(Double(levels[number]) - right.level) < 1e-3, "cell \(number)")
            #expect(abs(Double(variances[number]) - right.variance) < 1e-3, "cell \(number)")
        }
    }

    @Test func `levels that were received three times count as three updates`() {
        let places = [Point3D(x: 1, y: 1), Point3D(x: 6, y: 2), Point3D(x: 3, y: 7)]
        guard let area = GridArea(perimeter: nil, beacons: places, cell: 0.5, floors: 1) else {
            Issue.record("three beacons have an area")
            return
        }
        let settings = GridEstimator.Settings()
        let heard = places.indices.map {
            BeaconObservation($0, .device, 0, (level: -10 - 4 * Double($0), packets: 5), settings)
        }
        let conditions = FloorGrid.Conditions(floor: 0, settings: settings, .init(.init(), .init()))
        var (once, thrice) = (
            FloorGrid(area: area, height: 1, beacons: 3), FloorGrid(area: area, height: 1, beacons: 3)
        )
        var last = 0.0
        for _ in 0..<3 { last = once.update(with: heard, places: places, conditions) }
        #expect(thrice.update(with: heard, places: places, conditions, times: 3) == last)
        var (one, three) = ([0.0, 0, 0], [0.0, 0, 0])
        let (left, right) = (
            once.belief(for: heard, expected: &one), thrice.belief(for: heard, expected: &three)
        )
        #expect(left.x == right.x && left.y == right.y && one == three)
    }
}
