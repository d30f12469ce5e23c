import Daemon
import Foundation
package import OperatingSystem

/// The space and the files that are left where the databases are.
package struct DiskFacts: Sendable {
    package static let check = "disk"
    private static let fewBytes: UInt64 = 64 << 20
    private static let fewFiles: UInt64 = 1000

    package var path = ""
    /// `nil` if it cannot be reached.
    package var space: FileSystemSpace?
    /// What the databases need, bytes.
    package var needed: UInt64 = 1 << 20

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard let space else {
            return [DoctorVerdict(Self.check, .warning, "the disk of \(path) cannot be looked at")]
        }
        if space.isReadOnly {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "the file system of \(path) is read-only",
                    advice:
                        "look at dmesg for errors of the disk; mount it for writing, or choose another --state"
                )
            ]
        }
        var found: [DoctorVerdict] = []
        let left = Self.text(space.freeBytes)
        if space.freeBytes < Self.fewBytes {
            let isFull = space.freeBytes < needed
            found.append(
                DoctorVerdict(
                    Self.check,
                    isFull ? .problem : .warning,
                    "\(left) are left on the disk of \(path)",
                    advice: "make room there"
                )
            )
        }
        if space.totalFiles > 0, space.freeFiles < Self.fewFiles {
            found.append(
                DoctorVerdict(
                    Self.check,
                    space.freeFiles < 16 ? .problem : .warning,
                    "\(space.freeFiles) files (inodes) are left on the disk of \(path)",
                    advice: "remove files there; df -i shows where they are"
                )
            )
        }
        let files = space.totalFiles > 0 ? ", \(space.freeFiles) files" : ""
        return found.isEmpty ? [DoctorVerdict(Self.check, .ok, "\(left)\(files) left at \(path)")] : found
    }

    private static func text(_ bytes: UInt64) -> String {
        bytes >= 1 << 30 ? "\(bytes >> 30) GB" : bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes >> 10) kB"
    }

    static func gathered(_ context: DoctorContext) -> DiskFacts {
        var facts = DiskFacts()
        facts.path = context.stateFolder
        // A folder that is still to be made is on the disk of the one above it.
        var url = URL(filePath: context.stateFolder, directoryHint: .isDirectory).standardized
        for _ in 0..<64 {
            facts.space = FileSystemSpace(path: url.path(percentEncoded: false))
            if facts.space != nil || url.pathComponents.count < 2 { break }
            url.deleteLastPathComponent()
        }
        return facts
    }
}
