import Accounts
import Bindings
import Controller
import Daemon
import Flare
import Foundation
import Messages
import OperatingSystem
import People
import TestSupport
import Testing
import Threading

/// The file `people.acl_file`.
@Suite(.timeLimit(.minutes(1))) struct AccessFileTests {
    private static let lamp = FlareID(high: 1, low: 1)

    private struct Rig: Sendable {
        let path: String
        let file: AccessFile
        let accounts: AccountsRegistry
        let bob: AccountID
        let now: Locked<Int64>
        let place: Locked<AccessFile.View>
        let reports: Locked<[String?]>
        /// The numbers of the lists that the broker uses.
        let applied: Locked<[Int]>

        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        var hasLamp: Bool { text.contains("topic read t/n/things/table-lamp\n") }

        /// Lets time pass, milliseconds, and says whether the broker uses a list.
        func hasApplied(_ number: Int, after time: Int64) -> Bool {
            now.withLock { $0 += time }
            return applied.withLock { $0.last == number }
        }

        /// Gives bob the lamp.
        func grant(ends: Int64? = nil) throws {
            let grant = Grant(id: 0, .user(bob), .read, .thing(AccessFileTests.lamp), ends: ends)
            _ = try accounts.change { store in
                try store.addGrant(grant, by: .program(at: now.withLock { $0 }))
            }
        }
    }

    /// Runs the body while a file is kept.
    private func withRig(
        path: (TemporaryFolder) -> String = { $0.path("people.acl") },
        isKnown: Bool = true,
        includesThings: Bool = false,
        _ body: (Rig) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: URL(filePath: folder.path))
            defer { store.close() }
            try store.accounts.prepare(owner: "owner", at: 0)
            let bob = try store.accounts.addUser(NewUser("bob"), by: .program(at: 0))
            let now = Locked<Int64>(0)
            let accounts = try AccountsRegistry(
                store.accounts,
                AccountsRegistry.Settings(),
                clock: { now.withLock { $0 } },
                changed: { _ in }
            )
            var place = AccessPlace()
            var thing = FlareThing(id: Self.lamp)
            thing.zone = FlareID(high: 1, low: 2)
            place.add(thing, slug: "table-lamp")
            let view = Locked(AccessFile.View(place: place, isKnown: isKnown))
            let reports = Locked<[String?]>([])
            let path = path(folder)
            let file = AccessFile(
                path,
                AccessList(topics: Topics(root: "t/n"), commands: .program, discoveryPrefix: "ha"),
                accounts,
                includesThings: includesThings
            ) { report in
                reports.withLock { $0.append(report) }
            }
            let applied = Locked<[Int]>([])
            let ports = AccessFile.Ports {
                view.withLock { $0 }
            } applied: { number in
                applied.withLock { $0.append(number) }
            }
            let rig = Rig(
                path: path,
                file: file,
                accounts: accounts,
                bob: bob,
                now: now,
                place: view,
                reports: reports,
                applied: applied
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await file.run(ports) }
                defer { group.cancelAll() }
                try await body(rig)
            }
        }
    }

    @Test func `a user's rights are in the file as soon as they are given, and leave it when they end`()
        async throws
    {
        try await withRig { rig in
            #expect(await eventually { rig.text.contains("user bob\n") })
            #expect(!rig.hasLamp)
            try rig.grant(ends: 400)
            #expect(await eventually { rig.hasLamp })
            let head = rig.text.split(separator: "\n").first
            #expect(head?.hasPrefix("# permissions ") == true)
            rig.now.withLock { $0 = 400 }
            #expect(await eventually { !rig.hasLamp })
            #expect(rig.text.split(separator: "\n").first != head)
            #expect(rig.text.contains("user bob\n"))
        }
    }

    @Test(arguments: [true, false])
    func `a thing at the edge is in the file as soon as it is known, if things speak on the broker`(
        isEdge: Bool
    ) async throws {
        try await withRig(includesThings: isEdge) { rig in
            #expect(await eventually { rig.text.contains("user bob\n") })
            let binding = ThingBinding(BindingID(high: 0, low: 1), vendor: "v-1", password: "", made: 0)
            try rig.accounts.change { try $0.saveBinding(binding) }
            try rig.grant()
            #expect(await eventually { rig.hasLamp })
            #expect(rig.text.contains("user v-1\ntopic write t/n/edge/v-1/onboard\n") == isEdge)
            try rig.accounts.change { try $0.removeBinding(binding.id) }
            #expect(await eventually { !rig.text.contains("user v-1\n") })
        }
    }

    @Test func `a thing that gets another short name is in the file with it`() async throws {
        try await withRig { rig in
            try rig.grant()
            #expect(await eventually { rig.hasLamp })
            var place = AccessPlace()
            place.add(FlareThing(id: Self.lamp), slug: "desk-lamp")
            rig.place.withLock { $0.place = place }
            rig.file.wake()
            #expect(
                await eventually {
                    rig.text.contains("topic read t/n/things/desk-lamp/data\n") && !rig.hasLamp
                }
            )
        }
    }

    @Test func `what has moved is passed on when the broker's side has confirmed the list that knows it`()
        async throws
    {
        try await withRig { rig in
            let applied = URL(filePath: rig.path + ".applied")
            #expect(await eventually { !rig.text.isEmpty })
            try Data("# permissions of yesterday\n".utf8).write(to: applied)
            try rig.grant()
            #expect(await eventually { rig.hasLamp })
            var place = AccessPlace()
            place.add(FlareThing(id: Self.lamp), slug: "desk-lamp")
            rig.place.withLock { $0 = AccessFile.View(place: place, isKnown: true, number: 7) }
            rig.file.wake()
            #expect(await eventually { rig.text.contains("desk-lamp") })
            rig.now.withLock { $0 = 5000 }
            #expect(rig.applied.withLock { !$0.contains(7) })
            let head = rig.text.prefix { $0 != "\n" }
            try Data((head + "\n").utf8).write(to: applied)
            #expect(await eventually { rig.hasApplied(7, after: 10) })
        }
    }

    @Test func `the broker's group may read it, and nobody else`() async throws {
        try await withRig { rig in
            #expect(await eventually { !rig.text.isEmpty })
            let mode = try FileManager.default.attributesOfItem(atPath: rig.path)[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o640)
            #expect(!FileManager.default.fileExists(atPath: rig.path + ".new"))
        }
    }

    @Test func `a file that cannot be written is reported once, and again when it can`() async throws {
        try await withRig(path: { $0.path("nowhere/people.acl") }) { rig in
            #expect(await eventually { rig.reports.withLock { $0.count } == 1 })
            let report = rig.reports.withLock { $0.first ?? nil }
            #expect(report?.contains("nowhere/people.acl cannot be written: ") == true, "\(report ?? "")")
            let folder = URL(filePath: rig.path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            rig.file.wake()
            #expect(await eventually { rig.reports.withLock { $0.last } == .some(nil) })
            #expect(rig.text.contains("user bob\n"))
        }
    }

    @Test func `while the things are being read, the file that is there stays`() async throws {
        try await withRig { rig in
            try rig.grant()
            #expect(await eventually { rig.hasLamp })
            let place = rig.place.withLock { $0.place }
            rig.place.withLock { $0 = AccessFile.View(place: AccessPlace(), isKnown: false) }
            try rig.accounts.change { store in
                _ = try store.addUser(NewUser("ann"), by: .program(at: 0))
            }
            rig.place.withLock { $0 = AccessFile.View(place: place, isKnown: true) }
            #expect(await eventually { rig.text.contains("user ann\n") })
            #expect(rig.hasLamp)
            // For ever it does not stay.
            rig.place.withLock { $0 = AccessFile.View(place: AccessPlace(), isKnown: false) }
            rig.file.wake()
            let isGone = await eventually {
                rig.now.withLock { $0 += 1000 }
                return !rig.hasLamp
            }
            #expect(isGone)
        }
    }

    @Test
    func
        `a list that the broker's side does not confirm is written again and reported, until it is confirmed`()
        async throws
    {
        try await withRig { rig in
            let applied = rig.path + ".applied"
            #expect(await eventually { !rig.text.isEmpty })
            try Data("# permissions of yesterday\n".utf8).write(to: URL(filePath: applied))
            try rig.grant()
            #expect(await eventually { rig.hasLamp })
            #expect(rig.reports.withLock { $0.isEmpty }, "the broker's side has some time")
            let first = FileStatus(path: rig.path)?.identity
            rig.now.withLock { $0 = 10_000 }
            rig.file.wake()
            #expect(await eventually { rig.reports.withLock { $0.count } == 1 })
            let report = rig.reports.withLock { $0.first ?? nil }
            #expect(report?.contains("has not confirmed \(rig.path)") == true, "\(report ?? "")")
            #expect(
                FileStatus(path: rig.path)?.identity != first,
                "written again, which starts the unit again"
            )
            let head = rig.text.prefix { $0 != "\n" }
            try Data((head + "\n").utf8).write(to: URL(filePath: applied))
            rig.file.wake()
            #expect(await eventually { rig.reports.withLock { $0.last } == .some(nil) })
        }
    }
}
