import Foundation
import OperatingSystem
import TestSupport
import Testing
import TrilateralApp

/// The check `backups` of `trilateral doctor`.
struct BackupFactsTests {
    private var facts: BackupFacts = {
        var facts = BackupFacts()
        (facts.path, facts.everyHours) = ("/mnt/b", 24)
        // 2026-11-28T00:00:00Z
        facts.now = 1_795_824_000_000
        facts.uptime = .seconds(90_000)
        return facts
    }()

    @Test mutating func `a folder that cannot be used is a problem, and says what to do`() {
        facts.problem = "is not a folder"
        #expect(facts.verdicts.map(\.level) == [.problem])
        #expect(facts.verdicts.first?.text == "/mnt/b is not a folder")
        #expect(facts.verdicts.first?.advice?.contains("backup.folder") == true)
        facts.isForService = true
        #expect(facts.verdicts.first?.text == "/mnt/b, for the service's user: is not a folder")
        facts.everyHours = 0
        #expect(facts.verdicts.map(\.level) == [.ok], "nobody needs the folder")
    }

    @Test mutating func `a backup older than twice the hours between them is a warning`() {
        facts.last = facts.now - 48 * 3_600_000
        #expect(facts.verdicts.map(\.level) == [.ok])
        #expect(facts.verdicts.first?.text.contains("2026-11-26T00:00:00Z, 48 h ago") == true)
        facts.last = facts.now - 49 * 3_600_000
        #expect(facts.verdicts.map(\.level) == [.warning])
        #expect(facts.verdicts.first?.advice?.contains("alerts") == true)
        facts.uptime = nil
        #expect(facts.verdicts.first?.advice?.contains("start the daemon") == true)
        facts.uptime = .seconds(60)
        #expect(facts.verdicts.map(\.level) == [.ok], "it is about to make one")
        // What a clock that was ahead has dated is not older for it.
        facts.last = facts.now + 3_600_000
        #expect(facts.verdicts.first?.text.contains(" 0 h ago") == true)
    }

    @Test mutating func `no backup is as it should be only while the daemon is young`() {
        #expect(facts.verdicts.map(\.level) == [.warning])
        facts.uptime = .seconds(600)
        #expect(facts.verdicts.map(\.level) == [.ok])
        #expect(facts.verdicts.first?.text.contains("ten minutes after its start") == true)
        facts.uptime = nil
        #expect(facts.verdicts.map(\.level) == [.ok])
        facts.wasMade = true
        #expect(facts.verdicts.map(\.level) == [.warning])
        #expect(facts.verdicts.first?.advice?.contains("mount the disk") == true)
        facts.isClosed = true
        #expect(facts.verdicts.first?.advice?.contains("sudo") == true)
    }

    @Test func `a file is no folder for backups, and none can be made in it`() throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write("file", "")
        #expect(BackupFolder.problem(of: file) == "is not a folder")
        #expect(BackupFolder.problem(of: file + "/b")?.contains("Not a directory") == true)
        #expect(BackupFolder.problem(of: scratch.path) == nil)
        #expect(BackupFolder.problem(of: scratch.path + "/new/b") == nil, "the first backup makes it")
    }

    @Test func `the service can use only what its unit lets it write`() throws {
        let scratch = try ScratchFolder()
        let unit = "[Service]\nUser=nobody\nProtectSystem=strict\n"
        let closed = ServiceAccess(ServiceUnit([unit]), user: 990)
        #expect(BackupFolder.problem(of: scratch.path, for: closed)?.contains("ProtectSystem=strict") == true)
        let open = ServiceAccess(ServiceUnit([unit + "ReadWritePaths=\(scratch.path)\n"]), user: 990)
        #expect(BackupFolder.problem(of: scratch.path, for: open) == nil)
        #expect(BackupFolder.problem(of: scratch.path + "/new", for: open) == nil)
    }

    @Test func `a process knows how long it has been running`() throws {
        let age = try #require(ProcessTable.age(of: getpid()))
        #expect(age >= .zero && age < .seconds(86_400))
        #expect(ProcessTable.age(of: -1) == nil)
    }
}
