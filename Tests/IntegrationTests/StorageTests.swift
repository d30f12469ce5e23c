import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// The state folder goes wrong under a daemon that runs.
@Suite(.mosquitto, .enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct StorageTests {
    private static let lamp = "things/table-lamp"

    /// Lines of the log with a text.
    private func lines(_ home: Home, _ text: String) async -> Int {
        await home.log.components(separatedBy: text).count - 1
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a full disk is one alert and one line; commands are refused, and all is well when there is space`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await OwnDisk.with("size=3m", at: home.state) { try await fillAndFree(home, visitor) }
        }
    }

    private func fillAndFree(_ home: Home, _ visitor: Visitor) async throws {
        try await home.take()
        try await visitor.whileStarting { try await home.start(["web.listen": "127.0.0.1:0"]) }
        try #require(await home.logs("web: http://127.0.0.1:"))
        let digits = await home.log.components(separatedBy: "web: http://127.0.0.1:").last?.prefix {
            $0.isNumber
        }
        let web = try #require(digits.flatMap { Int($0) })
        let filler = home.state + "/filler"
        try OwnDisk.fill(filler)
        var number = 0
        var answer = ""
        // What the files have room for is still taken.
        let isRefused = try await eventually {
            number += 1
            answer = try await set(visitor, number)
            return answer != "ok"
        }
        #expect(isRefused)
        #expect(answer == "server_rejected")
        try await visitor.awaits("alert/state-folder") {
            $0["message"]?.string?.contains("free some space") ?? false
        }
        try await visitor.awaits("health") { $0["status"]?.string != "ok" }
        let sick = try await request("GET", "/healthz", port: web)
        #expect(sick.status == 503 && sick.body.contains("free some space"), "\(sick)")
        for number in 1000..<1010 { #expect(try await set(visitor, number) != "ok") }
        #expect(await lines(home, "nothing can be stored") == 1)
        #expect(await lines(home, "not stored") == 0)
        try FileManager.default.removeItem(atPath: filler)
        try await visitor.awaits("alert/state-folder", "")
        #expect(try await set(visitor, 2000) == "ok")
        #expect(await lines(home, "can be written again") == 1)
        #expect(await home.stop() == 0)
    }

    @Test
    func `a database that cannot grow is one alert, until it can; that small files fit does not end it`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try await visitor.whileStarting { try await home.start() }
            let process = try #require(await home.processID)
            // More than the test of the folder writes, and less than the database needs: it grows by its journal.
            let limit = try largestFile(of: home) + 50_000
            try await ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(process)", "--fsize=\(limit):"])
            let text = String(repeating: "x", count: 20_000)
            func grow(_ number: Int) async throws -> String {
                try await visitor.ask("things/television/set", #"{"source":"\#(number)\#(text)"}"#).outcome
            }
            var number = 0
            let isRefused = try await eventually {
                number += 1
                return try await grow(number) != "ok"
            }
            #expect(isRefused)
            try await visitor.awaits("alert/state-folder") {
                $0["message"]?.string?.contains("disk I/O") ?? false
            }
            // Two inspections, which come every 5 s, and their tests.
            let end = ContinuousClock.now + .seconds(11)
            while ContinuousClock.now < end { #expect(try await grow(0) == "server_rejected") }
            #expect(await lines(home, "nothing can be stored") == 1)
            #expect(await lines(home, "can be written again") == 0)
            try await ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(process)", "--fsize=unlimited"])
            try await visitor.awaits("alert/state-folder", "")
            #expect(try await grow(1) == "ok")
            #expect(await lines(home, "can be written again") == 1)
            // Its last rows may still wait for a disk that others use.
            #expect(await home.stop(within: .seconds(20)) == 0)
        }
    }

    /// The size of the largest file in the state folder, in bytes.
    private func largestFile(of home: Home) throws -> Int {
        let folder = URL(filePath: home.state)
        return try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.fileSizeKey]
        ).compactMap { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize }.max() ?? 0
    }

    /// The outcome of a change that takes some space.
    private func set(_ visitor: Visitor, _ number: Int) async throws -> String {
        let text = "\(number)" + String(repeating: "x", count: 1000)
        return try await visitor.ask("things/television/set", #"{"source":"\#(text)"}"#).outcome
    }

    @Test func `a state folder that was removed is written again, with what was stored meanwhile`()
        async throws
    {
        try await withHome(file: "log: {level: info}") { home, visitor in
            try FileManager.default.removeItem(atPath: home.state)
            // The databases are opened again with the configuration that runs, whatever the file says by now.
            try home.folder.write("no: {such: key}", to: "trilateral.yaml")
            #expect(try await visitor.ask("\(Self.lamp)/set", #"{"color":"green"}"#).outcome == "ok")
            try await visitor.awaits("alert/state-folder") {
                $0["message"]?.string?.contains("is gone") ?? false
            }
            let epoch = await visitor.json("info")?["epoch"]?.string
            try await visitor.awaits("info") { $0["epoch"]?.string != epoch }
            try await visitor.awaits("alert/state-folder", "")
            let device = await visitor.json("device")?["id"]
            #expect(await home.stop() == 0)
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "green" }
            #expect(await visitor.json("device")?["id"] == device)
        }
    }

    @Test func `a reload with a state folder that cannot be written changes nothing`() async throws {
        try await withHome { home, visitor in
            let away = home.state + "-away"
            try FileManager.default.moveItem(atPath: home.state, toPath: away)
            // A file where the folder was: nothing can be made there.
            try home.folder.write("", to: "state")
            let epoch = await visitor.json("info")?["epoch"]
            await home.signal(SIGHUP)
            try await visitor.awaits("alert/configuration") {
                $0["message"]?.string?.contains(home.state) ?? false
            }
            #expect(try await visitor.ask("\(Self.lamp)/set", #"{"color":"green"}"#).outcome == "ok")
            #expect(await visitor.json("info")?["epoch"] == epoch)
            try await visitor.awaits("alert/state-folder")
            try FileManager.default.removeItem(atPath: home.state)
            try FileManager.default.moveItem(atPath: away, toPath: home.state)
            try await visitor.awaits("alert/state-folder", "")
            #expect(await visitor.json("info")?["epoch"] == epoch)
            await home.signal(SIGHUP)
            try await visitor.awaitsEvent("bridge", "reloaded")
            try await visitor.awaits("alert/configuration", "")
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "green" }
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a state folder on a read-only disk ends a start with 73, and its path`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            let end = try await OwnDisk.with("ro", at: home.state) {
                try await Program.run(["run", "--state", home.state], in: folder)
            }
            #expect(end.status == 73)
            #expect(end.output.contains(home.state), "\(end.output)")
        }
    }
}
