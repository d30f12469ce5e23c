/// Things that wait to be set up, as scanners hear their access points.
extension DeviceController {
    mutating func setupCandidatesHeard(_ sightings: [SetupCandidate.Sighting]) {
        guard !sightings.isEmpty else { return }
        var heard: [String: SetupCandidate] = [:]
        for candidate in living(state.setupCandidates) { heard[candidate.sighting.ssid] = candidate }
        for sighting in sightings {
            heard[sighting.ssid] = SetupCandidate(sighting: sighting, heardAt: now)
        }
        let newest = heard.values.sorted {
            ($1.heardAt.steadyMilliseconds, $0.sighting.ssid) < (
                $0.heardAt.steadyMilliseconds, $1.sighting.ssid
            )
        }
        replaceSetupCandidates(Array(newest.prefix(SetupCandidate.maximumCount)))
    }

    mutating func forgetSetupCandidates() { replaceSetupCandidates(living(state.setupCandidates)) }

    private func living(_ candidates: [SetupCandidate]) -> [SetupCandidate] {
        candidates.filter { now.milliseconds(since: $0.heardAt) < SetupCandidate.lifetime }
    }

    /// - Parameter candidates: The newest first.
    private mutating func replaceSetupCandidates(_ candidates: [SetupCandidate]) {
        if candidates != state.setupCandidates {
            state.setupCandidates = candidates
            changes.insert(.setupCandidates)
        }
        guard let oldest = candidates.last else { return }
        let rest = SetupCandidate.lifetime - now.milliseconds(since: oldest.heardAt)
        effects.append(.startTimer(.setupExpiry, milliseconds: max(1, rest)))
    }
}
