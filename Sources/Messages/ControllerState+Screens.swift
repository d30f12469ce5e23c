package import Controller
package import Flare

extension ControllerState {
    /// `B/display/<id>/screen`: the screen that is seen with its thing, and those below it, from the bottom.
    ///
    /// `nil` for a display that is not attached, and for all if the configuration has no screens.
    package func screenJSON(of display: String) -> JSONValue? {
        guard let stack = screens[display] else { return nil }
        func slug(_ thing: FlareID) -> JSONValue { .string(slugs[.thing, thing] ?? "\(thing)") }
        let entries = stack.entries.map { entry -> JSONValue in
            var members: [String: JSONValue] = ["screen": .string(entry.screen)]
            members["thing"] = entry.thing.map(slug)
            return .object(members)
        }
        return [
            "screen": .string(stack.current.screen), "thing": stack.current.thing.map(slug) ?? .null,
            "stack": .array(entries),
        ]
    }

    /// `B/station`: `{"serial","address","resolver","ok","since","error"}`; `nil` if the address is not announced.
    package var stationJSON: JSONValue? {
        station.map { status in
            let report = status.report
            return [
                "serial": .string(report.serial), "address": report.address.map { .string($0) } ?? .null,
                "resolver": .string(report.resolver), "ok": .bool(report.error == nil),
                "since": .string(status.since.timestamp), "error": report.error.map { .string($0) } ?? .null,
            ]
        }
    }

    /// `B/setup/candidates`: access points of things that wait to be set up, the newest first.
    package var setupCandidatesJSON: JSONValue {
        .array(
            setupCandidates.map { candidate in
                let sighting = candidate.sighting
                var members: [String: JSONValue] = [
                    "ssid": .string(sighting.ssid), "profile": .string(sighting.profile),
                    "ts": .string(candidate.heardAt.timestamp),
                ]
                members["rssi"] = sighting.rssi.map { .number($0) }
                return .object(members)
            }
        )
    }
}
