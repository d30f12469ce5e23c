package import Daemon
package import Databases
package import Foundation
import OperatingSystem

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
        case damaged(String)
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
        let bad = found.compactMap { verdict($0.database, $0.finding) }
        return bad.isEmpty ? [DoctorVerdict(Self.check, .ok, summary)] : bad
    }

    private func verdict(_ database: StateDatabase, _ finding: Finding) -> DoctorVerdict? {
        switch finding {
        case .sound, .held, .large: nil
        case .newer(let error):
            DoctorVerdict(
                Self.check,
                .problem,
                "\(error)",
                advice: "trilateral --version shows what is installed; the daemon does not start with it"
            )
        case .damaged(let what):
            DoctorVerdict(
                Self.check,
                .problem,
                "\(database.path(in: folder)) is damaged: \(what)",
                advice:
                    "start the daemon, which puts its last good backup there; or: trilateral restore FOLDER"
            )
        case .closed:
            DoctorVerdict(
                Self.check,
                .warning,
                "this user may not read \(database.name)",
                advice: "run it with sudo, to have it looked at"
            )
        case .unknown(let reason):
            DoctorVerdict(Self.check, .warning, "\(database.name) cannot be looked at: \(reason)")
        }
    }

    private var summary: String {
        func names(_ isWanted: (Finding) -> Bool) -> String {
            found.filter { isWanted($0.finding) }.map(\.database.name).joined(separator: ", ")
        }
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
            guard let status = FileStatus(path: path) else {
                return errno == EACCES ? (database, .closed) : nil
            }
            guard status.kind == .file else { return (database, .unknown("it is no file")) }
            let isHeld = { context.daemon != nil || DatabaseFile.isHeld(path) }
            if isHeld() { return (database, .held) }
            let parts = ["", "-wal", "-journal"].compactMap { FileStatus(path: path + $0)?.size }
            guard parts.allSatisfy({ $0 <= mostBytes }) else { return (database, .large) }
            let finding = finding(database, path)
            // Who has opened it meanwhile may have written while it was copied.
            return (database, isHeld() ? .held : finding)
        }
        return facts
    }

    private static func finding(_ database: StateDatabase, _ path: String) -> Finding {
        do {
            let snapshot = try DatabaseSnapshot(of: path)
            defer { snapshot.remove() }
            switch DatabaseCheck.run(.quick, on: snapshot.path) {
            case .sound: break
            case .damaged(let what): return .damaged(what)
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
