import Foundation
import GRDB
import JSON
import TestSupport
import Testing

/// `trilateral doctor` on set-ups that are really broken: each is named with its cause and what to do, and the status is 1.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct DoctorTests {
    private struct Verdict {
        let check: String
        let level: String
        let text: String
        let advice: String
    }

    /// A place that is stored, and a broker, which are well until a test breaks something.
    private struct TestSetup {
        let folder: TemporaryFolder
        var keys: [String: String]
        var file: String?

        var state: String { folder.path("state") }

        func diagnosis(shell: String? = nil) async throws -> (status: Int32?, verdicts: [Verdict]) {
            let options = file.map { ["--config", $0] } ?? []
            let end = try await Program.run(
                ["doctor", "--json", "--state", state] + options,
                in: folder,
                keys: keys,
                shell: shell
            )
            let line = try #require(end.output.split(separator: "\n").last { $0.hasPrefix("{") })
            let json = try JSONValue(parsing: Array(line.utf8))
            let verdicts = (json["verdicts"]?.array ?? []).map { verdict in
                func text(_ key: String) -> String { verdict[key]?.string ?? "" }
                return Verdict(
                    check: text("check"),
                    level: text("level"),
                    text: text("text"),
                    advice: text("advice")
                )
            }
            return (end.status, verdicts)
        }

        /// Expects that what is broken is a problem, and names it.
        func expectProblem(
            _ check: String,
            _ words: String,
            advice: String,
            shell: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let (status, verdicts) = try await diagnosis(shell: shell)
            #expect(status == 1, sourceLocation: sourceLocation)
            let problems = verdicts.filter { $0.level == "problem" }
            #expect(
                problems.contains { found in
                    found.check == check && found.text.contains(words) && found.advice.contains(advice)
                },
                "\(problems)",
                sourceLocation: sourceLocation
            )
        }

        /// Overwrites the beginning of a database, as a bad disk does.
        func damage(_ name: String) throws {
            let file = try #require(FileHandle(forUpdatingAtPath: "\(state)/\(name)"))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
            try file.close()
        }
    }

    private func withSetup(
        _ options: MosquittoOptions? = nil,
        isEmpty: Bool = false,
        _ body: (inout TestSetup) async throws -> Void
    ) async throws {
        func run(port: Int) async throws {
            try await withTemporaryFolder { folder in
                let home = Home(in: folder, port: port)
                if !isEmpty { try await home.take() }
                var setup = TestSetup(
                    folder: folder,
                    keys: [
                        "mqtt.host": "127.0.0.1", "mqtt.port": "\(port)", "mqtt.node": home.node,
                        "flare.server.listen": "127.0.0.1:0",
                    ]
                )
                try await body(&setup)
            }
        }
        guard let options else { return try await run(port: SharedMosquitto.broker.port) }
        try await withMosquitto(options) { try await run(port: $0.port) }
    }

    @Test func `a good set-up has no problem`() async throws {
        try await withSetup { setup in
            let (status, verdicts) = try await setup.diagnosis()
            #expect(status == 0, "\(verdicts)")
            #expect(verdicts.contains { $0.check == "databases" && $0.text == "sound: flare.db" })
        }
    }

    // MARK: The broker

    @Test func `a broker that does not run`() async throws {
        try await withSetup { setup in
            setup.keys["mqtt.port"] = "\(try LoopbackSocket.freePort())"
            try await setup.expectProblem("broker", "cannot reach", advice: "start the broker")
        }
    }

    @Test func `a wrong password`() async throws {
        var options = MosquittoOptions()
        options.users = ["walker": "right"]
        try await withSetup(options) { setup in
            setup.keys["mqtt.username"] = "walker"
            setup.keys["mqtt.password"] = "wrong-secret"
            try await setup.expectProblem("broker", "refuses user \"walker\"", advice: "mqtt.username")
            let output = try await setup.diagnosis().verdicts.map { $0.text + $0.advice }
            #expect(!output.joined().contains("wrong-secret"))
        }
    }

    @Test func `a broker that keeps no retained messages`() async throws {
        var options = MosquittoOptions()
        options.lines = ["retain_available false"]
        try await withSetup(options) { setup in
            try await setup.expectProblem("broker", "no retained messages", advice: "retain_available true")
        }
    }

    @Test func `a broker with small packets is a warning, which alone is no failure`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 4096"]
        try await withSetup(options) { setup in
            let (status, verdicts) = try await setup.diagnosis()
            #expect(status == 0, "\(verdicts)")
            let found = verdicts.first { $0.check == "broker" && $0.level == "warning" }
            #expect(found?.text.contains("packets of 4096 bytes") == true)
            #expect(found?.advice.contains("max_packet_size") == true)
        }
    }

    // MARK: The configuration, ports and rights

    @Test func `a configuration with mistakes, which names a file that is missing`() async throws {
        try await withSetup { setup in
            try setup.folder.write(
                "controll: {}\nmqtt: {username: u, password_file: /nonexistent/password}\n",
                to: "t.yaml"
            )
            setup.file = setup.folder.path("t.yaml")
            try await setup.expectProblem("configuration", "controll", advice: "trilateral check")
            try await setup.expectProblem(
                "configuration",
                "password_file: cannot be read",
                advice: "correct it"
            )
        }
    }

    @Test func `a configuration that everybody can change`() async throws {
        try await withSetup { setup in
            try setup.folder.write("log: {level: info}\n", to: "t.yaml")
            let file = setup.folder.path("t.yaml")
            #expect(chmod(file, 0o666) == 0)
            setup.file = file
            try await setup.expectProblem("rights", "can change \(file)", advice: "chmod o-w \(file)")
        }
    }

    @Test func `a port that another program has`() async throws {
        let other = try LoopbackSocket.listening()
        try await withSetup { setup in
            setup.keys["web.listen"] = "127.0.0.1:\(other.port)"
            try await setup.expectProblem("ports", "listens on 127.0.0.1:\(other.port)", advice: "web.listen")
        }
        withExtendedLifetime(other) {}
    }

    @Test func `a state folder that is closed to its own user`() async throws {
        try await withSetup { setup in
            // Nothing is closed to root.
            if geteuid() == 0 { #expect(chown(setup.state, 12_345, 12_345) == 0) }
            #expect(chmod(setup.state, 0) == 0)
            defer { chmod(setup.state, 0o700) }
            try await setup.expectProblem(
                "rights",
                "closed to its own user",
                advice: "chmod 700 \(setup.state)"
            )
        }
    }

    // MARK: The disk

    @Test(.enabled { await OwnDisk.canMount() })
    func `a full disk`() async throws {
        try await withSetup(isEmpty: true) { setup in
            try await OwnDisk.with("size=2m", at: setup.state) {
                try OwnDisk.fill(setup.state + "/filler")
                try await setup.expectProblem("disk", "left on the disk", advice: "make room")
            }
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a disk without inodes`() async throws {
        try await withSetup(isEmpty: true) { setup in
            try await OwnDisk.with("nr_inodes=8", at: setup.state) {
                try await setup.expectProblem("disk", "files (inodes) are left", advice: "df -i")
            }
        }
    }

    // MARK: The databases

    @Test(arguments: ["flare.db", "trilateral.db"])
    func `a database of a newer version`(name: String) async throws {
        try await withSetup { setup in
            let queue = try DatabaseQueue(path: "\(setup.state)/\(name)")
            try await queue.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                        INSERT INTO grdb_migrations VALUES ('v99'); PRAGMA user_version = 9000000
                        """
                )
            }
            try queue.close()
            let before = try Data(contentsOf: URL(filePath: "\(setup.state)/\(name)"))
            try await setup.expectProblem(
                "databases",
                "\(name) was written by trilateral 9.0.0, which is newer",
                advice: "trilateral --version"
            )
            #expect(try Data(contentsOf: URL(filePath: "\(setup.state)/\(name)")) == before)
        }
    }

    @Test(arguments: ["flare.db", "trilateral.db"])
    func `a damaged database`(name: String) async throws {
        try await withSetup { setup in
            if name == "trilateral.db" {
                try setup.folder.write(String(repeating: "x", count: 8192), to: "state/trilateral.db")
            } else {
                try setup.damage(name)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: setup.state)
            try await setup.expectProblem("databases", "\(name) is damaged", advice: "trilateral restore")
            if name == "flare.db" {
                try await setup.expectProblem("place", "cannot be read", advice: "check of the databases")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: setup.state).sorted() == names.sorted()
            )
        }
    }

    @Test func `a missing database that a backup has is no reason to import a place`() async throws {
        try await withSetup { setup in
            let backup = "\(setup.state)/backups/trilateral-20261128T045536Z"
            try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: "\(setup.state)/flare.db",
                toPath: "\(backup)/flare.db"
            )
            let description =
                #"{"made":"2026-11-28T04:55:36.000Z","program":"0.1.0","databases":{"flare.db":{"bytes":1}}}"#
            try Data(description.utf8).write(to: URL(filePath: "\(backup)/backup.json"))
            let (_, verdicts) = try await setup.diagnosis()
            for check in ["databases", "place"] {
                let found = verdicts.first { $0.check == check }
                #expect(found?.level == "warning", "\(verdicts)")
                #expect(found?.text.contains("is missing") == true, "\(verdicts)")
            }
            #expect(!verdicts.contains { $0.advice.contains("trilateral import") }, "\(verdicts)")
        }
    }

    // MARK: The clock

    /// A library that has a program believe that it is the second of January 1970.
    private static let clock = """
        #define _GNU_SOURCE
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            if (clock != CLOCK_REALTIME) return (int)syscall(SYS_clock_gettime, clock, time);
            return *time = (struct timespec){.tv_sec = 86400}, 0;
        }
        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            (void)zone;
            return *time = (struct timeval){.tv_sec = 86400}, 0;
        }
        time_t time(time_t *place) { return place ? (*place = 86400) : 86400; }
        """

    @Test(.enabled(if: CCompiler.isExpected))
    func `a clock in 1970`() async throws {
        try await withSetup { setup in
            try setup.folder.write(Self.clock, to: "clock.c")
            let library = setup.folder.path("clock.so")
            let compiler = try #require(CCompiler.program)
            try await ChildProcess.run(
                compiler,
                ["-shared", "-fPIC", "-o", library, setup.folder.path("clock.c")]
            )
            try await setup.expectProblem(
                "clock",
                "it is not 1970",
                advice: "timedatectl set-ntp true",
                shell: "export LD_PRELOAD='\(library)'"
            )
        }
    }
}
