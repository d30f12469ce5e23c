package import Foundation

/// Times of messages as a person reads them: by the clock of this machine.
package struct LocalTime: Hashable {
    private let zone: TimeZone

    package init(zone: TimeZone = .gmt) { self.zone = zone }

    /// By the time zone of whoever runs the program (`TZ`, else that of the machine).
    package static var ofThisMachine: LocalTime { LocalTime(zone: .autoupdatingCurrent) }

    /// The time of day of an RFC 3339 time, `10:09:00`; what is none is returned as it is.
    func clock(_ timestamp: String) -> String {
        text(timestamp, style.time(includingFractionalSeconds: false))
    }

    /// Day and time of day, `2026-11-21 10:09:00`.
    func dayAndClock(_ timestamp: String) -> String {
        let day = style.year().month().day().dateTimeSeparator(.space)
        return text(timestamp, day.time(includingFractionalSeconds: false))
    }

    private var style: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle(timeZone: zone) }

    private func text(_ timestamp: String, _ style: Date.ISO8601FormatStyle) -> String {
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = (try? fractional.parse(timestamp)) ?? (try? Date.ISO8601FormatStyle().parse(timestamp))
        return date.map(style.format) ?? timestamp
    }
}
