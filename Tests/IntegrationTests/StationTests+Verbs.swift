import Foundation
import GRDB
import TestSupport
import Testing

/// What the verbs of stations refuse, and how.
extension StationTests {
    /// A resolver, and a state folder to register in.
    private struct Desk {
        let folder: TemporaryFolder
        let resolver: String

        var state: String { folder.path("state") }

        /// Runs a verb of `station`; nothing that it prints has the password.
        func station(_ words: String...) async throws -> Program.End { try await station(words) }

        func station(_ words: [String]) async throws -> Program.End {
            let end = try await Program.run(["station"] + words + ["--state", state], in: folder)
            #expect(!end.output.contains("geheim"), "\(words)")
            return end
        }

        func add(_ serial: String, _ name: String, password: String = "password", _ more: String...)
            async throws
            -> Program.End
        {
            let file = ["--password-file", folder.path(password), "--resolver", resolver]
            return try await station(["add", "--serial", serial, "--name", name] + file + more)
        }

        /// Stores an address with the resolver.
        func set(_ serial: String, _ address: String) async throws {
            let words = ["resolver", "set", serial, address, "--db", folder.path("r.db")]
            #expect(try await Program.run(words, in: folder).status == 0)
        }

        /// A file that only its owner can read.
        func write(_ text: String, to name: String) throws {
            try folder.write(text, to: name)
            #expect(chmod(folder.path(name), 0o600) == 0)
        }
    }

    private func withDesk(_ body: (Desk) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let resolver = try Program.start(
                ["resolver", "--listen", "127.0.0.1:0", "--db", folder.path("r.db")],
                in: folder,
                output: folder.path("log")
            )
            func place() -> String? {
                folder.read("log").components(separatedBy: "listening on ").dropFirst().first?
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            _ = await eventually { place() != nil }
            let desk = Desk(folder: folder, resolver: try #require(place()))
            try desk.write("geheim-4711\n", to: "password")
            try await body(desk)
            await resolver.terminate()
        }
    }

    @Test(arguments: [
        ["list"], ["edit", "shop", "--name", "store"], ["rm", "shop"], ["refresh"], ["refresh", "shop"],
        ["devices", "shop"],
    ])
    func `a verb that only reads or changes makes no folder and no database`(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            let prefix = "trilateral station \(words[0]): "
            let typo = folder.path("typo")
            try folder.write("", to: "file")
            for path in [typo + "/x", folder.path("file")] {
                let gone = try await Program.run(["station"] + words + ["--state", path], in: folder)
                #expect(gone.status == 66, "\(gone.output)")
                #expect(gone.output.hasPrefix(prefix + "there is no state folder \(path)"), "\(gone.output)")
            }
            #expect(!FileManager.default.fileExists(atPath: typo))
            try FileManager.default.createDirectory(atPath: typo, withIntermediateDirectories: false)
            #expect(chmod(typo, 0o700) == 0)
            let empty = try await Program.run(["station"] + words + ["--state", typo], in: folder)
            let isAboutAll = words.count == 1
            #expect(empty.status == (isAboutAll ? 0 : 66), "\(empty.output)")
            let sentence = isAboutAll ? "no station is registered. First" : "no station is called \"shop\""
            #expect(empty.output.hasPrefix(prefix + sentence), "\(empty.output)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: typo).isEmpty)
        }
    }

    @Test func `a state folder that cannot be used is named behind the verb`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("geheim-4711\n", to: "password")
            let words = ["station", "add", "--serial", "x", "--name", "x", "--state", "/proc/x"]
            let end = try await Program.run(words + ["--password-file", folder.path("password")], in: folder)
            #expect(end.status == 73, "\(end.output)")
            #expect(
                end.output.contains("trilateral station add: the state folder /proc/x/ cannot"),
                "\(end.output)"
            )
        }
    }

    @Test func `a database that another process has locked is in use`() async throws {
        try await withDesk { desk in
            try await desk.set("x", "192.0.2.7")
            #expect(try await desk.add("x", "shop").status == 0)
            let other = try DatabaseQueue.locking(desk.state + "/trilateral.db")
            let end = try await desk.station("edit", "shop", "--name", "store")
            #expect(end.status == 75, "\(end.output)")
            #expect(end.output.hasPrefix("trilateral station edit: another process uses "), "\(end.output)")
            try other.close()
        }
    }

    @Test func `a password is one line without control characters`() async throws {
        try await withDesk { desk in
            try await desk.set("x", "192.0.2.7")
            for (index, text) in [
                "geheim\r\nX: y", "geheim\nzwei\n", "geheim\t1", "geheim\u{2028}1", "geheim\0",
            ]
            .enumerated() {
                try desk.write(text, to: "bad-\(index)")
                let end = try await desk.add("x", "shop", password: "bad-\(index)")
                #expect(end.status == 65, "\(index): \(end.output)")
                #expect(
                    end.output.hasPrefix(
                        "trilateral station add: \(desk.folder.path("bad-\(index)")) "
                    ),
                    "\(end.output)"
                )
            }
            try desk.write("geheim 4711 \r\n", to: "good")
            #expect(try await desk.add("x", "shop", password: "good").status == 0)
            let bad = try await desk.station("edit", "shop", "--password-file", desk.folder.path("bad-0"))
            #expect(bad.status == 65 && bad.output.hasPrefix("trilateral station edit: "), "\(bad.output)")
            try desk.write("\n", to: "empty")
            let file = desk.folder.path("empty")
            let empty = try await desk.station("edit", "shop", "--password-file", file)
            #expect(
                empty.status == 64 && empty.output == "trilateral station edit: empty: password\n",
                "\(empty)"
            )
            #expect(chmod(desk.folder.path("password"), 0o644) == 0)
            let open = try await desk.station(
                "edit",
                "shop",
                "--password-file",
                desk.folder.path("password")
            )
            #expect(
                open.status == 0 && open.output.hasPrefix("trilateral station edit: warning: "),
                "\(open)"
            )
            #expect(open.output.contains("chmod 600"))
        }
    }

    @Test func `a word never means two stations`() async throws {
        try await withDesk { desk in
            for (serial, address) in [
                ("aabbccddeeff", "192.0.2.1"), ("till-2", "192.0.2.2"), ("x", "192.0.2.3"),
            ] {
                try await desk.set(serial, address)
            }
            #expect(try await desk.add("aabbccddeeff", "till2").status == 0)
            let named = try await desk.add("x", "AA-BB-CC-DD-EE-FF")
            #expect(named.status == 1, "\(named.output)")
            #expect(named.output.contains("is the serial of another station: till2"), "\(named.output)")
            let numbered = try await desk.add("till-2", "second")
            #expect(numbered.status == 1, "\(numbered.output)")
            #expect(
                numbered.output.contains("till2 is the name of another station: till2"),
                "\(numbered.output)"
            )
            #expect(try await desk.add("x", "second").status == 0)
            let renamed = try await desk.station("edit", "second", "--name", "(187723572702975)")
            #expect(renamed.status == 1, "\(renamed.output)")
            #expect(renamed.output.contains("is the serial of another station"), "\(renamed.output)")
            // Its own serial is no trouble.
            #expect(try await desk.station("edit", "second", "--name", "X").status == 0)
        }
    }

    @Test func `what is wrong with a serial, a name or an empty change is told`() async throws {
        try await withDesk { desk in
            try await desk.set("x", "192.0.2.7")
            #expect(try await desk.add("x", "shop").status == 0)
            let long = String(repeating: "z", count: 65)
            for serial in [long, "::", "a\u{1}b"] {
                let end = try await desk.add(serial, "other")
                #expect(end.status == 65, "\(end.output)")
                #expect(end.output.contains("1 to 64 bytes") && end.output.contains("control characters"))
            }
            let empty = try await desk.add("", "other")
            #expect(empty.status == 64 && empty.output.hasSuffix("empty: serial\n"), "\(empty.output)")
            for (name, words) in [("a\tb", "no control characters"), (long, "1 to 64 characters, not 65")] {
                for end in [
                    try await desk.add("y", name), try await desk.station("edit", "shop", "--name", name),
                ] {
                    #expect(end.status == 65 && end.output.contains(words), "\(end.output)")
                }
            }
            let nothing = try await desk.station("edit", "shop")
            #expect(nothing.status == 64, "\(nothing.output)")
            #expect(nothing.output.hasPrefix("trilateral station edit: nothing to change: give --name"))
        }
    }

    @Test func `an unreachable server is named by the address and its name`() async throws {
        try await withDesk { desk in
            try await desk.set("x", "127.0.0.1")
            let port = try LoopbackSocket.freePort()
            #expect(try await desk.add("x", "shop", "--url", "http://shop.example:\(port)").status == 0)
            let end = try await desk.station("devices", "shop", "--resolver", desk.resolver)
            #expect(end.status == 69, "\(end.output)")
            #expect(
                end.output.contains("at 127.0.0.1:\(port) (shop.example) cannot be reached"),
                "\(end.output)"
            )
        }
    }

    @Test
    func
        `a server's certificate is checked against an authority of its own, and what is wrong with it is told`()
        async throws
    {
        try await withDesk { desk in
            let openssl = try #require(ChildProcess.find("openssl"))
            let certificates = try await TestCertificates.make(in: desk.folder)
            let other = try await TestCertificates.make(in: desk.folder, name: "other")
            // A server whose answers are no JSON: whoever sees that trusts it.
            let server = try ChildProcess(
                openssl,
                [
                    "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificates.serverCertificate,
                    "-key", certificates.serverKey,
                ],
                output: desk.folder.path("server")
            )
            func port() -> String? {
                desk.folder.read("server").components(separatedBy: "ACCEPT 127.0.0.1:").dropFirst().first
                    .map { String($0.prefix { $0.isNumber }) }
            }
            _ = await eventually { port()?.isEmpty == false }
            let url = "https://localhost:\(try #require(port()))"
            try await desk.set("x", "127.0.0.1")
            #expect(try await desk.add("x", "shop", "--url", url).status == 0)
            func devices(_ more: String...) async throws -> Program.End {
                try await desk.station(["devices", "shop", "--resolver", desk.resolver] + more)
            }
            let good = try await devices("--ca-file", certificates.caFile)
            #expect(good.status == 69 && good.output.contains("is not JSON"), "\(good.output)")
            for end in [try await devices(), try await devices("--ca-file", other.caFile)] {
                #expect(end.status == 69, "\(end.output)")
                #expect(
                    end.output.contains("TLS") && end.output.contains("CERTIFICATE_VERIFY_FAILED"),
                    "\(end.output)"
                )
            }
            let gone = try await devices("--ca-file", desk.folder.path("gone.pem"))
            #expect(gone.status == 66 && gone.output.contains("gone.pem cannot be read"), "\(gone.output)")
            let none = try await devices("--ca-file", desk.folder.path("password"))
            #expect(
                none.status == 65 && none.output.hasPrefix("trilateral station devices: "),
                "\(none.output)"
            )
            #expect(try await desk.station("edit", "shop", "--url", "http://localhost").status == 0)
            let plain = try await devices("--ca-file", certificates.caFile)
            #expect(plain.status == 64 && plain.output.contains("has no effect"), "\(plain.output)")
            await server.terminate()
        }
    }
}

extension DatabaseQueue {
    /// A connection that keeps all others from writing until it is closed.
    static func locking(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        return queue
    }
}
