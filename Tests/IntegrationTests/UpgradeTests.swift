import Foundation
import JSON
import TestSupport
import Testing

/// A configuration file that the version before has accepted, and this one does not.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct UpgradeTests {
    private func accepted(_ home: Home) -> URL { URL(filePath: home.state + "/accepted.yaml") }

    /// Makes the copy one of another version.
    private func age(_ home: Home) throws {
        let text = try String(contentsOf: accepted(home), encoding: .utf8)
        let (first, rest) = try #require(text.firstIndex(of: "\n").map { (text[..<$0], text[$0...]) })
        let words = first.split(separator: " ")
        try #require(words.count == 5 && words[1] == "Trilateral" && words[3] == "accepted")
        let old = "# Trilateral 0.0.1 accepted \(words[4])" + rest
        try Data(old.utf8).write(to: accepted(home))
    }

    @Test func `after an upgrade the daemon runs with the last good configuration, and says what is refused`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try await visitor.whileStarting { try await home.start(file: "control: {read_only: [all]}") }
            #expect(await eventually { FileManager.default.fileExists(atPath: accepted(home).path) })
            #expect(await home.stop() == 0)
            try age(home)
            for _ in 0..<2 {
                try await visitor.whileStarting { try await home.start(file: "control: {nonsense: 1}") }
                let alert = try await visitor.awaits("alert/configuration")
                let message = "\(alert["message"] ?? .null)"
                #expect(
                    message.contains("nonsense") && message.contains("version 0.0.1 accepted"),
                    "\(message)"
                )
                #expect(await home.logs("the configuration is refused"))
                let answer = try await visitor.ask("request/ping")
                #expect(answer.outcome == "ok")
                #expect(await home.stop() == 0)
            }
            // Once it is mended, the mended one counts.
            try await visitor.whileStarting { try await home.start(file: "control: {read_only: []}") }
            #expect(await visitor.json("alert/configuration") == nil)
            #expect(await home.stop() == 0)
            try await home.start(file: "control: {nonsense: 1}")
            #expect(await home.end() == 78, "this version has accepted one")
        }
    }

    @Test func `a file that is mended is used by a reload`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try await visitor.whileStarting { try await home.start(file: "log: {level: info}") }
            #expect(await eventually { FileManager.default.fileExists(atPath: accepted(home).path) })
            #expect(await home.stop() == 0)
            try age(home)
            try await visitor.whileStarting { try await home.start(file: "nonsense: 1") }
            try await visitor.awaits("alert/configuration")
            try home.folder.write("log: {level: debug}", to: "trilateral.yaml")
            await home.signal(SIGHUP)
            try await visitor.awaits("alert/configuration", "")
            #expect(await home.stop() == 0)
        }
    }

    @Test
    func `files that the last good configuration names are used as they are now, and a broken one is named`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let password = home.folder.path("password")
            try home.folder.write("visitor", to: "password")
            let text = "mqtt: {username: visitor, password_file: '\(password)'}"
            try await visitor.whileStarting { try await home.start(file: text) }
            #expect(await eventually { FileManager.default.fileExists(atPath: accepted(home).path) })
            #expect(await home.stop() == 0)
            try age(home)
            try FileManager.default.removeItem(atPath: password)
            try await home.start(file: text + "\nnonsense: 1")
            #expect(await home.end() == 78)
            #expect(await home.log.contains("mqtt.password_file: cannot be read"))
            #expect(await home.log.contains("nonsense"))
            try home.folder.write("visitor", to: "password")
            try await visitor.whileStarting { try await home.start(file: text + "\nnonsense: 1") }
            try await visitor.awaits("alert/configuration")
            #expect(await home.stop() == 0)
        }
    }

    @Test func `without a copy, a broken file ends the start`() async throws {
        try await withEmptyHome { home, _ in
            try await home.start(file: "nonsense: 1")
            #expect(await home.end() == 78)
        }
    }
}
