import Foundation
import GRDB
import JSON
import TestSupport
import Testing

/// `backup` and `restore`, with and without a daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct BackupCommandTests {
    private func run(_ words: [String], _ home: Home) async throws -> Program.End {
        try await Program.run(words + ["--state", home.state], in: home.folder)
    }

    private func write(_ name: String, _ home: Home) throws -> String {
        try home.folder.write(#"{"environments":[{"name":"\#(name)"}]}"#, to: "\(name).json")
        return home.folder.path("\(name).json")
    }

    @Test func `what was backed up while the daemon ran comes back`() async throws {
        try await withHome { home, _ in
            let backup = home.folder.path("backup")
            let made = try await run(["backup", backup], home)
            #expect(made.status == 0, "\(made.output)")
            #expect(
                made.output.contains("flare.db") && made.output.contains("trilateral.db"),
                "\(made.output)"
            )
            let names = try FileManager.default.contentsOfDirectory(atPath: home.state)
            #expect(!names.contains { $0.hasPrefix(".backup") }, "\(names)")
            #expect(try await run(["import", write("Cabin", home)], home).status == 0)

            let early = try await run(["restore", backup, "--yes"], home)
            #expect(early.status == 75 && early.output.contains("stop it first"), "\(early.output)")
            await home.stop()

            let unsure = try await run(["restore", backup], home)
            #expect(unsure.status == 64 && unsure.output.contains("--yes"), "\(unsure.output)")
            #expect(
                unsure.output.contains("environments: 2") && unsure.output.contains("environments: 3"),
                "\(unsure.output)"
            )
            #expect(try await run(["export", "-"], home).output.contains("Cabin"))

            let restored = try await run(["restore", backup, "--yes"], home)
            #expect(restored.status == 0, "\(restored.output)")
            let export = try await run(["export", "-"], home)
            #expect(export.output.contains("Table lamp") && !export.output.contains("Cabin"))
            let aside = try FileManager.default.contentsOfDirectory(atPath: home.state)
                .filter { $0.hasPrefix("replaced-") }
            #expect(aside.count == 1)
            let old = try FileManager.default.contentsOfDirectory(
                atPath: "\(home.state)/\(aside.first ?? "")"
            )
            #expect(old.contains("flare.db") && old.contains("trilateral.db"), "\(old)")
            try await home.start()
            #expect(await home.serverPort() != nil)
        }
    }

    @Test func `a place without a daemon is backed up and restored as well`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            #expect(try await run(["backup", folder.path("b")], home).status == 66)
            try await home.take()
            #expect(try await run(["backup", folder.path("b")], home).status == 0)
            let again = try await run(["backup", folder.path("b")], home)
            #expect(again.status == 73 && again.output.contains("exists already"), "\(again.output)")
            #expect(try await run(["import", write("Cabin", home)], home).status == 0)
            #expect(try await run(["restore", folder.path("b"), "--yes"], home).status == 0)
            #expect(try await !run(["export", "-"], home).output.contains("Cabin"))
        }
    }

    @Test func `a folder that came into use while the question stood is left as it is`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            #expect(try await run(["backup", folder.path("b")], home).status == 0)
            #expect(try await run(["import", write("Cabin", home)], home).status == 0)
            let words = ["restore", folder.path("b"), "--state", home.state]
            try await Program.onTerminal(words, in: folder) { terminal, child in
                #expect(await terminal.shows("put the backup in place"), "\(terminal.text)")
                let queue = try DatabaseQueue(path: home.state + "/flare.db")
                // The daemon has it locked as long as it has it open.
                try await queue.writeWithoutTransaction {
                    try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT")
                }
                terminal.type("yes\n")
                #expect(await child.end() == 75, "\(terminal.text)")
                #expect(terminal.text.contains("stop it first"), "\(terminal.text)")
                try queue.close()
            }
            #expect(try await run(["export", "-"], home).output.contains("Cabin"))
        }
    }

    @Test func `what is no backup, or one of a newer version, is refused`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            #expect(try await run(["restore", folder.path("none"), "--yes"], home).status == 66)
            let other = try await run(["restore", home.state, "--yes"], home)
            #expect(
                other.status == 65 && other.output.contains("is no backup of trilateral"),
                "\(other.output)"
            )
            #expect(try await run(["backup", folder.path("b")], home).status == 0)
            let queue = try DatabaseQueue(path: folder.path("b/flare.db"))
            try await queue.writeWithoutTransaction {
                try $0.execute(
                    sql: "INSERT INTO grdb_migrations VALUES ('v9'); PRAGMA user_version = 9000000"
                )
            }
            try queue.close()
            let newer = try await run(["restore", folder.path("b"), "--yes"], home)
            #expect(newer.status == 65 && newer.output.contains("trilateral 9.0.0"), "\(newer.output)")
            #expect(try await run(["export", "-"], home).output.contains("Table lamp"))
        }
    }

    @Test func `a damaged place is replaced by the last good backup at the start`() async throws {
        try await withHome { home, visitor in
            let backup = home.state + "/backups/trilateral-20261127T220000Z"
            let made = try await run(["backup", home.folder.path("b")], home)
            #expect(made.status == 0, "\(made.output)")
            await home.stop()
            try FileManager.default.createDirectory(
                atPath: home.state + "/backups",
                withIntermediateDirectories: true
            )
            try FileManager.default.moveItem(atPath: home.folder.path("b"), toPath: backup)
            let file = URL(filePath: home.state + "/flare.db")
            try Data(repeating: 0x5A, count: 20_000).write(to: file)
            try await home.start()
            try await visitor.awaits("alert/database-restored") {
                $0["message"]?.string?.contains("was restored from the backup of") == true
            }
            try await visitor.awaits("things/table-lamp") { $0["name"] == "Table lamp" }
            #expect(await home.logs("flare.db was damaged"))
        }
    }
}
