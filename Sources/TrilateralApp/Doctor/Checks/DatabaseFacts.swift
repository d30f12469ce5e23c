package import Daemon
package import Databases
package import Foundation
import OperatingSystem
import Settings

/// Whether the databases are sound, and of a version that this program knows.
package struct DatabaseFacts: Sendable {
    package static let check = "databases"
    /// Larger ones take too long; the daemon looks at them once a week.
    private static let mostBytes = 32 << 20

    /// What was found of a database.
    package enum Finding: Sendable {
        case sound
        /// A process has it open.
        case held
        case large
        case newer(NewerDatabase)
        /// With the last backup that has it.
        case damaged(String, Backup?)
        /// It is not there, or empty, and a backup has it.
        case missing(Backup)
        /// This user may not read it.
        case closed
        case unknown(String)
    }

    package var folder = URL(filePath: "/")
    /// Those that are there.
    package var found: [(database: StateDatabase, finding: Finding)] = []

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard !found.isEmpty else { return [DoctorVerdict(Self.check, .ok, "there are none yet")] }
        let closed = names { if case .closed = $0 { true } else { false } }
        let bad =
            found.compactMap { verdict($0.database, $0.finding) }
            + (closed.isEmpty
                ? []
                : [
                    DoctorVerdict(
                        Self.check,
                        .warning,
                        "this user may not look at \(closed)",
                        advice: "run it with sudo, to have them looked at"
                    )
                ])
        return bad.isEmpty ? [DoctorVerdict(Self.check, .ok, summary)] : bad
    }

    private func verdict(_ database: StateDatabase, _ finding: Finding) -> DoctorVerdict? {
        switch finding {
        case .sound, .held, .large, .closed: nil
        case .newer(let error):
            DoctorVerdict(
                Self.check,
                .problem,
                "\(error)",
                advice: "trilateral --version shows what is installed; the daemon does not start with it"
            )
        case .damaged(let what, let backup):
            DoctorVerdict(
                Self.check,
                .problem,
                "\(database.path(in: folder)) is damaged: \(what)",
                advice: backup.map {
                    "start the daemon, which puts its last good backup there; or: trilateral restore \($0.path)"
                }
                    ?? "the daemon has no backup of it: restore one that you have (trilateral restore FOLDER), or move the file away to begin an empty one"
            )
        case .missing(let backup):
            DoctorVerdict(
                Self.check,
                .warning,
                "\(database.name) is missing or empty, and \(backup.path) has it",
                advice: "start the daemon, which puts it back; or: trilateral restore \(backup.path)"
            )
        case .unknown(let reason):
            DoctorVerdict(Self.check, .warning, "\(database.name) cannot be looked at: \(reason)")
        }
    }

    private func names(_ isWanted: (Finding) -> Bool) -> String {
        found.filter { isWanted($0.finding) }.map(\.database.name).joined(separator: ", ")
    }

    private var summary: String {
        let (sound, held) = (
            names { if case .sound = $0 { true } else { false } },
            names { if case .held = $0 { true } else { false } }
        )
        let large = names { if case .large = $0 { true } else { false } }
        return [
            sound.isEmpty ? nil : "sound: \(sound)",
            held.isEmpty ? nil : "open, and checked by the daemon at its start: \(held)",
            large.isEmpty ? nil : "too large to be checked here, which the daemon does once a week: \(large)",
        ].compactMap(\.self).joined(separator: "; ")
    }

    static func gathered(_ context: DoctorContext) -> DatabaseFacts {
        var facts = DatabaseFacts()
        let folder = URL(filePath: context.stateFolder, directoryHint: .isDirectory)
        facts.folder = folder
        facts.found = StateDatabase.allCases.compactMap { database in
            let path = database.path(in: folder)
            let status = FileStatus(path: path)
            if status == nil, errno == EACCES { return (database, .closed) }
            let backup = { StateRepair.lastBackup(of: database, in: folder, context.values.backup) }
            if status == nil || status?.size == 0, context.daemon == nil, let backup = backup() {
                return (database, .missing(backup))
            }
            guard let status else { return nil }
            guard status.kind == .file else { return (database, .unknown("it is no file")) }
            let isHeld = { context.daemon != nil || DatabaseFile.isHeld(path) }
            if isHeld() { return (database, .held) }
            let parts = ["", "-wal", "-journal"].compactMap { FileStatus(path: path + $0)?.size }
            guard parts.allSatisfy({ $0 <= mostBytes }) else { return (database, .large) }
            let finding = finding(database, path, backup)
            // Who has opened it meanwhile may have written while it was copied.
            return (database, isHeld() ? .held : finding)
        }
        return facts
    }

    private static func finding(
        _ database: StateDatabase,
        _ path: String,
        _ backup: () -> Backup?
    ) -> Finding {
        do {
            let snapshot = try DatabaseSnapshot(of: path)
            defer { snapshot.remove() }
            switch DatabaseCheck.run(.quick, on: snapshot.path) {
            case .sound: break
            case .damaged(let what): return .damaged(what, backup())
            case .unknown(let what): return .unknown(what)
            }
            try database.schema?.check(file: snapshot.path)
            return .sound
        } catch let error as NewerDatabase {
            return .newer(
                NewerDatabase(path: path, steps: error.steps, known: error.known, program: error.program)
            )
        } catch BackupError.system(_, EACCES) {
            return .closed
        } catch {
            return .unknown("\(error)")
        }
    }
}
