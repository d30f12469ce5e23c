import Administration
import ArgumentParser
import Daemon
import Databases
import Foundation
import JSON
import OperatingSystem

/// `trilateral backup`: copies everything that the state folder keeps.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy all databases to a new folder, also while the daemon runs.",
        discussion: """
            The folder gets a copy of each database, as it is at this moment, and backup.json. The copies are checked, and \
            the folder is there whole or not at all. It holds hashes of passwords and keys of sessions: only its owner may \
            look into it. trilateral restore puts it back. The place alone is what trilateral export writes.
            """
    )

    @Argument(file: "The folder to make; it must not exist.", name: "folder")
    var folder: String

    @OptionGroup var state: StateOption

    func run() async throws {
        let location = try state.location()
        let target = URL(filePath: folder, directoryHint: .notDirectory).absoluteURL.standardized
        let path = target.path(percentEncoded: false)
        guard FileStatus(path: path, followsLinks: false) == nil else {
            throw VerbError("\(BackupError.exists(path: path))", .cannotCreate)
        }
        let present = StateDatabase.allCases.filter {
            FileStatus(path: $0.path(in: URL(filePath: location.path, directoryHint: .isDirectory))) != nil
        }
        guard !present.isEmpty else {
            throw VerbError(
                "there are no databases in \(location.path); name the state folder with --state",
                .noInput
            )
        }
        let stateFolder = try location.open()
        let backup: Backup
        do throws(BackupError) {
            backup = try await make(present, in: stateFolder, to: path)
        } catch {
            throw VerbError(error)
        }
        let rows = backup.files.map { [$0.name, ByteCount.text($0.bytes)] }
        let lines = TextTable(rows: rows).lines.map { "  \($0)\n" }.joined()
        try StandardOutput.write("\(backup.path)\n\(lines)")
    }

    private func make(
        _ databases: [StateDatabase],
        in state: StateFolder,
        to path: String
    ) async throws(BackupError) -> Backup {
        for _ in 1...10 {
            if let made = try await BackupByDaemon(folder: state.path).make() {
                return try made.take(to: path)
            }
            guard databases.contains(where: { DatabaseFile.isHeld($0.path(in: state.url)) }) else { break }
            // A daemon that has just started does not answer yet.
            try? await Task.sleep(for: .milliseconds(200))
        }
        return try await BackupWriter().write(
            databases.map { $0.source(in: state.url) },
            to: path,
            depth: .full,
            at: Int64(Date().timeIntervalSince1970 * 1000)
        )
    }
}

/// Sizes for people.
enum ByteCount {
    static func text(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1000) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}

extension VerbError {
    /// Why there is no backup, or nothing was restored.
    init(_ error: BackupError) {
        let code: ExitCode =
            switch error {
            case .system(_, ENOENT): .noInput
            case .system(_, EACCES), .system(_, EPERM): .noPermission
            case .system, .noRoom: .ioError
            case .exists: .cannotCreate
            case .notABackup, .damaged: .dataError
            // BUSY, LOCKED.
            case .database(_, 5, _), .database(_, 6, _), .busy, .cancelled: .temporary
            case .database: .ioError
            case .daemon: .unavailable
            }
        self.init("\(error)", code)
    }
}
