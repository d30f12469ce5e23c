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
    /// How much stronger it sounds than where the device is lets expect, a slow mean, dB.
    private var error = 0.0
    private var wrongSeconds = 0.0
    private var silentSeconds = 0.0
    /// How much stronger it sounds than the other beacons let expect, a mean over places, dB.
    private var verdict = 0.0
    private var places = 0
    /// Where it was judged last, metres.
    private var x = Double.infinity
    private var y = Double.infinity

    private static let memorySeconds = 300.0
    private static let mostError = 8.0
    /// How long something is wrong before it is told.
    private static let patienceSeconds = 600.0
    /// At how many places it is judged before that counts, and how many count: at a single one a wall may be in the way,
    /// or the device beside it.
    private static let leastPlaces = 20
    private static let mostPlaces = 30
    /// How far places are apart, metres.
    private static let stride = 3.0
    /// Neighbours are no farther than this from each other, metres.
    static let neighbourhood = 8.0
    /// A neighbour that is heard like this, dB over one metre, is about 10 m away or nearer: the other could be heard too.
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

    /// Others say how far it is off, and where the device is.
    mutating func judge(error now: Double, x: Double, y: Double) {
        guard now.isFinite, x.isFinite, y.isFinite, hypot(x - self.x, y - self.y) >= Self.stride else {
            return
        }
        (self.x, self.y) = (x, y)
        places = min(places + 1, Self.mostPlaces)
        verdict += (now - verdict) / Double(places)
    }

    func finding(_ beacon: BeaconMap.Beacon) -> BeaconFinding? {
        if silentSeconds >= Self.patienceSeconds { return .silent(thing: beacon.thing, name: beacon.name) }
        let isJudged = places >= Self.leastPlaces && abs(verdict) > Self.mostError
        guard isJudged || wrongSeconds >= Self.patienceSeconds else { return nil }
        let error = isJudged ? verdict : error
        let decibels = Int(min(abs(error), 999).rounded())
        return error > 0
            ? .tooStrong(thing: beacon.thing, name: beacon.name, decibels: decibels)
            : .tooWeak(thing: beacon.thing, name: beacon.name, decibels: decibels)
    }
}
