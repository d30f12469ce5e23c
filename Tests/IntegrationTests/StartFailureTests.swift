import Foundation
import GRDB
import TestSupport
import Testing

/// What keeps the program from starting: an exit code of sysexits.h, and a message that says what and where.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct StartFailureTests {
    private func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        keys: [String: String] = [:]
    ) async throws -> Program.End {
        let quiet = ["mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"]
        return try await Program.run(arguments, in: folder, keys: quiet.merging(keys) { $1 })
    }

    @Test(arguments: [["run"], ["serve"]])
    func `a port in use ends it with 69, and the port`(verb: [String]) async throws {
        try await withTemporaryFolder { folder in
            let other = try LoopbackSocket.listening()
            let end = try await run(
                verb + ["--state", folder.path("state")],
                in: folder,
                keys: ["flare.server.listen": "127.0.0.1:\(other.port)"]
            )
            #expect(end.status == 69)
            #expect(
                end.output.contains("\(other.port)") && end.output.contains("flare.server"),
                "\(end.output)"
            )
            #expect(!end.output.contains("CancellationError"))
        }
    }

    @Test func `a server whose port is in use imports nothing`() async throws {
        try await withTemporaryFolder { folder in
            let other = try LoopbackSocket.listening()
            try folder.write(#"{"environments":[{"name":"Attic"}]}"#, to: "attic.json")
            let words = ["serve", "--state", folder.path("state"), "--import", folder.path("attic.json")]
            let end = try await run(words + ["--listen", "127.0.0.1:\(other.port)"], in: folder)
            #expect(end.status == 69 && !end.output.contains("imported"), "\(end.output)")
            let place = try await run(["export", "-", "--state", folder.path("state")], in: folder)
            #expect(place.status == 0 && !place.output.contains("Attic"), "\(place.output)")
        }
    }

    @Test(arguments: ["serve", "resolver"])
    func `a port in use that an option named is about that option`(verb: String) async throws {
        try await withTemporaryFolder { folder in
            let other = try LoopbackSocket.listening()
            let end = try await run([verb, "--listen", "127.0.0.1:\(other.port)"], in: folder)
            #expect(end.status == 69)
            #expect(
                end.output.contains("in use by another program; stop it, or choose another --listen"),
                "\(end.output)"
            )
        }
    }

    @Test(arguments: [["run"], ["serve"], ["demo", "--mqtt", "127.0.0.1:1"]])
    func `a state folder that cannot be made ends it with 73, and its path`(verb: [String]) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "file")
            let end = try await run(verb + ["--state", folder.path("file/state")], in: folder)
            #expect(end.status == 73)
            #expect(end.output.contains(folder.path("file/state")), "\(end.output)")
        }
    }

    @Test func `an export does not overwrite a file unless it is told to`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            try folder.write("mine", to: "out.json")
            let export = ["export", folder.path("out.json"), "--state", home.state]
            let refused = try await run(export, in: folder)
            #expect(refused.status == 73 && refused.output.contains("--force"), "\(refused.output)")
            #expect(folder.read("out.json") == "mine")
            #expect(try await run(export + ["--force"], in: folder).status == 0)
            #expect(folder.read("out.json").contains("Table lamp"))
            let piped = try await run(["export", "-", "--state", home.state], in: folder)
            #expect(piped.output == folder.read("out.json"))
        }
    }

    @Test(arguments: [("nothing.trace", 66), ("letter.trace", 65)])
    func `a recording that is not there, or none, ends replay with its own code`(name: String, code: Int32)
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.write("Dear reader,\n", to: "letter.trace")
            let end = try await run(
                ["replay", folder.path(name), "--state", folder.path("state")],
                in: folder
            )
            #expect(end.status == code)
            #expect(end.output.contains(name), "\(end.output)")
        }
    }

    @Test(arguments: ["flare.db", "trilateral.db"])
    func `a database of a newer version, or of none, is left as it is`(name: String) async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            if name == "trilateral.db" {
                try await home.start()
                #expect(await home.logs("Flare server: http://"))
                await home.stop()
            }
            let file = "\(home.state)/\(name)"
            try await DatabaseQueue(path: file).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v9999')")
            }
            let newer = try await run(["run", "--state", home.state], in: folder)
            #expect(newer.status == 65)
            #expect(newer.output.contains(file) && newer.output.contains("newer version"), "\(newer.output)")

            let garbage = Data("This is no database, though it is long enough to be taken for one.".utf8)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
            try garbage.write(to: URL(filePath: file))
            let damaged = try await run(["run", "--state", home.state], in: folder)
            #expect(damaged.status == 65)
            #expect(damaged.output.contains(file), "\(damaged.output)")
            #expect(try Data(contentsOf: URL(filePath: file)) == garbage)
        }
    }

    @Test(arguments: [["run"], ["user", "list"]], [true, false])
    func `a damaged table of accounts ends it with 65, the file and what to do`(
        verb: [String],
        isMissing: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let state = folder.path("state")
            #expect(try await run(["user", "add", "bob", "--state", state], in: folder).status == 0)
            let file = state + "/trilateral.db"
            let queue = try DatabaseQueue(path: file)
            let (page, size) = try queue.inDatabase { database in
                let page = try Int.fetchOne(
                    database,
                    sql: "SELECT rootpage FROM sqlite_master WHERE name = 'permission'"
                )
                let size = try Int.fetchOne(database, sql: "PRAGMA page_size")
                if isMissing { try database.execute(sql: "DROP TABLE permission") }
                try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                return (try #require(page), try #require(size))
            }
            try queue.close()
            if !isMissing {
                let handle = try #require(FileHandle(forUpdatingAtPath: file))
                try handle.seek(toOffset: UInt64((page - 1) * size))
                try handle.write(contentsOf: Data(repeating: 0xFF, count: size))
                try handle.close()
            }
            let end = try await run(verb + ["--state", state], in: folder)
            #expect(end.status == 65)
            #expect(end.output.contains(file) && end.output.contains("backup"), "\(end.output)")
        }
    }

    @Test func `a second daemon on the same state folder ends with 75`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            try await home.start()
            #expect(await home.logs("Flare server: http://"))
            for verb in ["run", "serve"] {
                let end = try await run([verb, "--state", home.state], in: folder)
                #expect(end.status == 75, "\(verb)")
                #expect(end.output.contains("in use"), "\(end.output)")
            }
            #expect(await home.isRunning)
            await home.kill()
        }
    }

    @Test func `a bad configuration ends it with 78, and all problems at once`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(
                """
                mqtt:
                  hots: broker
                  port: 99999
                  keepalive_seconds: soon
                device:
                  allow_set: perhaps
                """,
                to: "bad.yaml"
            )
            for verb in ["run", "serve", "check"] {
                let end = try await Program.run([verb, "--config", folder.path("bad.yaml")], in: folder)
                #expect(end.status == 78, "\(verb)")
                for text in [
                    "host", "99999", "soon", "perhaps", "bad.yaml:2", "bad.yaml:3", "bad.yaml:4",
                    "bad.yaml:6",
                ] {
                    #expect(end.output.contains(text), "\(verb) \(text): \(end.output)")
                }
            }
        }
    }
}
