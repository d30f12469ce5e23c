package import Flare
import Glibc

/// What one receiver hears while a person stands at a point of a survey.
///
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
package struct SurveyMeasurement: Sendable {
    private struct Sums: Sendable {
        var count = 0.0
        var mean = 0.0
        /// Of the squared distances from the mean.
        var squares = 0.0
    }

    private let map: BeaconMap
    /// By the beacon's index in the map.
    private var sums: [Int: Sums] = [:]
    private var seconds: Set<Int> = []

    /// More whole seconds than any measurement lasts; a clock that jumps must not fill memory.
    private static let mostSeconds = 1_000

    package init(map: BeaconMap) { self.map = map }

    package mutating func record(_ sighting: BeaconSighting) {
        guard let (index, level) = map.level(of: sighting), map.beacons[index].position.isPlausible,
            SurveyPoint.plausibleLevels.contains(level), sighting.time.magnitude < 1e12
        else { return }
        var sum = sums[index, default: Sums()]
        sum.count += 1
        let error = level - sum.mean
        sum.mean += error / sum.count
        sum.squares += error * (level - sum.mean)
        sums[index] = sum
        if seconds.count < Self.mostSeconds { seconds.insert(Int(sighting.time.rounded(.down))) }
    }

    /// In how many seconds anything was heard.
    package var heardSeconds: Int { seconds.count }
    /// How many beacons were heard.
    package var beacons: Int { sums.count }
    package var packets: Int { Int(sums.values.reduce(0) { $0 + $1.count }) }

    /// By the beacon's thing.
    package var levels: [FlareID: SurveyPoint.Level] {
        sums.reduce(into: [:]) { levels, heard in
            let (index, sum) = heard
            levels[map.beacons[index].thing] = SurveyPoint.Level(
                decibels: (sum.mean * 100).rounded() / 100,
                packets: sum.count,
                spread: sum.count > 1
                    ? ((sum.squares / (sum.count - 1)).squareRoot() * 100).rounded() / 100 : nil
            )
        }
    }
}
