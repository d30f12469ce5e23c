import Foundation
import OperatingSystem

/// Whether the clock can be right.
package struct ClockFacts: Sendable {
    package static let check = "clock"
    /// This program is not older, and rules end their time zones later.
    private static let plausible = 2025...2099

    package var year = 2025
    /// `nil` if the system does not say.
    package var isSynchronised: Bool?
    /// The time, for people.
    package var text = ""

    package init() {}

    package var verdicts: [DoctorVerdict] {
        let advice = "set it: timedatectl set-ntp true, or install chrony or systemd-timesyncd"
        guard Self.plausible.contains(year) else {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "it is not \(year): certificates, rights with an end and rules go by the clock",
                    advice: advice
                )
            ]
        }
        switch isSynchronised {
        case true?: return [DoctorVerdict(Self.check, .ok, "\(text), kept right by a time service")]
        case false?:
            return [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "\(text), and no time service keeps it right",
                    advice: advice
                )
            ]
        case nil: return [DoctorVerdict(Self.check, .ok, text)]
        }
    }

    static func gathered() -> ClockFacts {
        var facts = ClockFacts()
        let now = Date()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        facts.year = calendar.component(.year, from: now)
        facts.text = now.formatted(.iso8601)
        facts.isSynchronised = SystemClock.isSynchronised
        return facts
    }
}
