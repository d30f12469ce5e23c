import Foundation
import GRDB
import JSON
import TestSupport
import Testing

/// The resolver as a program of its own, and in the daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct ResolverTests {
    private static let greeting = #"{"DDNSConnected":[{"Connected":true}]}"#

    private func say(_ text: String, port: Int) async throws -> String {
        try await onThread {
            let socket = try LoopbackSocket.connected(to: port)
            try socket.send(Array(text.utf8))
            var all: [UInt8] = []
            while case let part = socket.receive(), !part.isEmpty { all += part }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// The port behind a text of a log.
    private func port(in folder: TemporaryFolder, _ file: String, after text: String) async -> Int? {
        func found() -> Int? {
            let log = folder.read(file)
            guard let place = log.range(of: text) else { return nil }
            return Int(log[place.upperBound...].prefix { $0.isNumber })
        }
        _ = await eventually { found() != nil }
        return found()
    }

    @Test func `alone it has keys, networks and rates too`() async throws {
        try await withTemporaryFolder { folder in
            let key = String(repeating: "0f", count: 32)
            try folder.write("aa:bb:cc:dd:ee:ff \(key)\n", to: "keys")
            try folder.write("aa:bb:cc:dd:ee:ff 0f\n", to: "bad-keys")
            let start = ["resolver", "--listen", "127.0.0.1:0", "--db", folder.path("r.db")]
            let options = ["--keys-file", folder.path("keys"), "--per-second", "5", "--address", "claimed"]
            let resolver = try Program.start(start + options, in: folder, output: folder.path("log"))
            let text = "trilateral resolver: listening on 127.0.0.1:"
            let port = try #require(await port(in: folder, "log", after: text))
            for serial in ["aabbccddeeff", "other"] {
                _ = try await say(
                    "{\"HRHomeStationUpdate\":{\"StationDID\":\"\(serial)\",\"StationIP\":\"192.0.2.7\"}}",
                    port: port
                )
            }
            let list = try await Program.run(["resolver", "list", "--db", folder.path("r.db")], in: folder)
            #expect(list.output.columns.contains("other\t192.0.2.7"), "\(list.output)")
            #expect(!list.output.contains("aa:bb:cc:dd:ee:ff"), "an unsigned update of a serial with a key")
            resolver.signal(SIGTERM)
            #expect(await resolver.end() == 0)
            await resolver.destroy()

            let strangers = try Program.start(
                start + ["--request-from", "192.0.2.0/24"],
                in: folder,
                output: folder.path("log2")
            )
            let other = try #require(await self.port(in: folder, "log2", after: text))
            let answer = try await say(#"{"HRHomeStationsRequest":[{"StationDID":"other"}]}"#, port: other)
            #expect(answer == Self.greeting)
            strangers.signal(SIGTERM)
            #expect(await strangers.end() == 0)
            await strangers.destroy()

            for (words, status) in [
                (["--keys-file", folder.path("bad-keys")], 78), (["--keys-file", folder.path("none")], 78),
                (["--per-second", "0"], 64), (["--per-second", "nan"], 64), (["--request-from", "x"], 64),
                (["--address", "x"], 64),
            ] {
                let end = try await Program.run(start + words, in: folder)
                #expect(end.status == Int32(status), "\(words): \(end.output)")
                #expect(end.output.contains(words[0]), "\(end.output)")
            }
        }
    }

    @Test func `alone it serves stations and clients, and its verbs work beside it`() async throws {
        try await withTemporaryFolder { folder in
            let database = folder.path("r.db")
            let arguments = ["resolver", "--listen", "127.0.0.1:0", "--db", database]
            let resolver = try Program.start(arguments, in: folder, output: folder.path("log"))
            let text = "trilateral resolver: listening on 127.0.0.1:"
            let port = try #require(await port(in: folder, "log", after: text))
            let update =
                #"{"HRHomeStationUpdate":{"StationDID":"AA:BB:CC:DD:EE:FF","StationIP":"192.0.2.7"}}"#
            #expect(try await say(update, port: port) == Self.greeting)
            let get = try await Program.run(
                ["resolver", "get", "(187723572702975)", "--db", database],
                in: folder
            )
            #expect(get.status == 0 && get.output == "192.0.2.7\n")
            let set = try await Program.run(
                ["resolver", "set", "x", "192.0.2.8", "--db", database],
                in: folder
            )
            #expect(set.status == 0 && set.output.isEmpty)
            #expect(
                try await say(#"{"HRHomeStationsRequest":[{"StationDID":"x"}]}"#, port: port) == Self.greeting
                    + #"{"HRHomeStationReply":[{"StationDID":"x","StationIP":"192.0.2.8"}]}"#
            )
            let list = try await Program.run(["resolver", "list", "--db", database], in: folder)
            #expect(list.output.columns == "SERIAL\tADDRESS\naa:bb:cc:dd:ee:ff\t192.0.2.7\nx\t192.0.2.8\n")
            let json = try await Program.run(["resolver", "list", "--json", "--db", database], in: folder)
            #expect(try JSONValue(parsing: json.output).array?.last == ["id": "x", "ip": "192.0.2.8"])
            for (words, status) in [
                (["rm", "x"], 0), (["rm", "x"], 66), (["get", "x"], 66), (["set", "x", "300.1.1.1"], 65),
                (["set", " ", "1.2.3.4"], 65), (["get"], 64),
            ] {
                let end = try await Program.run(["resolver"] + words + ["--db", database], in: folder)
                #expect(end.status == Int32(status), "\(words): \(end.output)")
            }
            let taken = try await Program.run(
                ["resolver", "--listen", "127.0.0.1:\(port)", "--db", folder.path("other.db")],
                in: folder
            )
            #expect(taken.status == 69 && taken.output.contains("in use"), "\(taken.output)")
            let gone = try await Program.run(
                ["resolver", "list", "--db", folder.path("gone.db")],
                in: folder
            )
            #expect(gone.status == 66)
            try folder.write("no database at all, and long enough to be looked at", to: "bad.db")
            let bad = try await Program.run(
                ["resolver", "--listen", "127.0.0.1:0", "--db", folder.path("bad.db")],
                in: folder
            )
            #expect(bad.status == 74, "\(bad.output)")
            resolver.signal(SIGTERM)
            #expect(await resolver.end(within: .seconds(10)) == 0)
            await resolver.destroy()
        }
    }

    @Test func `in the daemon it counts, and a port that is taken is an alert`() async throws {
        let taken = try LoopbackSocket.listening()
        let file = "resolver: {enabled: true, listen: [\"127.0.0.1:0\", \"127.0.0.1:\(taken.port)\"]}\n"
        try await withHome(file: file) { home, visitor in
            let port = try #require(await port(in: home.folder, "log-1", after: "resolver: 127.0.0.1:"))
            let info = try await visitor.awaits("info")
            #expect(info["features"]?.array?.contains("resolver") == true)
            try await visitor.awaits("alert/resolver-listener") {
                $0["message"]?.string?.contains("\(taken.port)") == true
            }
            try await visitor.awaits("health") { $0["links"]?["resolver"] == false }
            let update = #"{"HRHomeStationUpdate":{"StationDID":"(187723572702974)"}}"#
            #expect(try await say(update, port: port) == Self.greeting)
            #expect(try await say("GET / HTTP/1.1\r\n\r\n", port: port) == Self.greeting)
            let request = #"{"HRHomeStationsRequest":[{"StationDID":"AA-BB-CC-DD-EE-FE"}]}"#
            #expect(try await say(request, port: port).hasSuffix(#""StationIP":"127.0.0.1"}]}"#))
            let list = try await Program.run(
                ["resolver", "list", "--db", "\(home.state)/resolver.db"],
                in: home.folder
            )
            #expect(list.output.columns == "SERIAL\tADDRESS\naa:bb:cc:dd:ee:fe\t127.0.0.1\n")
            try await visitor.ask("request/snapshot")
        }
    }

    @Test func `a daemon tells its address to the resolver of another one, and says how that goes`()
        async throws
    {
        let key = String(repeating: "0f", count: 32)
        try await withEmptyHome { home, visitor in
            try home.folder.write("aa-bb-cc-dd-ee-ff \(key)\n", to: "keys")
            try await home.take()
            try await visitor.whileStarting {
                try await home.start(
                    file:
                        "resolver: {enabled: true, listen: [\"127.0.0.1:0\"], update_from: [], keys_file: keys}\n"
                )
            }
            let port = try #require(await port(in: home.folder, "log-1", after: "resolver: 127.0.0.1:"))
            try await withEmptyHome { station, listener in
                try station.folder.write(key + "\n", to: "key")
                try await station.take()
                try await listener.whileStarting {
                    try await station.start(
                        file: """
                            station: {announce: "127.0.0.1:\(port)", serial: AABBCCDDEEFF, period_seconds: 5, key_file: key}
                            """
                    )
                }
                let status = try await listener.awaits("station") { $0["ok"] == true }
                #expect(status["serial"] == "aa:bb:cc:dd:ee:ff" && status["address"] == "127.0.0.1")
                #expect(status["resolver"]?.string == "127.0.0.1:\(port)" && status["error"] == .null)
                try await listener.awaits("health") { $0["links"]?["station"] == true }
                let get = try await Program.run(
                    ["resolver", "get", "aabbccddeeff", "--db", "\(home.state)/resolver.db"],
                    in: home.folder
                )
                #expect(get.output == "127.0.0.1\n")
                await home.stop()
                let lost = try await listener.awaits("station") { $0["ok"] == false }
                #expect(lost["error"]?.string?.contains("refused") == true, "\(lost)")
                #expect(await !station.log.contains(key))
                try await listener.whileStarting {
                    await station.stop()
                    try await station.start()
                }
                try await listener.awaits("station", "")
            }
        }
    }

    @Test func `what is wrong in its configuration is named`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("aabbccddeeff 00\n", to: "keys")
            try folder.write(
                "resolver: {update_from: [10.0.0.1/8], per_second: 0, keys_file: keys, address: mine}\n",
                to: "t.yaml"
            )
            let end = try await Program.run(["check", "--config", folder.path("t.yaml")], in: folder)
            #expect(end.status == 78)
            for words in ["without other bits behind its length", "0.1 to 1000", "auto, claimed or peer"] {
                #expect(end.output.contains(words), "\(words): \(end.output)")
            }
            try folder.write("resolver: {keys_file: keys}\n", to: "t.yaml")
            let keys = try await Program.run(["check", "--config", folder.path("t.yaml")], in: folder)
            #expect(keys.status == 78 && keys.output.contains("line 1 must have a serial"), "\(keys.output)")
        }
    }

    @Test func `a verb names itself and what is wrong with its file`() async throws {
        try await withTemporaryFolder { folder in
            let other = try DatabaseQueue(path: folder.path("other.db"))
            try await other.write { try $0.execute(sql: "CREATE TABLE devices (serial TEXT, place TEXT)") }
            try other.close()
            try folder.write(String(repeating: "no database at all. ", count: 100), to: "bad.db")
            let verbs = [["list"], ["get", "x"], ["set", "x", "192.0.2.7"], ["rm", "x"]]
            for words in verbs {
                let prefix = "trilateral resolver \(words[0]): "
                for (file, status) in [("other.db", 65), ("bad.db", 65), ("gone.db", 66)] {
                    let end = try await Program.run(
                        ["resolver"] + words + ["--db", folder.path(file)],
                        in: folder
                    )
                    #expect(end.status == Int32(status), "\(words) \(file): \(end.output)")
                    #expect(
                        end.output.hasPrefix(prefix + folder.path(file)),
                        "\(words) \(file): \(end.output)"
                    )
                }
            }
            let made = try DatabaseQueue(path: folder.path("good.db"))
            try await made.write {
                try $0.execute(sql: "CREATE TABLE devices (ID TEXT PRIMARY KEY, IP TEXT)")
            }
            try made.close()
            for words in [["get", "x"], ["rm", "x"], ["get", "a\tb"], ["set", "x", "300.1.1.1"]] {
                let end = try await Program.run(
                    ["resolver"] + words + ["--db", folder.path("good.db")],
                    in: folder
                )
                #expect(end.output.hasPrefix("trilateral resolver \(words[0]): "), "\(end.output)")
                #expect(end.status == (words.last == "x" ? 66 : 65), "\(end.output)")
            }
            let folderless = try await Program.run(
                ["resolver", "--listen", "127.0.0.1:0"],
                in: folder,
                shell: "export STATE_DIRECTORY=/proc/x"
            )
            #expect(folderless.status == 73, "\(folderless.output)")
            #expect(
                folderless.output.hasPrefix("trilateral resolver: the state folder"),
                "\(folderless.output)"
            )
        }
    }

    @Test func `a file that another process has locked is in use`() async throws {
        try await withTemporaryFolder { folder in
            let other = try DatabaseQueue.locking(folder.path("r.db"))
            let end = try await Program.run(
                ["resolver", "set", "x", "192.0.2.7", "--db", folder.path("r.db")],
                in: folder
            )
            #expect(end.status == 75, "\(end.output)")
            #expect(end.output.hasPrefix("trilateral resolver set: another process uses "), "\(end.output)")
            try other.close()
        }
    }
}
