package import Controller
package import JSON
import Messages

/// Access points that are probably things of a profile that wait to be set up, as scanners hear them.
package struct SetupCandidates: Slice {
    package enum Event: Sendable, Hashable {
        case heard([Sighting])
        /// The oldest one may have to go.
        case expired
    }

    /// A scanner has just heard an access point.
    package struct Sighting: Sendable, Hashable {
        package let ssid: String
        /// The name of the profile.
        package let profile: String
        /// dBm, if the scanner says so.
        package let rssi: Double?

        package init(ssid: String, profile: String, rssi: Double? = nil) {
            (self.ssid, self.profile, self.rssi) = (ssid, profile, rssi)
        }
    }

    private struct Candidate: Sendable, Hashable {
        let sighting: Sighting
        /// When it was last heard.
        let heardAt: Instant
    }

    /// How long one counts that is not heard again, milliseconds.
    private static let lifetime: Int64 = 300_000
    /// The most that are kept; the ones that were not heard for longest go first.
    package static let maximumCount = 200

    /// The newest first.
    private var candidates: [Candidate] = []

    package init() {}

    package mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] {
        switch event {
        case .heard(let sightings): heard(sightings, at: now)
        case .expired: replace(with: living(at: now), at: now)
        }
    }

    private mutating func heard(_ sightings: [Sighting], at now: Instant) -> [SliceEffect] {
        guard !sightings.isEmpty else { return [] }
        var heard: [String: Candidate] = [:]
        for candidate in living(at: now) { heard[candidate.sighting.ssid] = candidate }
        for sighting in sightings { heard[sighting.ssid] = Candidate(sighting: sighting, heardAt: now) }
        let newest = heard.values.sorted {
            ($1.heardAt.steadyMilliseconds, $0.sighting.ssid) < (
                $0.heardAt.steadyMilliseconds, $1.sighting.ssid
            )
        }
        return replace(with: Array(newest.prefix(Self.maximumCount)), at: now)
    }

    private func living(at now: Instant) -> [Candidate] {
        candidates.filter { now.milliseconds(since: $0.heardAt) < Self.lifetime }
    }

    private mutating func replace(with new: [Candidate], at now: Instant) -> [SliceEffect] {
        var effects: [SliceEffect] = candidates == new ? [] : [.changed(.setupCandidates)]
        candidates = new
        if let oldest = new.last {
            let rest = Self.lifetime - now.milliseconds(since: oldest.heardAt)
            effects.append(.perform(.startTimer(Self.timer(.expired), milliseconds: max(1, rest))))
        }
        return effects
    }

    package var everything: Set<StateChange> { candidates.isEmpty ? [] : [.setupCandidates] }

    /// `B/setup/candidates`: access points of things that wait to be set up, the newest first.
    package var json: JSONValue {
        .array(
            candidates.map { candidate in
                let sighting = candidate.sighting
                var members: JSONObject = [
                    "ssid": .string(sighting.ssid), "profile": .string(sighting.profile),
                    "ts": .string(candidate.heardAt.timestamp),
                ]
                members["rssi"] = sighting.rssi.map { .number($0) }
                return .object(members)
            }
        )
    }
}

extension StateChange {
    package static let setupCandidates = StateChange.slice("setup")
}
