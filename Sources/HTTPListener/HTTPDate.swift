import Glibc

/// The value of the Date header, formatted once per second.
/// - Source: RFC 9110 5.6.7.
package struct HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private var second = -1
    private var written = ""

    /// The current time.
    var text: String {
        mutating get {
            let now = Self.now()
            if now != second { (second, written) = (now, Self.text(of: now)) }
            return written
        }
    }

    /// Seconds since 1970-01-01 UTC.
    package static func now() -> Int { time(nil) }

    /// - Parameter second: Seconds since 1970-01-01 UTC.
    package static func text(of second: Int) -> String {
        var (time, parts) = (time_t(second), tm())
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(date) \(clock) GMT"
    }
}
