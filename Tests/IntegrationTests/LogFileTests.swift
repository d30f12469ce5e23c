import Foundation
import TestSupport
import Testing

/// `log.file`: the log's second output.
@Suite(.mosquitto, .enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct LogFileTests {
    @Test func `the log is in the file too, also after it was moved away`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let file = home.folder.path("trilateral.log")
            let keys = ["log.file": file, "log.level": "none", "log.file_level": "debug"]
            try await visitor.whileStarting { try await home.start(keys) }
            #expect(
                await eventually { home.folder.read("trilateral.log").contains("notice trilateral: node: ") }
            )
            #expect(await !home.log.contains("notice trilateral: node: "))
            // As logrotate does.
            try FileManager.default.moveItem(atPath: file, toPath: file + ".1")
            await home.signal(SIGHUP)
            #expect(
                await eventually { home.folder.read("trilateral.log").contains("configuration read again") }
            )
            #expect(home.folder.read("trilateral.log.1").contains("notice trilateral: node: "))
            #expect(await home.stop() == 0)
        }
    }

    @Test func `a file that cannot be opened is an error of the configuration`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.path("missing/trilateral.log")
            for verb in [["run", "--state", folder.path("state")], ["check"]] {
                let end = try await Program.run(verb, in: folder, keys: ["log.file": file])
                #expect(end.status == 78 && end.output.contains("log.file") && end.output.contains(file))
            }
        }
    }

    @Test func `a reload with such a file leaves the daemon running`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let file = home.folder.path("trilateral.yaml")
            try await visitor.whileStarting { try await home.start(file: "log: {level: info}\n") }
            try "log: {file: \(home.folder.path("missing/log"))}\n".write(
                toFile: file,
                atomically: true,
                encoding: .utf8
            )
            let answer = try await visitor.ask("request/reload")
            #expect("\(answer)".contains("log.file"))
            #expect(try await visitor.ask("request/ping").outcome == "ok")
        }
    }
}
