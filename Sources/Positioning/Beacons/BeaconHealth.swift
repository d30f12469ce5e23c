package import Flare
import Glibc

/// A problem with a beacon of the place, found from what the receiver measures.
/// - Source: contrib/contract/positioning.md, "6.8 Health".
package enum BeaconFinding: Sendable, Hashable, CustomStringConvertible {
    /// It is received this many dB stronger than expected.
    case tooStrong(thing: FlareID, name: String, decibels: Int)
    /// It is received this many dB weaker than expected.
    case tooWeak(thing: FlareID, name: String, decibels: Int)
    /// It is not received although beacons near it are.
    case silent(thing: FlareID, name: String)

    package var description: String {
        switch self {
        case .tooStrong(_, let name, let decibels):
            "beacon \(name) is \(decibels) dB stronger than expected: check its configured power and its position"
        case .tooWeak(_, let name, let decibels):
            "beacon \(name) is \(decibels) dB weaker than expected: check its configured power, its position and its battery"
        case .silent(_, let name):
            "beacon \(name) is not received although beacons near it are: check its battery"
        }
    }
}

extension BeaconFinding {
    /// The name of a beacon that is heard otherwise than expected; `nil` for one that is not heard.
    package var changedBeacon: String? {
        switch self {
        case .tooStrong(_, let name, _), .tooWeak(_, let name, _): name
        case .silent: nil
        }
    }
}

/// Long-term observations of one beacon.
struct BeaconHealth: Sendable, Hashable {
    /// Slow mean of the measured level minus the level expected at the device's position, dB.
    private var error = 0.0
    private var wrongSeconds = 0.0
    private var silentSeconds = 0.0
    /// Mean over positions of the measured level minus the level that the other beacons predict, dB.
    private var crossCheckError = 0.0
    private var crossChecks = 0
    /// Position of the last cross-check, metres.
    private var x = Double.infinity
    private var y = Double.infinity

    private static let memorySeconds = 300.0
    private static let mostError = 8.0
    /// How long a problem must last before it is reported.
    private static let patienceSeconds = 600.0
    /// How many positions a cross-check needs, and how many it averages.
    ///
    /// At a single position a wall may be
    /// in the way, or the device may be right beside the beacon.
    private static let leastCrossChecks = 20
    private static let mostCrossChecks = 30
    private static let leastDoubts = 20
    private static let leastDoubt = 6.0
    /// Least distance between two cross-checks, metres.
    private static let stride = 3.0
    /// Largest distance between neighbours, metres.
    static let neighbourhood = 8.0
    /// A neighbour at this level, dB over its level at one metre, is about 10 m away or nearer: this beacon
    /// should be received too.
    static let nearLevel = -22.0

    /// Records an update in which the beacon was received.
    mutating func recordReceived(error now: Double, for step: Double) {
        silentSeconds = 0
        guard now.isFinite else { return }
        error += (now - error) * (1 - exp(-step / Self.memorySeconds))
        wrongSeconds = abs(error) > Self.mostError ? wrongSeconds + step : 0
    }

    /// Records an update in which it was not received although a neighbour was near.
    mutating func recordMissed(for step: Double) { silentSeconds += step }

    /// Records the error that the other beacons predict, and the position that they give for the device.
    mutating func recordCrossCheck(error now: Double, x: Double, y: Double) {
        guard now.isFinite, x.isFinite, y.isFinite, hypot(x - self.x, y - self.y) >= Self.stride else {
            return
        }
        (self.x, self.y) = (x, y)
        crossChecks = min(crossChecks + 1, Self.mostCrossChecks)
        crossCheckError += (now - crossCheckError) / Double(crossChecks)
    }

    /// The error that cross-checks have found so far, dB; 0 when it is small or uncertain.
    ///
    /// A level is doubted sooner than it is reported: a wrong doubt costs little.
    var doubt: Double {
        crossChecks >= Self.leastDoubts && abs(crossCheckError) > Self.leastDoubt ? crossCheckError : 0
    }

    func finding(_ beacon: BeaconMap.Beacon) -> BeaconFinding? {
        if silentSeconds >= Self.patienceSeconds { return .silent(thing: beacon.thing, name: beacon.name) }
        let isCrossChecked = crossChecks >= Self.leastCrossChecks && abs(crossCheckError) > Self.mostError
        guard isCrossChecked || wrongSeconds >= Self.patienceSeconds else { return nil }
        let error = isCrossChecked ? crossCheckError : error
        let decibels = Int(min(abs(error), 999).rounded())
        return error > 0
            ? .tooStrong(thing: beacon.thing, name: beacon.name, decibels: decibels)
            : .tooWeak(thing: beacon.thing, name: beacon.name, decibels: decibels)
    }
}
