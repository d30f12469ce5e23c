package import Controller
package import JSON
import Messages

/// How the announcement of this station's address stands.
package struct StationSlice: Slice {
    /// What the announcer has just found.
    package struct Report: Sendable, Hashable {
        /// In stored form.
        package let serial: String
        /// `HOST:PORT`.
        package let resolver: String
        /// As the resolver tells it; `nil` before it has.
        package let address: String?
        /// What was wrong, as a sentence; `nil` for nothing.
        package let error: String?

        package init(serial: String, resolver: String, address: String?, error: String?) {
            (self.serial, self.resolver, self.address, self.error) = (serial, resolver, address, error)
        }
    }

    private var report: Report?
    /// When it began to succeed, or to fail.
    private var since: Instant?

    package init() {}

    package mutating func apply(
        _ report: Report,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard self.report != report else { return [] }
        let isSame = self.report.map { ($0.error == nil) == (report.error == nil) } ?? false
        if !isSame { since = now }
        self.report = report
        return [.changed(.station)]
    }

    package var everything: Set<StateChange> { report == nil ? [] : [.station] }

    /// `B/station`: `{"serial","address","resolver","ok","since","error"}`; `nil` if the address is not announced.
    package var json: JSONValue? {
        guard let report else { return nil }
        return [
            "serial": .string(report.serial), "address": report.address.map { .string($0) } ?? .null,
            "resolver": .string(report.resolver), "ok": .bool(report.error == nil),
            "since": since.map { .string($0.timestamp) } ?? .null,
            "error": report.error.map { .string($0) } ?? .null,
        ]
    }
}

extension StateChange {
    package static let station = StateChange.slice("station")
}
