import OperatingSystem
import Settings

/// Whether the system's time zone can be read.
package struct TimeZoneFacts: Sendable {
    package static let check = "time zone"

    /// Why it cannot be read; `nil` if it can.
    package var problem: String?
    /// Whether the variable TZ says which one it is.
    package var isVariable = false
    /// The folder with the files of time zones.
    package var folder = ""
    package var hasFolder = true

    package init() {}

    package var verdicts: [DoctorVerdict] {
        if let problem {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    problem,
                    advice: isVariable
                        ? "correct the variable TZ, or remove it"
                        : "set it: timedatectl set-timezone Europe/Berlin, for example"
                )
            ]
        }
        guard hasFolder else {
            return [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "\(folder) is not there; rules can be in UTC only",
                    advice: "install the package tzdata"
                )
            ]
        }
        return [DoctorVerdict(Self.check, .ok, "the system's zone and the files in \(folder) can be read")]
    }

    package static func gathered(_ environment: [String: String]) -> TimeZoneFacts {
        var facts = TimeZoneFacts()
        let database = TimeZoneDatabase(environment)
        facts.folder = database.folder
        facts.isVariable = environment["TZ"] != nil
        facts.hasFolder = FileStatus(path: database.folder)?.kind == .folder
        do throws(TimeZoneError) {
            _ = try database.systemZone()
        } catch {
            facts.problem = error.description
        }
        return facts
    }
}
