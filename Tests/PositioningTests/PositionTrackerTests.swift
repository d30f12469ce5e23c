import Flare
import Positioning
import Testing

@Suite struct PositionTrackerTests {
    /// Reports the times at which it was called, and the number of sightings by then.
    private struct Echo: PositionEstimator {
        var map = BeaconMap(
            environment: FlareEnvironment(id: FlareID(high: 0, low: 0)),
            zones: [],
            things: []
        )
        var heard = 0

        mutating func record(_ sighting: BeaconSighting) { heard += 1 }

        mutating func estimate(at time: Double) -> PositionEstimate? {
            PositionEstimate(
                position: .zero,
                accuracyMetres: 1,
                quality: .good,
                beaconsHeard: heard,
                time: time
            )
        }
    }

    private func sighting(_ time: Double) -> BeaconSighting {
        BeaconSighting(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0),
            rssi: -60,
            time: time
        )
    }

    @Test func `each whole second is estimated once from the sightings before it`() {
        var tracker = PositionTracker(estimator: Echo())
        var estimates: [PositionEstimate] = []
        for time in [0.2, 0.9, 1, 1.1, 3.5, 3.6] { estimates += tracker.record(sighting(time)) }
        estimates += tracker.advance(to: 4)
        estimates += tracker.advance(to: 4.9)
        #expect(estimates.map(\.time) == [1, 2, 3, 4])
        #expect(estimates.map(\.beaconsHeard) == [2, 4, 4, 6])
    }

    @Test func `ticks in between change nothing`() {
        var plain = PositionTracker(estimator: Echo())
        var ticked = plain
        var (one, two): ([PositionEstimate], [PositionEstimate]) = ([], [])
        for time in stride(from: 0.3, to: 9, by: 0.7) {
            one += plain.record(sighting(time))
            two += ticked.advance(to: time - 0.1)
            two += ticked.record(sighting(time))
        }
        #expect(one == two)
        #expect(one.count == 8)
    }

    @Test func `after a long gap only its end is estimated`() {
        var tracker = PositionTracker(estimator: Echo())
        _ = tracker.advance(to: 0.5)
        #expect(tracker.advance(to: 30.5).count == 30)
        #expect(tracker.advance(to: 4000.5).map(\.time) == [4000])
    }

    @Test func `an invalid time or one that goes back is ignored`() {
        var tracker = PositionTracker(estimator: Echo())
        _ = tracker.advance(to: 10.5)
        #expect(tracker.advance(to: 2).isEmpty)
        #expect(tracker.advance(to: .nan).isEmpty)
        #expect(tracker.advance(to: .infinity).isEmpty)
        #expect(tracker.advance(to: 1e300).isEmpty)
        #expect(tracker.advance(to: 11).map(\.time) == [11])
    }

    @Test func `a clock that is set back by more than half a minute is followed`() {
        var tracker = PositionTracker(estimator: Echo())
        _ = tracker.advance(to: 1000.5)
        #expect(tracker.advance(to: 975).isEmpty)
        #expect(tracker.advance(to: 10.5).map(\.time) == [10])
        #expect(tracker.advance(to: 12).map(\.time) == [11, 12])
    }
}
