import ArgumentParser
import Daemon
import Databases
import Foundation
import OperatingSystem
import Text

/// `trilateral restore`: puts a backup in the place of a state folder's databases.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put the databases of a backup in place of the present ones.",
        discussion: """
            Shows what is there and what comes in its place, and asks. No daemon may run on the state folder. The present \
            databases are kept in a folder beside them, which you may remove. A backup of a newer version is refused.
            """
    )

    @Argument(file: "A folder that trilateral backup, or the schedule, has made.", name: "folder")
    var folder: String

    @Flag(name: [.customLong("yes"), .customShort("y")], help: "Restore without asking.")
    var isSure = false

    @OptionGroup var state: StateOption

    func run() async throws {
        let location = try state.location()
        do {
            let path = URL(filePath: folder).absoluteURL.standardized.path(percentEncoded: false)
            let backup = try Backup(reading: path)
            let databases = try check(backup)
            let state = try location.open()
            try await requireNoDaemon(on: state, location)
            try await compare(backup, databases, in: state)
            // A person may have thought about it for an hour.
            try await requireNoDaemon(on: state, location)
            let aside = try replace(databases, with: backup, in: state)
            try StandardOutput.print(
                "restored \(databases.map(\.name).joined(separator: ", ")); what was there is in \(aside)"
            )
        } catch let error as BackupError {
            throw VerbError(error)
        }
    }

    /// The databases of a backup that this program can use.
    private func check(_ backup: Backup) throws -> [StateDatabase] {
        let databases = backup.files.compactMap { StateDatabase(rawValue: $0.name) }
        guard !databases.isEmpty else {
            throw BackupError.notABackup(path: backup.path, why: "it has no database that this version knows")
        }
        try backup.verify(.full, databases.map(\.name))
        for database in databases {
            do {
                try database.schema?.check(file: backup.file(database.name))
            } catch let error as NewerDatabase {
                throw VerbError("\(error)", .dataError)
            }
        }
        return databases
    }

    /// - Throws: ``VerbError`` if a daemon or another command uses the folder, or has just begun to.
    private func requireNoDaemon(on folder: StateFolder, _ location: StateLocation) async throws {
        let isHeld = StateDatabase.allCases.contains { DatabaseFile.isHeld($0.path(in: folder.url)) }
        let now = try? state.location()
        var isUsed = isHeld || location.daemon != nil || (now?.path == location.path && now?.daemon != nil)
        if !isUsed { isUsed = await AdministrationClient(folder: folder.path).isAnswered }
        guard !isUsed else {
            throw VerbError(
                "a daemon or another command uses \(folder.path): stop it first (sudo systemctl stop trilateral)",
                .temporary
            )
        }
    }

    private func compare(
        _ backup: Backup,
        _ databases: [StateDatabase],
        in state: StateFolder
    ) async throws {
        let time = CivilTime(milliseconds: backup.made).shortText
        var lines = ["\(backup.path) was made by trilateral \(backup.program) at \(time)"]
        var rows: [[String]] = []
        for database in StateDatabase.allCases {
            let now = database.contents(of: database.path(in: state.url))
            let isInBackup = databases.contains(database)
            guard now != nil || isInBackup else { continue }
            rows.append([database.name, "now", now.map(Self.words) ?? "none"])
            let then = isInBackup ? database.contents(of: backup.file(database.name)) : nil
            rows.append(["", "backup", then.map(Self.words) ?? "not in it: the present one stays"])
        }
        lines += TextTable(rows: rows).lines.map { "  \($0)" }
        for line in lines { StandardError.print(line) }
        if isSure { return }
        guard StandardInput.canAsk else {
            throw VerbError(
                "nothing was restored: there is no terminal to ask on; --yes restores without asking",
                .usage
            )
        }
        guard try await StandardInput.confirms("put the backup in place of the present databases?") else {
            throw VerbError("nothing was restored", .failure)
        }
    }

    private static func words(_ contents: StateDatabase.Contents) -> String {
        let time = CivilTime(milliseconds: Int64(contents.changed) * 1000).shortText
        let counts = contents.counts.filter { $0.rows > 0 }.map { "\($0.what): \($0.rows)" }
        return ([time, ByteCount.text(contents.bytes)] + (counts.isEmpty ? ["empty"] : counts)).joined(
            separator: ", "
        )
    }

    /// - Returns: Where the present databases are kept.
    private func replace(
        _ databases: [StateDatabase],
        with backup: Backup,
        in state: StateFolder
    ) throws -> String {
        let time = CivilTime.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).prefix(19)
            .filter { $0 != "-" && $0 != ":" }
        let aside = state.url.appending(path: "replaced-\(time)Z").path(percentEncoded: false)
        guard mkdir(aside, 0o700) == 0 else { throw BackupError.system(path: aside, code: errno) }
        if geteuid() == 0, let status = FileStatus(path: state.path) {
            lchown(aside, status.owner, status.group)
        }
        try state.opening {
            do {
                try StateReplacement(of: state.path, from: backup).replace(databases.map(\.name)) { name in
                    // All copies are beside their places by now: a crash after this leaves none that only root can open.
                    state.opening {}
                    return "\(aside)/\(name)"
                }
            } catch {
                rmdir(aside)
                throw error
            }
        }
        return aside
    }
}
