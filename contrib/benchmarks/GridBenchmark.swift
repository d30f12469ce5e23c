import Flare
import Glibc
import Positioning

/// What an update of the grid estimator costs, without and with a survey: a hall of 50 m by 50 m in 10,000 cells, with
/// 15 beacons.
struct GridBenchmark {
    private static let beacons = 15
    private static let updates = 200
    /// Before the measurement, so that every table is filled.
    private static let warmUp = 20
    private static let aim = Duration.milliseconds(3)

    func run() {
        let hall = BenchmarkHall(side: 50, beacons: Self.beacons)
        measure(GridEstimator(map: hall.map), "")
        var generator = SeededGenerator(seed: 2)
        var surveyed = GridEstimator(map: hall.map)
        surveyed.radioMaps.device = try? RadioMap(survey: hall.survey(points: 10, &generator), map: hall.map)
        guard surveyed.isSurveyed else {
            print("bench: the survey of the hall cannot be used")
            return
        }
        measure(surveyed, " and a survey")
    }

    private func measure(_ estimator: consuming GridEstimator, _ words: String) {
        var generator = SeededGenerator(seed: 1)
        let uuid = BeaconUUID(high: 0, low: 0)
        var took: [Double] = []
        var allocations = 0
        let count = Self.allocationCounter
        for update in 0..<Self.warmUp + Self.updates {
            let second = Double(update)
            for beacon in 0..<Self.beacons {
                estimator.record(
                    BeaconSighting(
                        identity: BeaconIdentity(uuid: uuid, major: 0, minor: UInt16(beacon)),
                        rssi: -60 - Int(30 * generator.unit()),
                        time: second + 0.5
                    )
                )
            }
            let before = count?() ?? 0
            let time = ContinuousClock().measure { _ = estimator.estimate(at: second + 1) }
            guard update >= Self.warmUp else { continue }
            allocations += Int((count?() ?? 0) - before)
            took.append(time.nanoseconds)
        }
        let what = "an update of a grid of \(estimator.cells) cells with \(Self.beacons) beacons\(words)"
        Row.print("\(what), median of \(Self.updates)", took.median, aim: Self.aim.nanoseconds)
        guard count != nil else { return }
        print(
            "| the same: allocations | – | \(allocations) | – | 0 | \(allocations == 0 ? "yes" : "**no**") |"
        )
    }

    /// How often memory was asked for, where `allocations.c` is loaded beforehand.
    private static var allocationCounter: (@convention(c) () -> UInt)? {
        dlsym(nil, "bench_allocations").map { unsafeBitCast($0, to: (@convention(c) () -> UInt).self) }
    }
}
