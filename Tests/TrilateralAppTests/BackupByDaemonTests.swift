import Databases
import Foundation
import TestSupport
import Testing
import TrilateralApp

struct BackupByDaemonTests {
    private func make(_ name: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(name),
            withIntermediateDirectories: true
        )
        try folder.write("copy", to: "\(name)/flare.db")
        try folder.write(
            #"{"program":"1.0.0","made":"2026-11-27T22:00:00Z","databases":{"flare.db":{"bytes":4}}}"#,
            to: "\(name)/backup.json"
        )
    }

    private func link(_ name: String, to target: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(name),
            withDestinationPath: folder.path(target)
        )
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test(
        arguments: [
            ("/state/.backup-1a", "/state/.backup-1a"), (".backup-1a", "/state/.backup-1a"),
            ("/elsewhere/.backup-1a", "/state/.backup-1a"), ("/etc", nil), ("/state/.backup-1a/..", nil),
            ("/state/.backup-1a/", nil), ("/state/backups", nil), ("", nil), ("..", nil),
            (".backup-" + String(repeating: "a", count: 100), nil), (".backup-\0", nil),
        ] as [(String, String?)]
    )
    func `of what a daemon says, only the name of one of its backups is believed`(
        answer: String,
        place: String?
    ) {
        #expect(BackupByDaemon.place(of: answer, in: "/state") == place)
        #expect(BackupByDaemon.place(of: answer, in: "/state/") == place)
    }

    @Test func `a backup that a daemon has made goes to its place`() async throws {
        try await withTemporaryFolder { folder in
            try make(".backup-1", in: folder)
            let backup = try BackupByDaemon.Made(folder.path(".backup-1")).take(to: folder.path("b"))
            #expect(backup.files == [Backup.File(name: "flare.db", bytes: 4)])
            #expect(exists(folder.path("b/flare.db")) && !exists(folder.path(".backup-1")))
        }
    }

    @Test func `a link in the place of a backup is refused, and what it leads to stays`() async throws {
        try await withTemporaryFolder { folder in
            try make("others", in: folder)
            try link(".backup-1", to: "others", in: folder)
            #expect(throws: BackupError.self) { try BackupByDaemon.Made(folder.path(".backup-1")) }
            #expect(exists(folder.path("others/flare.db")) && exists(folder.path("others/backup.json")))
        }
    }

    @Test func `a folder that became a link meanwhile is not taken over`() async throws {
        try await withTemporaryFolder { folder in
            try make("others", in: folder)
            try make(".backup-1", in: folder)
            let made = try BackupByDaemon.Made(folder.path(".backup-1"))
            try FileManager.default.removeItem(atPath: folder.path(".backup-1"))
            try link(".backup-1", to: "others", in: folder)
            #expect(throws: BackupError.self) { try made.take(to: folder.path("b")) }
            #expect(exists(folder.path("others/flare.db")) && !exists(folder.path("b")))
        }
    }

    @Test func `a copy that is a link is not taken over`() async throws {
        try await withTemporaryFolder { folder in
            try make(".backup-1", in: folder)
            try folder.write("secret", to: "secret")
            try FileManager.default.removeItem(atPath: folder.path(".backup-1/flare.db"))
            try link(".backup-1/flare.db", to: "secret", in: folder)
            let made = try BackupByDaemon.Made(folder.path(".backup-1"))
            #expect(throws: BackupError.self) { try made.take(to: folder.path("b")) }
            #expect(exists(folder.path("secret")) && !exists(folder.path("b")))
            // And neither is it read, where the place is on another disk.
            try link("copy", to: "secret", in: folder)
            #expect(throws: BackupError.self) {
                try StateReplacement.copy(folder.path("copy"), to: folder.path("target"))
            }
            #expect(!exists(folder.path("target")))
        }
    }
}
