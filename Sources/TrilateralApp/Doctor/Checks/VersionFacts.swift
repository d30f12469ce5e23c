import CSQLite
import Daemon
import Foundation
import MQTT
import OperatingSystem
import Settings

/// Which versions are at work.
package struct VersionFacts: Sendable {
    package static let check = "versions"

    package var program = ""
    package var libmosquitto = ""
    package var sqlite = ""
    package var kernel = ""
    /// The machine, and its operating system.
    package var machine = ""

    package init() {}

    package var verdicts: [DoctorVerdict] {
        let text =
            "Trilateral \(program), libmosquitto \(libmosquitto), SQLite \(sqlite), Linux \(kernel), \(machine)"
        return [DoctorVerdict(Self.check, .ok, text)]
    }

    static func gathered() -> VersionFacts {
        var facts = VersionFacts()
        facts.program = ProgramInfo.currentVersion
        facts.libmosquitto = MQTTLibrary.version
        facts.sqlite = String(cString: sqlite3_libversion())
        let kernel = FileContents.read("/proc/sys/kernel/osrelease", upTo: 4096).flatMap(\.text)
        facts.kernel = ((try? kernel.get()) ?? "unknown").trimmingCharacters(in: .whitespacesAndNewlines)
        facts.machine = HostInfo.ofThisMachine().description
        return facts
    }
}
