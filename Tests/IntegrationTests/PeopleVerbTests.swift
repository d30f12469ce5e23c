import Foundation
import GRDB
import JSON
import OperatingSystem
import TestSupport
import Testing

/// The verbs that administer users, while a daemon runs and while none does.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct PeopleVerbTests {
    /// Runs verbs on a state folder.
    private struct Desk {
        let folder: TemporaryFolder

        var state: String { folder.path("state") }

        func run(_ words: String...) async throws -> Program.End { try await run(words) }

        func run(_ words: [String]) async throws -> Program.End {
            try await Program.run(words + ["--state", state], in: folder)
        }

        /// What a verb that works prints.
        func output(_ words: String...) async throws -> String {
            let end = try await run(words)
            #expect(end.status == 0, "\(words): \(end.output)")
            return end.output.trimmingCharacters(in: .newlines)
        }

        /// A file that only its owner can read.
        func write(_ text: String, to name: String) throws -> String {
            try folder.write(text, to: name)
            #expect(chmod(folder.path(name), 0o600) == 0)
            return folder.path(name)
        }
    }

    private func withDesk(_ body: (Desk) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(Desk(folder: $0)) }
    }

    @Test func `a sign-in link needs a daemon that runs`() async throws {
        try await withDesk { desk in
            let end = try await desk.run("sign-in")
            #expect(end.status == 69 && end.output.contains("no daemon runs"), "\(end.output)")
        }
    }

    @Test func `users, groups, grants, shares, tokens and contacts are kept without a daemon`() async throws {
        try await withDesk { desk in
            let secret = try desk.write("correct horse\n", to: "secret")
            let id = try await desk.output(
                "user",
                "add",
                "bob",
                "--display",
                "Bob",
                "--email",
                "bob@example.org",
                "--password-file",
                secret
            )
            #expect(id.count == 16)
            #expect(
                try await desk.output("user", "list").columns.components(separatedBy: "\n").map {
                    $0.components(separatedBy: "\t").prefix(5).joined(separator: " ")
                } == [
                    "NAME DISPLAY EMAIL STATE PASSWORD", "bob Bob bob@example.org active yes",
                    "owner - - active no",
                ]
            )
            #expect(try await desk.output("group", "add", "staff").count == 16)
            #expect(try await desk.output("group", "join", "staff", "bob").isEmpty)
            #expect(try await desk.output("group", "list").columns.contains("staff\tusers\tbob\t"))
            let grant = try await desk.output(
                "grant",
                "add",
                "group:staff",
                "all",
                "read",
                "--until",
                "2040-01-01"
            )
            let rows = try JSONValue(
                parsing: try await desk.output("grant", "list", "--of", "group:staff", "--json")
            )
            #expect(rows.array?.first?["ends"] == "2040-01-01T00:00:00Z")
            #expect(try await desk.output("grant", "check", "bob", "all", "read") == "granted by \(grant)")
            let late = try await desk.run("grant", "check", "bob", "all", "read", "--at", "2040-01-01")
            #expect(late.status == 1)
            #expect(late.output == "refused: expired 2040-01-01T00:00:00Z\n")
            #expect(try await desk.output("grant", "rm", grant).isEmpty)
            let token = try await desk.output("token", "add", "bob", "panel", "--right", "read")
            #expect(token.hasPrefix("tlu_"))
            let tokens = try await desk.output("token", "list")
            #expect(tokens.columns.contains("\tbob\tpanel\tread\t"))
            #expect(!tokens.contains(token))
            let contact = try await desk.output(
                "contact",
                "add",
                "bob",
                "Aunt",
                "--phone",
                "+49 30 1",
                "--channel",
                "sms"
            )
            #expect(
                try await desk.output("contact", "list", "bob").columns
                    .contains("\(contact)\tAunt\t-\t+49 30 1\tsms")
            )
            #expect(try await desk.output("contact", "rm", "bob", contact).isEmpty)
            #expect(try await desk.output("session", "list").columns.hasPrefix("ID\tUSER\t"))
            #expect(try await desk.output("user", "off", "bob").isEmpty)
            #expect(try await desk.output("user", "on", "bob").isEmpty)
            #expect(try await desk.output("user", "password", "bob", "--password-file", secret).isEmpty)
            let log = try await desk.output("log")
            let row = "\tsystem:\(NSUserName())\tcommand line\tuser add\tbob\taccepted\t"
            #expect(log.columns.contains(row))
            for file in try FileManager.default.contentsOfDirectory(atPath: desk.state) {
                let bytes = FileManager.default.contents(atPath: desk.state + "/" + file) ?? Data()
                #expect(bytes.range(of: Data(token.utf8)) == nil, "\(file)")
                #expect(bytes.range(of: Data("correct horse".utf8)) == nil, "\(file)")
            }
            #expect(try await desk.output("user", "rm", "bob").isEmpty)
        }
    }

    @Test func `what is refused has a sentence and a code`() async throws {
        try await withDesk { desk in
            _ = try await desk.output("user", "add", "bob")
            for (words, status, sentence) in [
                ("user rm owner", 1, "nobody with 'own all'"), ("user off owner", 1, "nobody with 'own all'"),
                ("user add bob", 1, "already"), ("user add a/b", 65, "a user's name must be"),
                ("user rm eve", 66, "there is no user \"eve\""),
                ("grant add bob thing:gone read", 66, "there is no thing"),
                ("grant add bob everything read", 65, "a scope is all"),
                ("grant add bob all fly", 64, "read"),
                ("grant add bob all read --from 2030-01-02 --until 2030-01-01", 65, "after the beginning"),
                ("grant rm 99", 66, "no grant 99: `trilateral grant list` shows"),
                ("grant rm kitchen", 66, "no grant \"kitchen\": `trilateral grant list` shows"),
                ("share accept 99", 66, "`trilateral share list` shows"),
                ("contact rm bob 7", 66, "bob has no contact 7: `trilateral contact list bob` shows"),
                ("user password bob", 64, "--password-file"),
                ("token add bob panel --until 2001-01-01", 65, "in the future"),
                ("token rm 00", 66, "no token \"00\": `trilateral token list` shows"),
                ("grant add bob all read --until 2020-01-01", 65, "the end must be in the future"),
                ("log --user eve", 66, "there is no user \"eve\""),
                ("log --thing nope", 66, "there is no thing \"nope\", and nothing in the log about one"),
                ("log --limit 0", 65, "limit must be"), ("group add x --of cats", 64, "things"),
            ] {
                let end = try await desk.run(words.components(separatedBy: " "))
                #expect(end.status == Int32(status), "\(words): \(end.output)")
                #expect(end.output.contains(sentence), "\(words): \(end.output)")
            }
            let codes = try await desk.output("log", "--json").components(separatedBy: "\n")
            #expect(codes.contains { $0.contains("\"code\":\"not_allowed\"") && $0.contains("\"user rm\"") })
        }
    }

    @Test(.enabled(if: ChildProcess.find("script") != nil))
    func `a person at a terminal gets a sentence about what was made, a script only what names it`()
        async throws
    {
        try await withDesk { desk in
            let id = try await desk.output("user", "add", "bob")
            #expect(id.count == 16 && !id.contains("\n"))
            for (words, sentence) in [
                (["user", "add", "eve"], "Added user eve (id "),
                (["group", "add", "staff"], "Added group staff of users (id "),
                (["grant", "add", "bob", "all", "read"], "Gave bob read of all (grant "),
                (["token", "add", "bob", "panel"], "Added token panel of bob (id "),
                (["contact", "add", "bob", "Aunt"], "Added contact Aunt of bob (id 1)."),
            ] {
                let end = try await Program.run(
                    words + ["--state", desk.state],
                    in: desk.folder,
                    shell: #"script -qec "$(printf '%q ' "$0" "$@")" /dev/null <<< ''; exit $?"#
                )
                #expect(end.status == 0, "\(words): \(end.output)")
                #expect(end.output.contains(sentence), "\(words): \(end.output)")
            }
        }
    }

    @Test(arguments: [
        ["user", "list"], ["user", "rm", "bob"], ["grant", "list"], ["grant", "rm", "1"], ["token", "list"],
        ["log"], ["session", "list"], ["share", "list"], ["contact", "list", "bob"], ["group", "list"],
    ])
    func `a verb that only reads or changes makes no folder and no database`(words: [String]) async throws {
        try await withDesk { desk in
            let gone = try await desk.run(words)
            #expect(gone.status == 66, "\(gone.output)")
            #expect(gone.output.contains("there is no state folder \(desk.state)"), "\(gone.output)")
            #expect(!FileManager.default.fileExists(atPath: desk.state))
            try FileManager.default.createDirectory(atPath: desk.state, withIntermediateDirectories: false)
            let empty = try await desk.run(words)
            #expect(empty.status == 66, "\(empty.output)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: desk.state).isEmpty)
        }
    }

    @Test func `two verbs at once both work, and together they do not remove the last owner`() async throws {
        try await withDesk { desk in
            _ = try await desk.output("user", "add", "bob")
            _ = try await desk.output("grant", "add", "bob", "all", "own")
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                for number in 0..<4 {
                    group.addTask { try await desk.run("user", "add", "u\(number)").status }
                }
                for try await status in group { #expect(status == 0) }
            }
            let statuses = try await withThrowingTaskGroup(of: Int32?.self) { group in
                for name in ["owner", "bob"] {
                    group.addTask { try await desk.run("user", "off", name).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses) == [0, 1])
        }
    }

    @Test func `users of a newer version are left alone`() async throws {
        try await withDesk { desk in
            _ = try await desk.output("user", "add", "bob")
            let queue = try DatabaseQueue(path: desk.state + "/trilateral.db")
            try await queue.write { database in
                try database.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('v9999')")
            }
            try queue.close()
            for words in [["user", "list"], ["user", "add", "eve"]] {
                let end = try await desk.run(words)
                #expect(end.status == 65)
                #expect(end.output.contains("newer version"), "\(end.output)")
            }
        }
    }

    // MARK: With a daemon

    @Test func `a running daemon does what the verbs say, and rights count at once`() async throws {
        try await withHome(["flare.server.listen": "127.0.0.1:0"]) { home, visitor in
            let desk = Desk(folder: home.folder)
            #expect(await eventually { FileManager.default.fileExists(atPath: desk.state + "/admin.sock") })
            let socket = FileStatus(path: desk.state + "/admin.sock", followsLinks: false)
            #expect(socket?.permissions == 0o600)
            try await visitor.awaits("nearby/availability", "offline")
            _ = try await desk.output("user", "add", "bob")
            let grant = try await desk.output("grant", "add", "bob", "zone:kitchen", "read")
            #expect(
                try await desk.output("grant", "check", "bob", "thing:kitchen-light", "read")
                    == "granted by \(grant)"
            )
            #expect(try await desk.run("grant", "check", "bob", "thing:table-lamp", "read").status == 1)
            #expect(
                try await desk.output("grant", "list", "--of", "bob").columns.contains(
                    "\tzone:kitchen\tread\t"
                )
            )
            #expect(try await desk.run("grant", "add", "bob", "thing:gone", "read").status == 66)
            _ = try await desk.output("share", "add", "bob", "table-lamp")
            #expect(try await desk.output("share", "list").columns.contains("\tbob\ttable-lamp\tread\t"))
            #expect(try await desk.output("group", "add", "lamps", "--of", "things").count == 16)
            #expect(try await desk.output("group", "join", "lamps", "table-lamp", "kitchen-light").isEmpty)
            #expect(try await desk.output("group", "list").contains("kitchen-light,table-lamp"))
            #expect(try await desk.run("user", "rm", "owner").status == 1)
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                for number in 0..<4 {
                    group.addTask { try await desk.run("user", "add", "u\(number)").status }
                }
                for try await status in group { #expect(status == 0) }
            }
            let log = try await desk.output("log", "--json").components(separatedBy: "\n")
            #expect(
                log.contains { $0.contains("\"kind\":\"grant add\"") && $0.contains("\"target\":\"bob\"") }
            )
            for words in [["get", "table-lamp"], ["list"], ["explain", "zone"], ["get", "no-lamp"]] {
                _ = try await Program.run(words, in: home.folder)
            }
            let kinds = try await desk.output("log", "--json").components(separatedBy: "\n")
                .compactMap { try? JSONValue(parsing: $0)["kind"]?.string }
            #expect(!kinds.contains("ping") && !kinds.contains("explain"), "\(kinds)")
            #expect(kinds.filter { $0 == "get" }.count == 1, "what was refused is kept: \(kinds)")
            #expect(await home.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: desk.state + "/admin.sock"))
            // Without it the same is there.
            #expect(
                try await desk.output("grant", "check", "bob", "thing:kitchen-light", "read")
                    == "granted by \(grant)"
            )
        }
    }

    @Test func `a state folder with a long path has a socket too, and nothing is left in /tmp`() async throws
    {
        try await withTemporaryFolder { folder in
            let state = folder.path(String(repeating: "deep/", count: 20) + "state")
            func links() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/tmp").count {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/tmp/\($0)/f"))?
                        .hasSuffix("/deep/state") ?? false
                }
            }
            let daemon = try Program.start(
                ["run", "--state", state],
                in: folder,
                keys: ["mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"],
                output: folder.path("log")
            )
            #expect(await eventually { FileManager.default.fileExists(atPath: state + "/admin.sock") })
            let add = try await Program.run(["user", "add", "bob", "--state", state], in: folder)
            #expect(add.status == 0, "\(add.output)")
            let link = try await Program.run(["sign-in", "--state", state], in: folder)
            #expect(link.status == 0 && link.output.contains("link="), "only the daemon can: \(link.output)")
            #expect(try links() == 0)
            daemon.signal(SIGTERM)
            #expect(await daemon.end(within: .seconds(5)) == 0)
            await daemon.destroy()
            #expect(!FileManager.default.fileExists(atPath: state + "/admin.sock"))
        }
    }

    @Test func `the socket of a daemon that was killed is replaced`() async throws {
        try await withHome { home, visitor in
            let desk = Desk(folder: home.folder)
            let socket = desk.state + "/admin.sock"
            #expect(await eventually { FileManager.default.fileExists(atPath: socket) })
            await home.kill()
            #expect(FileManager.default.fileExists(atPath: socket))
            _ = try await desk.output("user", "add", "bob")
            try await visitor.whileStarting { try await home.start() }
            #expect(await eventually { (try? await desk.run("user", "add", "eve").status) == 0 })
            #expect(try await desk.output("user", "list").columns.contains("\nbob\t"))
            #expect(await home.stop() == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: desk.state)
            #expect(!left.contains { $0.contains("admin") }, "\(left)")
        }
    }
}
