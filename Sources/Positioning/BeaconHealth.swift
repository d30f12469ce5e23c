package import Flare
import Glibc

/// What is wrong with a beacon of the place, as far as one can hear.
/// - Source: positioning 6.8.
package enum BeaconFinding: Sendable, Hashable, CustomStringConvertible {
    /// It sounds so many dB stronger than it should.
    case tooStrong(thing: FlareID, name: String, decibels: Int)
    /// It sounds so many dB weaker than it should.
    case tooWeak(thing: FlareID, name: String, decibels: Int)
    /// Its neighbours are heard, and it is not.
    case silent(thing: FlareID, name: String)

    package var description: String {
        switch self {
        case .tooStrong(_, let name, let decibels):
            "beacon \(name) sounds \(decibels) dB too strong: check its power and its place"
        case .tooWeak(_, let name, let decibels):
            "beacon \(name) sounds \(decibels) dB too weak: check its power, its place and its battery"
        case .silent(_, let name):
            "beacon \(name) is silent while others beside it are heard: check its battery"
        }
    }
}

/// How one beacon does over the minutes.
struct BeaconHealth: Sendable, Hashable {
    /// How much stronger it sounds than expected, a slow mean, dB.
    private var error = 0.0
    private var wrongSeconds = 0.0
    private var silentSeconds = 0.0

    private static let memorySeconds = 300.0
    private static let mostError = 8.0
    /// How long something is wrong before it is told.
    private static let patienceSeconds = 600.0
    /// Neighbours are no farther than this from each other, metres.
    static let neighbourhood = 8.0
    /// A neighbour that is heard like this, dB over one metre, is about 10 m away or nearer: then the other can be heard too.
    static let nearLevel = -22.0

    /// It is heard.
    mutating func hear(error now: Double, for step: Double) {
        silentSeconds = 0
        guard now.isFinite else { return }
        error += (now - error) * (1 - exp(-step / Self.memorySeconds))
        wrongSeconds = abs(error) > Self.mostError ? wrongSeconds + step : 0
    }

    /// It is not heard, though a neighbour of it is near.
    mutating func miss(for step: Double) { silentSeconds += step }

    func finding(_ beacon: BeaconMap.Beacon) -> BeaconFinding? {
        if silentSeconds >= Self.patienceSeconds { return .silent(thing: beacon.thing, name: beacon.name) }
        guard wrongSeconds >= Self.patienceSeconds else { return nil }
        let decibels = Int(min(abs(error), 999).rounded())
        return error > 0
            ? .tooStrong(thing: beacon.thing, name: beacon.name, decibels: decibels)
            : .tooWeak(thing: beacon.thing, name: beacon.name, decibels: decibels)
    }
}
