import Foundation
import JSON
import TestSupport
import Testing

/// `import`, `export` and `tidy` while a daemon has the database open.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct ModelCommandTests {
    /// Runs a command against the state folder and the server of a running daemon.
    private func run(_ words: [String], _ home: Home) async throws -> Program.End {
        let port = try #require(await home.serverPort())
        return try await Program.run(
            words + ["--state", home.state],
            in: home.folder,
            keys: ["flare.server.listen": "127.0.0.1:\(port)"]
        )
    }

    @Test func `a server that asks everybody for a token gets an owner's from a file`() async throws {
        try await withHome(["flare.server.access": "token"]) { home, _ in
            let without = try await run(["export", "-"], home)
            #expect(without.status == 77 && without.output.contains("--token-file"), "\(without.output)")
            for user in ["owner", "bob"] {
                if user == "bob" { #expect(try await run(["user", "add", user], home).status == 0) }
                let made = try await run(["token", "add", user, "exports"], home)
                try home.folder.write(made.output, to: user)
                #expect(chmod(home.folder.path(user), 0o600) == 0)
            }
            func export(_ file: String) async throws -> Program.End {
                try await run(["export", "-", "--token-file", home.folder.path(file)], home)
            }
            let owner = try await export("owner")
            #expect(owner.status == 0 && owner.output.contains("Table lamp"), "\(owner.output)")
            #expect(try await export("bob").status == 77)
            let missing = try await export("nobody")
            #expect(missing.status == 66 && missing.output.contains("nobody cannot be read"))
            #expect(
                try await run(["acl", "--people", "--token-file", home.folder.path("owner")], home).status
                    == 0
            )
        }
    }

    @Test func `a running daemon takes in a model, gives it out and is tidied up`() async throws {
        try await withHome { home, visitor in
            let file = home.folder.path("cabin.json")
            try home.folder.write(
                #"{"environments":[{"name":"Cabin","zones":[{"name":"Loft","things":[{"name":"Stove"}]}]}]}"#,
                to: "cabin.json"
            )
            let first = try await run(["import", file], home)
            #expect(first.status == 0 && first.output.hasSuffix("imported 3 objects\n"), "\(first.output)")
            try await visitor.awaits("environments/cabin") { $0["name"] == "Cabin" }
            let again = try await run(["import", file], home)
            #expect(again.status == 65)
            #expect(again.output.contains("--replace") && again.output.contains("--add"), "\(again.output)")
            #expect(try await run(["import", file, "--replace"], home).status == 0)

            let exported = home.folder.path("exported.json")
            #expect(try await run(["export", exported], home).status == 0)
            let model = try JSONValue(parsing: home.folder.read("exported.json"))
            let renamed = home.folder.read("exported.json")
                .replacing("\"Table lamp\"", with: "\"Standard lamp\"")
                .replacing("\"Television\"", with: "\"Screen\"")
            try home.folder.write(renamed, to: "renamed.json")
            #expect(
                try await run(["import", home.folder.path("renamed.json"), "--replace"], home).status == 0
            )
            try await visitor.awaits("things/table-lamp") { $0["name"] == "Standard lamp" }
            try await visitor.awaits("things/television") { $0["name"] == "Screen" }
            let cabins = model["environments"]?.array?.filter { $0["name"] == "Cabin" } ?? []
            #expect(cabins.count == 1)

            let id = try #require(cabins.first?["_id"]?.string)
            try await home.rest("DELETE", "/environments/\(id)")
            let refused = try await run(["tidy"], home)
            #expect(refused.status == 1)
            #expect(refused.output.contains("Loft") && refused.output.contains("--yes"), "\(refused.output)")
            let tidied = try await run(["tidy", "--yes"], home)
            #expect(tidied.status == 0)
            #expect(tidied.output.contains("removed 2 objects"), "\(tidied.output)")
            await home.stop()
            let end = try await Program.run(["tidy", "--state", home.state], in: home.folder)
            #expect(end.status == 0 && end.output.contains("nothing to tidy"), "\(end.output)")

            // Without the daemon, too.
            try home.folder.write(#"{"environments":[{"name":"Barn"}]}"#, to: "barn.json")
            let barn = home.folder.path("barn.json")
            #expect(
                try await Program.run(["import", barn, "--state", home.state], in: home.folder).status == 0
            )
            let log = try await Program.run(["log", "--json", "--state", home.state], in: home.folder).output
            let rows = log.split(separator: "\n").compactMap { try? JSONValue(parsing: String($0)) }
            let kinds = rows.compactMap { $0["kind"]?.string }.filter { ["import", "tidy"].contains($0) }
            #expect(kinds == ["import", "import", "import", "tidy", "import"], "\(log)")
        }
    }

    @Test func `a server that is not to be found is named`() async throws {
        try await withHome { home, _ in
            let port = try LoopbackSocket.freePort()
            let end = try await Program.run(
                ["export", "-", "--state", home.state],
                in: home.folder,
                keys: ["flare.server.listen": "127.0.0.1:\(port)"]
            )
            #expect(end.status == 69)
            #expect(
                end.output.contains("127.0.0.1:\(port) does not answer (Connection refused)")
                    && end.output.contains("--config"),
                "\(end.output)"
            )
            try home.folder.write(#"{"environments":[{"name":"Cabin","colour":1}]}"#, to: "cabin.json")
            let check = try await Program.run(
                ["import", home.folder.path("cabin.json"), "--check", "--state", home.state],
                in: home.folder,
                keys: ["flare.server.listen": "127.0.0.1:\(port)"]
            )
            #expect(check.status == 69)
            #expect(check.output.contains("colour"), "the file's own warnings: \(check.output)")
            #expect(check.output.contains("only the file was checked"), "\(check.output)")
        }
    }
}

/// What a person is asked, on a terminal, and what reaches it.
@Suite(.timeLimit(.minutes(1)))
struct ModelQuestionTests {
    /// Runs a command on a terminal of its own, where somebody types a line.
    private func type(_ line: String, to words: [String], in folder: TemporaryFolder) async throws
        -> Program.End
    {
        try await Program.run(
            words + ["--state", folder.path("state")],
            in: folder,
            shell: #"script -qec "$(printf '%q ' "$0" "$@")" /dev/null <<< '\#(line)'; exit $?"#
        )
    }

    private static let model = #"{"environments":[{"name":"Cabin","zones":[{"name":"Loft"}]}]}"#

    @Test(.enabled(if: ChildProcess.find("script") != nil))
    func `who is asked about objects that are there learns what replacing loses, and may cancel with 1`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.write(Self.model, to: "cabin.json")
            let file = folder.path("cabin.json")
            let first = try await type("", to: ["import", file], in: folder)
            #expect(first.status == 0, "\(first.output)")
            let cancelled = try await type("c", to: ["import", file], in: folder)
            #expect(cancelled.status == 1, "\(cancelled.output)")
            #expect(
                cancelled.output.contains("values that the file does not have are lost"),
                "\(cancelled.output)"
            )
            #expect(cancelled.output.contains("nothing was changed"), "\(cancelled.output)")
            let replaced = try await type("r", to: ["import", file], in: folder)
            #expect(replaced.status == 0, "\(replaced.output)")
        }
    }

    @Test func `an export that cannot be written says why`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.model, to: "cabin.json")
            let state = ["--state", folder.path("state")]
            _ = try await Program.run(["import", folder.path("cabin.json")] + state, in: folder)
            let end = try await Program.run(["export", folder.path("none/out.json")] + state, in: folder)
            #expect(end.status == 73)
            #expect(
                end.output.contains("out.json cannot be written: No such file or directory"),
                "\(end.output)"
            )
        }
    }

    @Test func `names of the place cannot command the terminal`() async throws {
        try await withTemporaryFolder { folder in
            let store = #"{"environments":[{"name":"\u001b[2J\u009b2JCabin"}]}"#
            try folder.write(store, to: "cabin.json")
            let words = ["import", folder.path("cabin.json"), "--state", folder.path("state")]
            let first = try await Program.run(words, in: folder)
            #expect(first.status == 0, "\(first.output)")
            let end = try await Program.run(words + ["--add", "--check"], in: folder)
            #expect(end.output.contains(#"called "\u001b[2J\u{9b}2JCabin""#), "\(end.output)")
            #expect(!end.output.contains("\u{1b}") && !end.output.contains("\u{9b}"), "\(end.output)")
        }
    }
}

/// A Flare server with few descriptors, and somebody who opens connection after connection.
@Suite(.timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test(arguments: [128, 256])
    func `silent connections keep nobody out when descriptors are few`(limit: Int) async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.start(verb: "serve", shell: "ulimit -n \(limit)")
            let port = try #require(await home.serverPort())
            let silent = try (0..<400).map { _ in try LoopbackSocket.connected(to: port) }
            let reply = try await home.rest("GET", "/environments")
            #expect(reply.status == 200)
            withExtendedLifetime(silent) {}
            await home.kill()
        }
    }
}
