package import Foundation

/// Times of messages as a person reads them: by the clock of this machine.
package struct LocalTime: Hashable {
    private let zone: TimeZone

    package init(zone: TimeZone = .gmt) { self.zone = zone }

    /// By the time zone of whoever runs the program (`TZ`, else that of the machine).
    package static var ofThisMachine: LocalTime { LocalTime(zone: .autoupdatingCurrent) }

    /// The time of day of an RFC 3339 time, `10:09:00`; what is none is returned as it is.
    func clock(_ timestamp: String) -> String {
        guard let parts = parts(timestamp) else { return timestamp }
        return parts.clock
    }

    /// Day and time of day, `2026-11-21 10:09:00`.
    func dayAndClock(_ timestamp: String) -> String {
        guard let parts = parts(timestamp) else { return timestamp }
        return "\(parts.day) \(parts.clock)"
    }

    private func parts(_ timestamp: String) -> (day: String, clock: String)? {
        let whole = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? fractional.parse(timestamp)) ?? (try? whole.parse(timestamp)) else {
            return nil
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let fields = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String {
            let digits = String(number ?? 0)
            return digits.count < 2 ? "0" + digits : digits
        }
        return (
            "\(fields.year ?? 0)-\(two(fields.month))-\(two(fields.day))",
            "\(two(fields.hour)):\(two(fields.minute)):\(two(fields.second))"
        )
    }
}
