import Flare

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

    /// Keeps how the announcement of this station stands.
    mutating func stationAnnounced(_ report: StationStatus.Report) {
        guard state.station?.report != report else { return }
        let isSame = state.station.map { ($0.report.error == nil) == (report.error == nil) } ?? false
        let since = isSame ? state.station?.since : nil
        state.station = StationStatus(report: report, since: since ?? now)
        changes.insert(.station)
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
