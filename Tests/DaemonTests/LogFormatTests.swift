import Daemon
import Dispatch
import JSON
import Logging
import OperatingSystem
import Settings
import Testing
import Text
import Threading

struct LogFormatTests {
    private let entry = LogEntry(
        at: 1_795_255_800_123,
        level: .warning,
        label: "mqtt",
        message: "lost\nlink",
        values: [("broker", "localhost:1883"), ("why", "a \"b\"\u{1B}[2J"), ("empty", ""), ("sign", "a=b")]
    )

    @Test func `text is one line with quoted values`() {
        #expect(
            LogFormat(.text).line(entry)
                == #"2026-11-21T10:10:00.123Z warning mqtt: lost\nlink broker=localhost:1883 "#
                + #"why="a \"b\"\u001b[2J" empty="" sign="a=b""#
        )
    }

    @Test func `JSON is one object`() throws {
        let line = LogFormat(.json).line(entry)
        #expect(!line.contains("\n"))
        let json = try JSONValue(parsing: line)
        #expect(json["message"] == "lost\nlink")
        #expect(json["level"] == "warning")
        #expect(json["ts"] == "2026-11-21T10:10:00.123Z")
        #expect(json["values"]?["broker"] == "localhost:1883")
    }

    @Test(arguments: [
        (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3),
        (.critical, 3),
    ])
    func `lines for the journal begin with their priority and leave the time to it`(
        level: Logger.Level,
        number: Int
    ) {
        var entry = entry
        entry.level = level
        let identity = FileStatus(descriptor: 2)?.identity
        let stream = identity.map { "\($0.device):\($0.inode)" } ?? ""
        let form = LogFormat(.text, environment: ["JOURNAL_STREAM": stream])
        #expect(form.line(entry).hasPrefix("<\(number)>\(level.rawValue) mqtt: "))
        #expect(
            LogFormat(.json, environment: ["JOURNAL_STREAM": stream]).line(entry).hasPrefix("<\(number)>{")
        )
        #expect(!LogFormat(.text, environment: [:]).line(entry).hasPrefix("<"))
        // The variable of a service whose output goes elsewhere.
        #expect(!LogFormat(.text, environment: ["JOURNAL_STREAM": "8:1"]).line(entry).hasPrefix("<"))
        #expect(JournalStream.text("a\nb", level) == "<\(number)>a\n<\(number)>b")
    }

    @Test func `no text makes a second line`() {
        let low = (UInt8(0)...0x20).map { UnicodeScalar($0) }
        for scalar in low + ["\u{85}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{7F}"] {
            let text = "a\(Character(scalar))b"
            let entry = LogEntry(at: 0, level: .info, label: text, message: text, values: [(text, text)])
            for style in [LogFormat.Style.text, .json] {
                #expect(LogFormat(style).line(entry).unicodeScalars.allSatisfy { $0.value >= 0x20 })
            }
            #expect(LogFormat(.text).line(entry).split(whereSeparator: \.isNewline).count == 1)
        }
    }
}

struct LogOutputTests {

    private func output(_ level: Logger.Level) -> (LogOutput, AsyncStream<[UInt8]>) {
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        return (LogOutput(level: level, form: LogFormat(.text)) { feed.yield($0) }, stream)
    }

    @Test func `the level can be changed at any time, for all loggers`() async {
        let (output, stream) = output(.info)
        let logger = output.logger("a")
        logger.debug("one")
        output.level = .debug
        logger.debug("two", metadata: ["z": "1", "b": "x y"])
        output.level = .error
        logger.warning("three")
        logger.error("four")
        output.flush(within: 10)
        var text = ""
        for await bytes in stream {
            text += String(decoding: bytes, as: UTF8.self)
            if text.contains("four") { break }
        }
        let lines = text.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
        #expect(lines == ["debug a: two b=\"x y\" z=1", "error a: four"])
    }

    @Test func `a reload changes the form and the level of loggers that are in use`() async {
        let (output, stream) = output(.info)
        let logger = output.logger("a")
        output.configure(level: .error, form: LogFormat(.json))
        logger.warning("one")
        logger.error("two")
        output.print("three", as: .notice)
        output.flush(within: 10)
        var text = ""
        for await bytes in stream {
            text += String(decoding: bytes, as: UTF8.self)
            if text.contains("three") { break }
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first.flatMap { try? JSONValue(parsing: String($0)) }?["message"] == "two")
    }

    @Test func `every line is masked, with the passwords that it was told, in each form`() async {
        let token = "tlu_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"
        for form in [LogFormat(.text), LogFormat(.json)] {
            let text = Locked("")
            let output = LogOutput(level: .trace, form: form) { bytes in
                text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            output.secrets = SecretMask(passwords: [#"c0rrect"horse"#])
            output.logger("a").trace(
                #"is c0rrect"horse"#,
                metadata: ["topic": "x/\(token)/set", "b": "\"\(token)"]
            )
            output.print(token, as: .notice)
            output.flush(within: 10)
            let lines = text.withLock { $0 }
            #expect(!lines.contains("tlu_") && !lines.contains("horse"), "\(lines)")
            #expect(lines.hasSuffix("\n***\n"))
        }
    }

    @Test func `a stalled reader blocks no one, and dropped lines are counted`() async {
        let gate = DispatchSemaphore(value: 0)
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let output = LogOutput(level: .info, form: LogFormat(.text)) {
            gate.wait()
            feed.yield($0)
        }
        let logger = output.logger("a")
        let long = String(repeating: "x", count: 10_000)
        for _ in 0..<500 { logger.info("\(long)") }
        output.flush(within: 0)
        for _ in 0..<10 { gate.signal() }
        var text = ""
        for await bytes in stream {
            text += String(decoding: bytes, as: UTF8.self)
            if text.contains("log lines were dropped") { break }
        }
        let written = text.split(separator: "\n").filter { $0.contains("xxx") }.count
        #expect(text.contains("warning log: \(500 - written) log lines were dropped"))
        #expect(written > 50)
        #expect(output.dropped == 500 - written)
    }
}
