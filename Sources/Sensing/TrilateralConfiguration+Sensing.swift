package import Controller
package import Positioning
import Sensors
import Settings

// What the pipelines are made with, from the user's configuration.

extension TrilateralConfiguration.Sensors {
    /// The recording that the configuration names, if it names one.
    package var replays: [ReplaySettings] {
        guard let replayFile else { return [] }
        return [ReplaySettings(file: replayFile, speed: .times(replaySpeed), isLooping: replayLoop)]
    }
}

extension TrilateralConfiguration.Sensors {
    /// The sensors that the configuration switches off.
    package var switchedOff: [SensorKind: Bool] {
        let all: [(SensorKind, Bool)] = [
            (.beacons, beaconsEnabled), (.compass, compassEnabled), (.gps, gpsEnabled), (.cmx, cmxEnabled),
        ]
        return Dictionary(uniqueKeysWithValues: all.filter { !$0.1 })
    }
}

extension TrilateralConfiguration.Positioning {
    package func makeEstimator(_ map: BeaconMap) -> any PositionEstimator {
        switch estimator {
        case .grid: GridEstimator(map: map, settings: grid)
        case .centroid: CentroidEstimator(map: map)
        }
    }
}
