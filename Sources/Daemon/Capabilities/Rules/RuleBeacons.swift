import Positioning
import Rules
import Threading

/// The beacons that rules name, among all that are heard.
final class RuleBeacons: Sendable {
    private struct State: Sendable {
        var wanted: Set<BeaconName> = []
        /// When each was passed on last, and how strong it was: the steady clock, milliseconds.
        var passed: [BeaconIdentity: (at: Int64, rssi: Int)] = [:]
    }

    /// A beacon sends several packets a second; the next one is passed on after this time, milliseconds.
    private static let interval: Int64 = 1000
    /// At most so many beacons are remembered.
    private static let capacity = 10_000

    private let state = Locked(State())
    private let clock: @Sendable () -> Int64
    private let send: @Sendable (BeaconName, _ rssi: Int) -> Void

    /// - Parameters:
    ///   - clock: The steady clock, milliseconds.
    ///   - send: Receives the packets of beacons that rules name, each by the name of the one beacon.
    init(
        clock: @escaping @Sendable () -> Int64,
        send: @escaping @Sendable (BeaconName, _ rssi: Int) -> Void
    ) {
        (self.clock, self.send) = (clock, send)
    }

    /// Follows these beacons from now on, and groups of beacons.
    func use(_ names: Set<BeaconName>) {
        state.withLock { state in
            guard state.wanted != names else { return }
            (state.wanted, state.passed) = (names, [:])
        }
    }

    /// A packet was heard.
    func hear(_ sighting: BeaconSighting) {
        let isConcerned = state.withLock { !$0.wanted.isEmpty }
        guard isConcerned, BeaconSighting.isUsable(rssi: sighting.rssi),
            let name = BeaconName(sighting.identity)
        else { return }
        let now = clock()
        let isPassed = state.withLock { state in
            guard !state.wanted.isDisjoint(with: name.withGroups) else { return false }
            if let last = state.passed[sighting.identity], now - last.at < Self.interval,
                sighting.rssi <= last.rssi
            {
                return false
            }
            if state.passed.count >= Self.capacity { state.passed = [:] }
            state.passed[sighting.identity] = (now, sighting.rssi)
            return true
        }
        if isPassed { send(name, sighting.rssi) }
    }
}

extension BeaconName {
    /// The name of one beacon; `nil` for a receiver.
    ///
    /// Of an Eddystone's instance the scanner keeps the last eight digits, as two decimal numbers: the first four
    /// count as 0.
    init?(_ identity: BeaconIdentity) {
        switch identity.group {
        case .uuid(let uuid):
            self.init(uuid: uuid.description, major: identity.major, minor: identity.minor)
        case .namespace(let namespace):
            let instance = "0000" + Self.digits(identity.major) + Self.digits(identity.minor)
            self.init(namespace: namespace.description, instance: instance)
        case .receivers: return nil
        }
    }

    private static func digits(_ number: UInt16) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
