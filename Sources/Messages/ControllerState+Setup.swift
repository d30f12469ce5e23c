package import Controller
package import JSON

extension ControllerState {
    /// `B/setup/candidates`: access points of things that wait to be set up, the newest first.
    package var setupCandidatesJSON: JSONValue {
        .array(
            setupCandidates.map { candidate in
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
