import Accounts
import Daemon
import Foundation
import GRDB
import JSON
import TestSupport
import Testing

/// Backups of a daemon that has much to write meanwhile, and what comes back from them.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(4)))
struct BackupLoadTests {
    private static let keys = [
        "rules.per_minute": "6000", "rules.notify_per_hour": "10000", "device.allow_set": "true",
    ]

    /// What the daemon has acknowledged so far.
    private actor Acknowledged {
        private(set) var volume = 100
        private(set) var names: Set<String> = []
        private(set) var isOver = false

        func set(volume: Int) { self.volume = volume }
        func add(_ name: String) { names.insert(name) }
        func end() { isOver = true }
    }

    /// What is in a backup; the backup itself is not touched.
    private struct Contents {
        var volume = 0
        var names: Set<String> = []
        var firings: Set<Int> = []
        /// Where devices are, metres.
        var places: Set<Double> = []

        init(of backup: String, in folder: TemporaryFolder) throws {
            let look = folder.path("look-\(UUID().uuidString)")
            try FileManager.default.copyItem(atPath: backup, toPath: look)
            for name in ["flare.db", "trilateral.db"] {
                let queue = try DatabaseQueue(path: "\(look)/\(name)")
                defer { try? queue.close() }
                let problems = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
                #expect(problems == ["ok"])
                guard name == "flare.db" else { continue }
                for text in try queue.read({ try String.fetchAll($0, sql: "SELECT document FROM device") }) {
                    let device = try JSONValue(parsing: Array(text.utf8))
                    if let x = device["position"]?["x"]?.number { places.insert(x) }
                }
                for text in try queue.read({ try String.fetchAll($0, sql: "SELECT document FROM thing") }) {
                    let thing = try JSONValue(parsing: Array(text.utf8))
                    guard let name = thing["name"]?.string else { continue }
                    names.insert(name)
                    if name == "Television" { volume = thing["data"]?["volume"]?.integer ?? 0 }
                }
            }
            let store = try StateStore(folder: URL(filePath: look))
            defer { store.close() }
            for rule in try store.accounts.rules() {
                let all = try store.accounts.firings(ofRule: rule.id, limit: 100_000)
                firings.formUnion(all.map { Int($0.seq) })
            }
        }
    }

    private func turnVolume(_ visitor: Visitor, _ log: Acknowledged) async throws {
        var volume = await log.volume
        while await !log.isOver {
            volume += 1
            let answer = try await visitor.ask("things/television/set", #"{"volume":\#(volume)}"#)
            try #require(answer.outcome == "ok", "\(answer)")
            await log.set(volume: volume)
        }
    }

    private func addThings(_ home: Home, _ log: Acknowledged) async throws {
        let first = await log.volume
        var number = 0
        while await !log.isOver {
            number += 1
            // One for ten volumes: a place of thousands of things would make the test long.
            let next = first + 10 * number
            _ = await eventually {
                if await log.isOver { return true }
                return await log.volume >= next
            }
            let (path, name) = (Place.things(of: Place.kitchen), "Thing \(number)")
            let answer = try await home.rest("POST", path, #"{"name":"\#(name)"}"#)
            try #require((200..<300).contains(answer.status), "\(answer)")
            await log.add(name)
        }
    }

    @Test
    func `each backup under load is sound, and has all that was acknowledged before; the last comes back`()
        async throws
    {
        try await withPatientBroker { broker in
            try await withHome(Self.keys, port: broker.port) { home, visitor in
                try await home.verb("user", "add", "alice", "--email", "alice@example.org")
                try await home.verb(
                    "rule",
                    "add",
                    "--title",
                    "Volume",
                    "--thing",
                    "television",
                    "--when",
                    "volume",
                    "--notify",
                    "user:alice",
                    "--text",
                    "{value}"
                )
                let log = Acknowledged()
                async let volumes: Void = turnVolume(visitor, log)
                async let things: Void = addThings(home, log)
                var last = (volume: 0, names: Set<String>())
                for number in 1...4 {
                    // Each of them has something new to write.
                    let (before, count) = (last.volume, last.names.count)
                    let isBusy = await eventually(within: .seconds(60)) {
                        let (volume, names) = await (log.volume, log.names.count)
                        return volume >= max(before, 100) + 50 && names >= count + 5
                    }
                    #expect(isBusy)
                    last = await (log.volume, log.names)
                    // A firing is stored before its message is sent.
                    let told = await visitor.objects(on: "outbox/email").compactMap { $0["seq"]?.integer }
                    // Positions are stored once a minute, and in a backup as they are.
                    let place = #"{"position":{"x":\#(number),"y":1,"z":1}}"#
                    #expect(try await visitor.ask("device/set", place).outcome == "ok")
                    let backup = home.folder.path("backup-\(number)")
                    try await home.verb("backup", backup)
                    let found = try Contents(of: backup, in: home.folder)
                    #expect(found.volume >= last.volume && found.places.contains(Double(number)))
                    #expect(found.names.isSuperset(of: last.names))
                    #expect(!told.isEmpty && found.firings.isSuperset(of: told))
                }
                await log.end()
                _ = try await (volumes, things)
                #expect(await home.stop(within: .seconds(30)) == 0)

                let words = ["restore", home.folder.path("backup-4"), "--yes", "--state", home.state]
                let restored = try await Program.run(words, in: home.folder)
                #expect(restored.status == 0, "\(restored.output)")
                try await visitor.whileStarting { try await home.start(Self.keys) }
                try await visitor.awaits("things/television/data") {
                    ($0["volume"]?.integer ?? 0) >= last.volume
                }
                let names = try await home.rest("GET", Place.things(of: Place.kitchen)).body
                #expect(last.names.allSatisfy { names.contains(#""\#($0)""#) })
                #expect(try await home.databaseProblems() == ["ok"])
            }
        }
    }

    @Test func `a backup that was damaged afterwards is refused, and nothing is replaced`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.take()
            let backup = folder.path("backup")
            try await home.verb("backup", backup)
            let file = try #require(FileHandle(forUpdatingAtPath: "\(backup)/flare.db"))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
            try file.close()
            let before = try FileManager.default.contentsOfDirectory(atPath: home.state)
            let end = try await Program.run(
                ["restore", backup, "--yes", "--state", home.state],
                in: folder
            )
            #expect(end.status == 65 && end.output.contains("flare.db is damaged"), "\(end.output)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: home.state).sorted() == before.sorted()
            )
            #expect(try await home.verb("export", "-").contains("Table lamp"))
        }
    }
}
