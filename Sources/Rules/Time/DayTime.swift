/// A time that each day has: by the clock, or by the sun.
/// - Source: contrib/contract/rules.md, "Schedules".
package enum DayTime: Sendable, Hashable {
    case clock(TimeOfDay)
    /// Seconds after an event of the sun; below 0 before it.
    case sun(SunEvent, offset: Int)

    /// What ``init(_:)`` accepts, for messages.
    package static let legalForm =
        "a time HH:mm:ss, or sunrise or sunset, which may have an offset as in sunset-00:30:00"

    /// Parses `08:00:00`, `sunrise`, `sunset+01:30:00`; `nil` for any other text.
    package init?(_ text: String) {
        if let time = TimeOfDay(text) {
            self = .clock(time)
            return
        }
        for event in SunEvent.allCases where text.hasPrefix(event.rawValue) {
            let rest = text.dropFirst(event.rawValue.count)
            guard let sign = rest.first else {
                self = .sun(event, offset: 0)
                return
            }
            guard sign == "+" || sign == "-", let distance = TimeOfDay(rest.dropFirst()) else { return nil }
            self = .sun(event, offset: sign == "-" ? -distance.seconds : distance.seconds)
            return
        }
        return nil
    }

    package var isSun: Bool {
        switch self {
        case .clock: false
        case .sun: true
        }
    }
}

extension DayTime: CustomStringConvertible {
    /// As ``init(_:)`` parses it.
    package var description: String {
        switch self {
        case .clock(let time): return time.description
        case .sun(let event, let offset):
            guard offset != 0, let distance = TimeOfDay(seconds: abs(offset)) else { return event.rawValue }
            return "\(event.rawValue)\(offset < 0 ? "-" : "+")\(distance)"
        }
    }
}
