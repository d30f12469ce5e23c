import Flare
import Glibc
import Positioning

/// What it costs to fit a radio map, and to use it: a survey of 81 points in a hall of 20 m by 20 m, and in that of
/// ``GridBenchmark``.
struct SurveyBenchmark {
    private static let points = 81
    private static let rounds = 20
    private static let aim = Duration.milliseconds(100)

    func run() {
        fit(in: BenchmarkHall(side: 20, beacons: 12))
        fit(in: BenchmarkHall(side: 50, beacons: 15))
    }

    private func fit(in hall: BenchmarkHall) {
        var generator = SeededGenerator(seed: 2)
        let survey = hall.survey(points: Self.points, &generator)
        var took: [Double] = []
        var radio: RadioMap?
        for _ in 0..<Self.rounds {
            let time = ContinuousClock().measure { radio = try? RadioMap(survey: survey, map: hall.map) }
            took.append(time.nanoseconds)
        }
        var estimator = GridEstimator(map: hall.map)
        estimator.radioMaps.device = radio
        guard estimator.isSurveyed else {
            print("bench: the survey of a hall cannot be used")
            return
        }
        let place = "\(estimator.cells) cells and \(hall.map.beacons.count) beacons"
        Row.print(
            "a survey of \(Self.points) points fitted to \(place), median of \(Self.rounds)",
            took.median,
            aim: Self.aim.nanoseconds
        )
    }
}

/// A square hall with beacons at random places.
struct BenchmarkHall {
    let map: BeaconMap
    private let side: Double

    init(side: Double, beacons: Int) {
        var generator = SeededGenerator(seed: 1)
        self.side = side
        map = BeaconMap(
            beacons: (0..<beacons).map { number in
                BeaconMap.Beacon(
                    thing: FlareID(high: 0, low: UInt32(number)),
                    name: "\(number)",
                    position: Point3D(x: side * generator.unit(), y: side * generator.unit(), z: 2.5),
                    major: 0,
                    minor: UInt16(number),
                    powerAtOneMetre: -59
                )
            },
            perimeter: Box(origin: .zero, width: side, height: side)
        )
    }

    /// Points in rows, each of which hears every beacon.
    func survey(points: Int, _ generator: inout SeededGenerator) -> [SurveyPoint] {
        let columns = Int(Double(points).squareRoot().rounded(.up))
        return (0..<points).map { number in
            let place = Point3D(
                x: side * (Double(number % columns) + 0.5) / Double(columns),
                y: side * (Double(number / columns) + 0.5) / Double(columns)
            )
            var levels: [FlareID: SurveyPoint.Level] = [:]
            for beacon in map.beacons {
                let distance = max(beacon.position.distance(to: place), 1)
                levels[beacon.thing] = SurveyPoint.Level(
                    decibels: -22 * log10(distance) + generator.normal(deviation: 4),
                    packets: 60
                )
            }
            return SurveyPoint(
                name: "\(number)",
                environment: map.environment,
                position: place,
                seconds: 20,
                levels: levels
            )
        }
    }
}
