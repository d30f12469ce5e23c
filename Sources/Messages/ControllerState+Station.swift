package import Controller
package import JSON

extension ControllerState {
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
}
