import Foundation
import JSON
import TestSupport
import Testing

/// `import`, `export` and `tidy` while a daemon has the database open.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct ModelCommandTests {
    private func run(_ words: [String], _ home: Home) async throws -> Program.End {
        try await Program.run(words + ["--state", home.state], in: home.folder)
    }

    @Test func `the daemon's own user needs no token, whatever its Flare server asks for`() async throws {
        try await withHome(["flare.server.access": "token"]) { home, _ in
            let export = try await run(["export", "-"], home)
            #expect(export.status == 0 && export.output.contains("Table lamp"), "\(export.output)")
            // Scripts of earlier versions name a token and the configuration.
            let former = ["--token-file", "nobody", "--config", "nothing"]
            #expect(try await run(["export", "-"] + former, home).output == export.output)
            let list = try await run(["acl", "--people", "--token-file", "nobody"], home)
            #expect(list.status == 0, "\(list.output)")
        }
    }

    @Test func `a daemon without a Flare server for others takes in a model, too`() async throws {
        try await withHome(["flare.server.enabled": "false"]) { home, visitor in
            try home.folder.write(#"{"environments":[{"name":"Cabin"}]}"#, to: "cabin.json")
            let end = try await run(["import", home.folder.path("cabin.json")], home)
            #expect(end.status == 0 && end.output.hasSuffix("imported 1 object\n"), "\(end.output)")
            try await visitor.awaits("environments/cabin") { $0["name"] == "Cabin" }
        }
    }

    @Test func `trilateral serve takes in a model and gives it out while it runs`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.start(verb: "serve")
            try #require(await home.serverPort() != nil)
            try folder.write(#"{"environments":[{"name":"Cabin"}]}"#, to: "cabin.json")
            let end = try await run(["import", folder.path("cabin.json")], home)
            #expect(end.status == 0 && end.output.hasSuffix("imported 1 object\n"), "\(end.output)")
            #expect(try await home.rest("GET", "/environments").body.contains("Cabin"))
            let export = try await run(["export", "-"], home)
            #expect(export.status == 0 && export.output.contains("Cabin"), "\(export.output)")
            #expect(await home.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: home.state + "/serve.sock"))
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

    @Test func `a daemon that does not answer at its socket is named, and the file is checked nevertheless`()
        async throws
    {
        try await withHome { home, _ in
            let socket = home.state + "/admin.sock"
            #expect(await eventually { FileManager.default.fileExists(atPath: socket) })
            try FileManager.default.removeItem(atPath: socket)
            let end = try await run(["export", "-"], home)
            #expect(end.status == 69)
            #expect(end.output.contains("admin.sock") && end.output.contains("restart"), "\(end.output)")
            try home.folder.write(#"{"environments":[{"name":"Cabin","colour":1}]}"#, to: "cabin.json")
            let check = try await run(["import", home.folder.path("cabin.json"), "--check"], home)
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

    @Test func `a command that another one keeps from the database says which one, and to try again`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.write(Self.model, to: "cabin.json")
            let state = ["--state", folder.path("state")]
            let importing = ["import", folder.path("cabin.json")] + state
            #expect(try await Program.run(importing, in: folder).status == 0)
            try await Program.onTerminal(importing, in: folder) { terminal, child in
                // It keeps the database until the question is answered.
                #expect(await terminal.shows("[c]ancel?"))
                let end = try await Program.run(["export", "-"] + state, in: folder)
                #expect(end.status == 75)
                #expect(end.output.contains("another command (trilateral import) is using"), "\(end.output)")
                #expect(
                    end.output.contains("try again") && !end.output.contains("restart"),
                    "\(end.output)"
                )
                terminal.type("c\n")
                #expect(await child.end(within: .seconds(10)) == 1)
            }
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
