import Daemon
import Databases
import Foundation
import OperatingSystem
import Settings
import Text

/// Whether the folder of the backups can be used, and how old the last one is.
package struct BackupFacts: Sendable {
    package static let check = "backups"
    /// The first backup is made ten minutes after a start; a large one takes its time.
    private static let young = Duration.seconds(3600)
    private static let hour: Int64 = 3_600_000

    package var path = ""
    /// `backup.every_hours`.
    package var everyHours = 24
    /// Why the folder cannot be used, as a sentence without its subject; `nil` if it can.
    package var problem: String?
    /// Whether that is judged for the user of the service.
    package var isForService = false
    /// Whether this user may not look into it.
    package var isClosed = false
    /// When the last complete backup was made, milliseconds since 1970, UTC.
    package var last: Int64?
    /// Whether the state folder says that there was one.
    package var wasMade = false
    /// How long the daemon has been running; `nil` if none runs.
    package var uptime: Duration?
    package var now: Int64 = 0

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard everyHours > 0 else { return [verdict(.ok, "none are made, as backup.every_hours is 0")] }
        if let problem {
            let advice =
                "mount its disk, let the daemon's user write there, or name another folder in backup.folder"
            let whose = isForService ? ", for the service's user:" : ""
            return [verdict(.problem, "\(path)\(whose) \(problem)", advice)]
        }
        if isClosed {
            let advice = "run it with sudo, to have it looked at"
            return [verdict(.warning, "this user may not look into \(path)", advice)]
        }
        guard let last else { return [withoutBackup] }
        let age = max(0, now - last) / Self.hour
        let text = "the last one in \(path) is of \(CivilTime(milliseconds: last).shortText), \(age) h ago"
        guard age > 2 * Int64(everyHours) else { return [verdict(.ok, text)] }
        if isYoung { return [verdict(.ok, "\(text); \(Self.next)")] }
        return [verdict(.warning, "\(text), and one is to be made every \(everyHours) h", advice)]
    }

    private static let next = "the daemon makes the next one ten minutes after its start"

    private var isYoung: Bool { uptime.map { $0 < Self.young } ?? false }

    private var advice: String {
        uptime == nil
            ? "start the daemon, which makes one after ten minutes"
            : "trilateral get alerts, and the log, say why none is made; or make one: trilateral backup FOLDER"
    }

    private var withoutBackup: DoctorVerdict {
        if wasMade {
            let advice = "mount the disk of \(path), if it is on another one"
            return verdict(.warning, "backups were made, and \(path) has none of this installation", advice)
        }
        if uptime == nil || isYoung {
            return verdict(.ok, "there is none in \(path) yet; \(Self.next)")
        }
        let text = "there is none in \(path), though the daemon has been running for over an hour"
        return verdict(.warning, text, advice)
    }

    private func verdict(
        _ level: DoctorVerdict.Level,
        _ text: String,
        _ advice: String? = nil
    ) -> DoctorVerdict {
        DoctorVerdict(Self.check, level, text, advice: advice)
    }

    static func gathered(_ context: DoctorContext) -> BackupFacts {
        var facts = BackupFacts()
        let folder = URL(filePath: context.stateFolder, directoryHint: .isDirectory)
        let settings = context.values.backup
        facts.path = BackupService.backups(in: folder, settings)
        facts.everyHours = settings.everyHours
        guard settings.everyHours > 0 else { return facts }
        let isThere = FileStatus(path: facts.path) != nil
        let isHidden = !isThere && errno == EACCES
        facts.isClosed = isHidden || (isThere && (try? Folder.names(in: facts.path)) == nil)
        // Another state folder than the service's may be looked at with its configuration.
        let service = settings.folder == nil ? nil : context.unitOfFile.map { ServiceAccess($0) }
        facts.isForService = service != nil
        // A daemon of another user may write where this one may not. `rights` looks at the state folder.
        let isOwn = context.daemon.map { $0.owner == geteuid() } ?? true
        if settings.folder != nil || isThere, service != nil || isOwn || geteuid() == 0 {
            facts.problem = BackupFolder.problem(of: facts.path, for: service)
        } else if settings.folder != nil, isThere, FileStatus(path: facts.path)?.kind != .folder {
            facts.problem = BackupFolder.problem(of: facts.path)
        }
        facts.now = Int64(Date().timeIntervalSince1970 * 1000)
        facts.uptime = context.daemon.flatMap { ProcessTable.age(of: $0.processID) }
        facts.wasMade = BackupRecord(in: context.stateFolder) != nil
        let made = StateRepair.backups(of: folder, settings).map(\.made)
        // One of a clock that was ahead does not count.
        facts.last = made.filter { $0 <= facts.now }.max()
        return facts
    }
}
