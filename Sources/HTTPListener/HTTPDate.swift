import Glibc

/// The value of the Date header, formatted once per second.
/// - Source: RFC 9110 5.6.7.
package struct HTTPDate {
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
        // The names are English: the program sets no locale.
        return String(unsafeUninitializedCapacity: 64) { text in
            text.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}
