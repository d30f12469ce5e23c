import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// Verbs that were not told where the daemon is.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct RunningDaemonTests {
    private func run(_ words: String..., in folder: TemporaryFolder) async throws -> Program.End {
        try await Program.run(words, in: folder)
    }

    @Test func `verbs ask the daemon that runs, and use its folder`() async throws {
        try await withHome { home, visitor in
            let get = try await run("get", "table-lamp", "--json", in: home.folder)
            #expect(get.status == 0 && get.output.contains("table-lamp"), "\(get.output)")
            let set = try await run("set", "table-lamp", "color=red", in: home.folder)
            #expect(set.status == 0, "\(set.output)")
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            let add = try await run("user", "add", "bob", in: home.folder)
            #expect(add.status == 0 && !add.output.contains("no daemon"), "\(add.output)")
            let users = try await Program.run(["user", "list", "--state", home.state], in: home.folder)
            #expect(users.output.columns.contains("\nbob\t"), "\(users.output)")
            let export = try await run("export", "-", in: home.folder)
            #expect(export.status == 0 && export.output.contains("environments"), "\(export.output)")
            let model = #"{"environments":[{"name":"Attic"}]}"#
            try home.folder.write(model, to: "attic.json")
            let take = try await run("import", home.folder.path("attic.json"), in: home.folder)
            #expect(take.status == 0 && !take.output.contains("no daemon"), "\(take.output)")
            try await visitor.awaits("environments/attic")
            #expect(
                !FileManager.default.fileExists(atPath: home.folder.path(".local/state/trilateral")),
                "nothing was made beside it"
            )
            let other = try await run(
                "get",
                "table-lamp",
                "--node",
                "nobody",
                "--timeout",
                "1",
                in: home.folder
            )
            #expect(other.status == 69 && !other.output.contains("did you mean"), "\(other.output)")
            let misspelt = "\(home.node)0"
            for verb in [["get", "table-lamp"], ["set", "table-lamp", "color=red"]] {
                let words = verb + ["--node", misspelt, "--timeout", "1"]
                let end = try await Program.run(words, in: home.folder)
                #expect(end.status == 69, "\(end.output)")
                #expect(end.output.contains("did you mean \"\(home.node)\"?"), "\(end.output)")
            }
            // An option wins.
            let away = try await run(
                "get",
                "table-lamp",
                "--mqtt",
                "127.0.0.1:\(try LoopbackSocket.freePort())",
                "--timeout",
                "0.5",
                in: home.folder
            )
            #expect(away.status == 69, "\(away.output)")
            await home.stop()
            let list = try FileManager.default.contentsOfDirectory(atPath: home.folder.path("run"))
            #expect(list.isEmpty, "a daemon that has ended is not found")
        }
    }

    @Test func `while the configuration file is broken, verbs ask the daemon with what it runs with`()
        async throws
    {
        try await withHome(file: "device: {name: Walker}") { home, visitor in
            try home.folder.write("device: {nmae: x}\nmqtt: [\n", to: "trilateral.yaml")
            for words in [
                ["get", "table-lamp"], ["set", "table-lamp", "color=red"], ["list"],
                ["explain", "zone"],
            ] {
                let end = try await Program.run(words, in: home.folder)
                #expect(end.status == 0, "\(words): \(end.output)")
                #expect(end.output.contains("trilateral.yaml has"), "\(words): \(end.output)")
                #expect(end.output.contains("see trilateral check"), "\(words): \(end.output)")
            }
            for words in [["export", "-"], ["user", "list"], ["import", home.folder.path("place.json")]] {
                let end = try await Program.run(words, in: home.folder)
                #expect(end.status == (words[0] == "import" ? 65 : 0), "\(words): \(end.output)")
            }
            // A file that the user names is meant, and so are the variables.
            let file = home.folder.path("trilateral.yaml")
            let named = try await run("get", "table-lamp", "--config", file, in: home.folder)
            #expect(named.status == 78, "\(named.output)")
            let wrong = try await Program.run(
                ["list"],
                in: home.folder,
                keys: ["mqtt.keepalive_seconds": "0"]
            )
            #expect(wrong.status == 78 && !wrong.output.contains("nmae"), "\(wrong.output)")
        }
    }

    @Test func `acts at the daemon's socket are logged with the system's user, and explain takes a token`()
        async throws
    {
        try await withHome { home, _ in
            let token = try await run("token", "add", "owner", "panel", in: home.folder)
            #expect(token.status == 0, "\(token.output)")
            let log = try await run("log", in: home.folder)
            let act = "\tsystem:\(NSUserName())\tcommand line\ttoken add\t"
            #expect(log.output.columns.contains(act), "\(log.output)")
            for (text, status) in [(token.output, 0), ("tlu_wrong\n", 1)] as [(String, Int32)] {
                try home.folder.write(text, to: "token")
                #expect(chmod(home.folder.path("token"), 0o600) == 0)
                let file = home.folder.path("token")
                let end = try await run("explain", "zone", "--token-file", file, in: home.folder)
                #expect(end.status == status, "\(end.output)")
            }
        }
    }

    @Test func `the access list has the devices of file and database, and the topics of their locations`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            let (cat, dog) = ("\(home.node)-cat", "\(home.node)-dog")
            let file = "devices: [{node: \(cat), location: owntracks/\(cat)}]\n"
            try await home.take()
            try await visitor.whileStarting { try await home.start(file: file) }
            #expect(
                await eventually { FileManager.default.fileExists(atPath: home.state + "/admin.sock") }
            )
            let added = try await Program.run(
                [
                    "device", "add", dog, "--name", "Rex", "--location", "owntracks/\(dog)", "--state",
                    home.state,
                ],
                in: home.folder
            )
            #expect(added.status == 0, "\(added.output)")
            let named = ["--config", home.folder.path("trilateral.yaml"), "--node", home.node]
            for options in [[], named] {
                let list = try await Program.run(["acl", "--role", "daemon"] + options, in: home.folder)
                for node in [cat, dog] {
                    #expect(list.output.contains("topic readwrite trilateral/\(node)/#\n"), "\(list.output)")
                    #expect(
                        list.output.components(separatedBy: "topic read owntracks/\(node)\n").count == 2,
                        "\(options): \(list.output)"
                    )
                }
            }
            // The list of another node has none of this one's.
            let other = named.dropLast() + ["other"]
            let list = try await Program.run(["acl", "--role", "daemon"] + other, in: home.folder)
            #expect(list.output.contains("owntracks/\(cat)") && !list.output.contains(dog), "\(list.output)")
        }
    }

    @Test func `verbs find a configuration file that a reload was the first to read`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try await visitor.whileStarting { try await home.start() }
            let cat = "\(home.node)-cat"
            let folder = URL(filePath: home.folder.path(".config/trilateral"))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try home.folder.write("devices: [{node: \(cat)}]\n", to: ".config/trilateral/trilateral.yaml")
            await home.signal(SIGHUP)
            try await visitor.awaits("devices") { $0.array?.count == 2 }
            let isThere = try await eventually {
                let list = try await run("acl", "--role", "daemon", in: home.folder)
                return list.output.contains("topic readwrite trilateral/\(cat)/#\n")
            }
            #expect(isThere)
        }
    }

    @Test func `between two daemons the user must choose`() async throws {
        try await withHome { home, _ in
            try await withTemporaryFolder { folder in
                let second = try Program.start(
                    ["run", "--state", folder.path("other")],
                    in: home.folder,
                    keys: [
                        "mqtt.host": "127.0.0.1", "mqtt.port": "\(try SharedMosquitto.broker.port)",
                        "mqtt.node": "\(home.node)b", "flare.server.listen": "127.0.0.1:0",
                    ],
                    output: folder.path("log")
                )
                let areThere = await eventually {
                    let names = try? FileManager.default.contentsOfDirectory(atPath: home.folder.path("run"))
                    return names?.count == 2
                }
                #expect(areThere)
                for words in [
                    ["user", "list"], ["export", "-"], ["get", "table-lamp"], ["acl"], ["acl", "--things"],
                ] {
                    let end = try await Program.run(words, in: home.folder)
                    #expect(end.status == 64, "\(end.output)")
                    #expect(end.output.contains("2 daemons run on this machine"), "\(end.output)")
                    #expect(end.output.contains(folder.path("other")), "\(end.output)")
                }
                let nodes = try await run("list", "nodes", in: home.folder)
                #expect(nodes.status == 0 && nodes.output.contains("\(home.node)b"), "\(nodes.output)")
                #expect(!nodes.output.contains("BROKER"), "both have one broker: \(nodes.output)")
                try home.folder.write(#"{"environments":[{"name":"Attic"}]}"#, to: "attic.json")
                let file = home.folder.path("attic.json")
                let check = try await run("import", file, "--check", in: home.folder)
                #expect(
                    check.status == 0 && check.output.contains("only the file was checked"),
                    "\(check.output)"
                )
                let chosen = try await run("get", "table-lamp", "--node", home.node, in: home.folder)
                #expect(chosen.status == 0, "\(chosen.output)")
                let list = try await run("acl", "--node", "\(home.node)b", in: home.folder)
                #expect(list.status == 0 && list.output.contains("/\(home.node)b/"), "\(list.output)")
                second.signal(SIGTERM)
                #expect(await second.end(within: .seconds(5)) == 0)
                await second.destroy()
            }
        }
    }

    @Test func `without a daemon, verbs that store something say where`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(#"{"environments":[{"name":"Attic"}]}"#, to: "attic.json")
            let place = folder.path(".local/state/trilateral")
            for words in [
                ["import", folder.path("attic.json")], ["user", "add", "bob"],
                ["group", "add", "staff"],
            ] {
                let end = try await Program.run(words, in: folder)
                #expect(end.status == 0, "\(end.output)")
                #expect(end.output.contains("no daemon runs here; stored in \(place)"), "\(end.output)")
            }
            let list = try await run("user", "list", in: folder)
            #expect(list.status == 0 && !list.output.contains("no daemon"), "\(list.output)")
            let named = try await Program.run(["user", "add", "eve", "--state", place], in: folder)
            #expect(
                !named.output.contains("no daemon"),
                "a folder that was named needs no word: \(named.output)"
            )
        }
    }
}
