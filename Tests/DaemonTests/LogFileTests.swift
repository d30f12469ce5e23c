import Daemon
import Foundation
import Logging
import Settings
import Testing
import Threading

struct LogFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    private func lines(_ name: String) throws -> [Substring] {
        try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n")
    }

    /// Runs the body with a folder of its own, and a log on a console whose text it can ask for.
    private func withLog(
        _ body: (LogOutput, _ console: @Sendable () -> String) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = Locked("")
        let output = LogOutput(level: .info, form: LogFormat(.text, isForJournal: true)) { bytes in
            text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        try await body(output) {
            output.flush(within: 10)
            return text.withLock { $0 }
        }
    }

    @Test func `the file has the same lines with the time, from its own level on`() async throws {
        try await withLog { output, console in
            let logger = output.logger("a")
            try output.setFile(path("log"), level: .debug)
            logger.trace("none")
            logger.debug("file", metadata: ["b": "x y"])
            logger.info("both")
            #expect(console() == "<6>info a: both\n")
            let lines = try lines("log")
            #expect(lines.map { $0.drop { $0 != " " } } == [" debug a: file b=\"x y\"", " info a: both"])
            #expect(lines.allSatisfy { $0.hasPrefix("20") && $0.prefix { $0 != " " }.hasSuffix("Z") })
            // The console alone can be silent, and so can the file.
            output.level = nil
            logger.info("file only")
            output.configure(level: .info, form: LogFormat(.json))
            try output.setFile(path("log"), level: nil)
            logger.info("console only")
            #expect(console().contains("console only") && !console().contains("file only"))
            #expect(try self.lines("log").last?.hasSuffix(" info a: file only") == true)
            #expect(output.dropped == 0)
        }
    }

    @Test func `lines are appended, and only owner and group can read the file`() async throws {
        try await withLog { output, console in
            for number in 1...2 {
                try output.setFile(path("log"), level: .info)
                output.logger("a").info("line \(number)")
                _ = console()
                try output.setFile(nil, level: .info)
            }
            #expect(try lines("log").count == 2)
            let rights = try FileManager.default.attributesOfItem(atPath: path("log"))[.posixPermissions]
            #expect((rights as? NSNumber).map { $0.intValue & 0o037 } == 0)
        }
    }

    @Test func `a file that was moved away or removed is made again`() async throws {
        try await withLog { output, console in
            let logger = output.logger("a")
            try output.setFile(path("log"), level: .info)
            logger.info("one")
            _ = console()
            try FileManager.default.moveItem(atPath: path("log"), toPath: path("log.1"))
            logger.info("two")
            _ = console()
            #expect(try lines("log.1").map { $0.suffix(3) } == ["one"])
            #expect(try lines("log").map { $0.suffix(3) } == ["two"])
            try FileManager.default.removeItem(atPath: path("log"))
            logger.info("three")
            _ = console()
            #expect(try lines("log").map { $0.suffix(5) } == ["three"])
            // Cut off by logrotate's copytruncate.
            #expect(truncate(path("log"), 0) == 0)
            logger.info("four")
            _ = console()
            #expect(try lines("log").map { $0.suffix(4) } == ["four"])
        }
    }

    @Test func `what cannot be written is counted, told once, and noted in the file later`() async throws {
        try await withLog { output, console in
            let logger = output.logger("a")
            try output.setFile(path("log"), level: .info)
            // A folder in its place cannot be written, not even by root.
            try FileManager.default.removeItem(atPath: path("log"))
            try FileManager.default.createDirectory(atPath: path("log"), withIntermediateDirectories: false)
            for number in 1...3 {
                logger.info("lost \(number)")
                _ = console()
            }
            #expect(output.dropped == 3)
            let complaints = console().split(separator: "\n").filter { $0.contains("error log:") }
            #expect(complaints.count == 1 && complaints.first?.contains(path("log")) == true)
            try FileManager.default.removeItem(atPath: path("log"))
            logger.info("kept")
            #expect(console().contains("can be written again"))
            let lines = try lines("log").map { String($0.drop { $0 != " " }) }
            #expect(lines == [" warning log: 3 log lines were dropped", " info a: kept"])
        }
    }

    @Test func `that a file can be written again is no error, and the console's level decides`() async throws
    {
        for (level, lines) in [(Logger.Level.info, 2), (.error, 1), (nil, 0)] {
            try await withLog { output, console in
                output.level = level
                try output.setFile(path("log"), level: .info)
                try FileManager.default.removeItem(atPath: path("log"))
                try FileManager.default.createDirectory(
                    atPath: path("log"),
                    withIntermediateDirectories: false
                )
                output.logger("a").info("lost")
                _ = console()
                try FileManager.default.removeItem(atPath: path("log"))
                output.logger("a").info("kept")
                let told = console().split(separator: "\n").filter { $0.contains(" log: ") }
                #expect(told.count == lines)
                if lines == 2 { #expect(told.last?.hasPrefix("<5>notice log: ") == true) }
            }
        }
    }

    @Test func `what the last file loses at its end is counted`() async throws {
        try await withLog { output, _ in
            try output.setFile(path("log"), level: .info)
            try FileManager.default.removeItem(atPath: path("log"))
            try FileManager.default.createDirectory(atPath: path("log"), withIntermediateDirectories: false)
            for number in 1...1000 { output.logger("a").info("lost \(number)") }
            try output.setFile(nil, level: .info)
            #expect(output.dropped == 1000)
        }
    }

    @Test func `a logger that is to say less says no more than the outputs ask for`() async throws {
        try await withLog { output, console in
            var logger = output.logger("a")
            logger.logLevel = .warning
            output.level = .error
            try output.setFile(path("log"), level: .debug)
            logger.info("none")
            logger.warning("file")
            logger.error("both")
            #expect(console() == "<3>error a: both\n")
            #expect(try lines("log").map { $0.drop { $0 != " " } } == [" warning a: file", " error a: both"])
            output.level = nil
            try output.setFile(nil, level: nil)
            logger.critical("nowhere")
            #expect(!console().contains("nowhere"))
        }
    }

    @Test func `what is no plain file, or in no folder, is refused`() async throws {
        try await withLog { output, _ in
            // A device is refused, as is everything that is no plain file.
            for wrong in ["/dev/full", "/", path("no/such/folder/log")] {
                #expect(throws: LogFileError.self) { try output.setFile(wrong, level: .info) }
                #expect(LogFile.problem(of: wrong)?.contains(wrong) == true)
            }
            #expect(LogFile.problem(of: path("log")) == nil)
            #expect(!FileManager.default.fileExists(atPath: path("log")))
        }
    }

    @Test func `a pipe that nobody reads is refused at once`() async throws {
        try await withLog { output, _ in
            #expect(mkfifo(path("pipe"), 0o600) == 0)
            #expect(throws: LogFileError.self) { try output.setFile(path("pipe"), level: .info) }
        }
    }
}
