import Foundation
import JSON
import OperatingSystem
import TestSupport
import Testing

/// `trilateral doctor` as it is run, on set-ups that are broken.
@Suite(.timeLimit(.minutes(2))) struct DoctorVerbTests {
    /// A configuration in which nothing but the broker is asked.
    private static func configuration(port: Int, more: String = "") -> String {
        """
        mqtt:
          port: \(port)
        \(more)
        flare:
          server:
            enabled: false
        web:
          listen: null
        sensors:
          beacons:
            enabled: false
        """
    }

    private static func verdicts(_ output: String) throws -> [(check: String, level: String)] {
        let json = try JSONValue(parsing: Array(output.utf8))
        return (json["verdicts"]?.array ?? []).map { ($0["check"]?.string ?? "", $0["level"]?.string ?? "") }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `a good set-up has no problem, and changes nothing`() async throws {
        try await withMosquitto { broker in
            try await withVerbDesk { desk in
                let file = try desk.write(Self.configuration(port: broker.port), to: "t.yaml")
                let end = try await desk.run(["doctor", "--config", file, "--json"])
                #expect(end.status == 0, "\(end.output)")
                let levels = try Self.verdicts(end.output).filter { $0.check == "broker" }.map { $0.level }
                #expect(levels.first == "ok")
                #expect(!FileManager.default.fileExists(atPath: desk.state))
            }
        }
    }

    @Test func `a broker that hangs is named within seconds, and the other checks are there`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withVerbDesk { desk in
            let file = try desk.write(Self.configuration(port: listener.port), to: "t.yaml")
            let start = ContinuousClock.now
            let end = try await desk.run(["doctor", "--config", file, "--json"])
            #expect(end.status == 1, "\(end.output)")
            #expect(start.duration(to: .now) < .seconds(20))
            let verdicts = try Self.verdicts(end.output)
            #expect(verdicts.filter { $0.level == "problem" }.map { $0.check } == ["broker"], "\(end.output)")
            for check in ["versions", "configuration", "disk", "clock", "place", "alerts"] {
                #expect(verdicts.contains { $0.check == check })
            }
        }
        withExtendedLifetime(listener) {}
    }

    @Test func `a database is read and not brought up to date`() async throws {
        try await withVerbDesk { desk in
            try FileManager.default.createDirectory(
                atPath: desk.state,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // One that has no tables yet.
            let database = try desk.write("", to: "state/flare.db")
            let file = try desk.write(Self.configuration(port: LoopbackSocket.freePort()), to: "t.yaml")
            let words = ["doctor", "--config", file, "--json"]
            let end = try await desk.run(words)
            let verdicts = try Self.verdicts(end.output).filter { $0.check == "place" }
            #expect(verdicts.map { $0.level } == ["warning"], "\(end.output)")
            #expect(end.output.contains("there is none yet"), "\(end.output)")
            #expect(FileStatus(path: database)?.size == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: desk.state) == ["flare.db"])
        }
    }

    @Test func `a bundle has the verdicts, the configuration and the log, and no secret of the set-up`()
        async throws
    {
        try await withVerbDesk { desk in
            let port = try LoopbackSocket.freePort()
            let password = try desk.write("S3cret-in-a-file\n", to: "password")
            let log = try desk.write("hello S3cret-in-a-file tlu_S3cretS3cretS3cret\n", to: "log")
            let more = """
                  username: anna
                  password_file: \(password)
                  password: S3cret-in-the-configuration
                log:
                  file: \(log)
                """
            let file = try desk.write(Self.configuration(port: port, more: more), to: "t.yaml")
            let bundle = desk.folder.path("bundle.txt")
            let end = try await desk.run(["doctor", "--config", file, "--bundle", bundle])
            #expect(end.status == 1 && end.output.contains("problem  configuration: "), "\(end.output)")
            #expect(FileStatus(path: bundle)?.permissions == 0o600)
            let text = desk.folder.read("bundle.txt")
            #expect(text.contains("== configuration") && text.contains("username: anna"))
            #expect(text.contains("hello ***"))
            #expect(!text.contains("S3cret") && !end.output.contains("S3cret"), "\(text)\n\(end.output)")
            // What is there is not written over.
            let again = try await desk.run(["doctor", "--config", file, "--bundle", bundle])
            #expect(
                again.status == 73 && again.output.contains("exists already; name another file"),
                "\(again.output)"
            )
        }
    }
}
