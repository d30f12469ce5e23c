import Directory
import Foundation
import Resolution
import TestSupport
import Testing
import Threading

/// What goes wrong around a resolver and its clients, with real sockets and a real disk.
@Suite(.timeLimit(.minutes(1))) struct ResolverTroubleTests {
    private func update(_ serial: String, _ address: String) -> String {
        "{\"HRHomeStationUpdate\":{\"StationDID\":\"\(serial)\",\"StationIP\":\"\(address)\"}}"
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `on a full disk updates are refused and look-ups answered, and all is well when there is space`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let disk = folder.path("disk")
            try await OwnDisk.with("size=1m", at: disk) { () async throws in
                let errors = Locked<[String?]>([])
                let later = Locked<Int64>(0)
                try await withResolver(
                    path: disk + "/r.db",
                    later: { later.withLock { $0 } },
                    onDatabase: { problem in errors.withLock { $0.append(problem) } }
                ) { (resolver: Resolver) async throws in
                    let first = try #require(StationSerial("first"))
                    let known = ResolverQuery.Result.found(try #require(StationAddress("192.0.2.7")))
                    _ = try await resolver.say(update("first", "192.0.2.7"))
                    try OwnDisk.fill(disk + "/filler")
                    // What the files have room for is still taken.
                    var number = 0
                    let isRefused = try await eventually {
                        number += 1
                        _ = try await resolver.say(update("station-\(number)", "192.0.2.8"))
                        return errors.withLock { $0.last??.contains("full") ?? false }
                    }
                    #expect(isRefused)
                    #expect(await resolver.client.ask(first) == known)
                    let lost = try #require(StationSerial("station-\(number)"))
                    #expect(await resolver.client.ask(lost) == .unknown)
                    #expect(resolver.server.counters.withLock { $0.refused } == 1)

                    try FileManager.default.removeItem(atPath: disk + "/filler")
                    // It tries by itself: perhaps no address changes for years.
                    later.withLock { $0 = 10_000 }
                    #expect(await resolver.client.ask(first) == known)
                    #expect(await eventually { errors.withLock { $0.last } == .some(nil) })
                    _ = try await resolver.say(update("station-\(number)", "192.0.2.7"))
                    #expect(await resolver.client.ask(lost) == known)
                    #expect(errors.withLock { $0.count } == 2)
                }
            }
        }
    }

    @Test func `beside a thousand silent connections the next look-up is answered`() async throws {
        let limit = Self.allowDescriptors(4096)
        try #require(limit >= 2600)
        try await withResolver { (resolver: Resolver) async throws in
            _ = try await resolver.say(update("x", "192.0.2.7"))
            let port = resolver.port
            let silent = try await onThread {
                try (0..<1000).map { _ in try LoopbackSocket.connected(to: port) }
            }
            #expect(await eventually { resolver.server.counters.withLock { $0.connections } == 1001 })
            let found = await resolver.client.ask(try #require(StationSerial("x")))
            #expect(found == .found(try #require(StationAddress("192.0.2.7"))))
            #expect(resolver.server.counters.withLock { $0.refused } == 0)
            // They were greeted, and after three seconds they are closed and counted.
            let last = try #require(silent.last)
            let heard = try await onThread { last.readToEnd() }
            #expect(String(decoding: heard, as: UTF8.self) == Resolver.greeting)
            #expect(await eventually { resolver.server.counters.withLock { $0.refused } == 1000 })
        }
    }

    @Test func `a database that is removed is written again, and one that is replaced is read`() async throws
    {
        let later = Locked<Int64>(0)
        try await withResolver(later: { later.withLock { $0 } }) { (resolver: Resolver) async throws in
            let (first, second) = (
                try #require(StationSerial("first")), try #require(StationSerial("second"))
            )
            let address = try #require(StationAddress("192.0.2.7"))
            _ = try await resolver.say(update("first", "192.0.2.7"))
            for ending in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: resolver.path + ending)
            }
            later.withLock { $0 += 10_000 }
            #expect(await resolver.client.ask(first) == .found(address))
            #expect(
                await eventually {
                    // Opening it would make it, and the resolver would read the new one.
                    guard FileManager.default.fileExists(atPath: resolver.path) else { return false }
                    let other = try? ResolverDatabase(path: resolver.path)
                    defer { other?.close() }
                    return (try? other?.address(of: first)) == address
                }
            )
            #expect(await resolver.client.ask(first) == .found(address))

            let other = try ResolverDatabase(path: resolver.path + ".new")
            try other.store([(second, address)])
            other.close()
            #expect(rename(resolver.path + ".new", resolver.path) == 0)
            later.withLock { $0 += 10_000 }
            let isRead = await eventually { await resolver.client.ask(second) == .found(address) }
            #expect(isRead)
            #expect(await resolver.client.ask(first) == .unknown)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func
        `an update that was answered is in the file that is there, however often that is replaced and removed`()
        async throws
    {
        try await withResolver({ $0.acknowledges = true }) { (resolver: Resolver) async throws in
            let serial = try #require(StationSerial("station"))
            for round in 0..<12 {
                let address = try #require(StationAddress("192.0.2.\(round / 4 + 1)"))
                if round.isMultiple(of: 3) {
                    for ending in ["", "-wal", "-shm"] {
                        try? FileManager.default.removeItem(atPath: resolver.path + ending)
                    }
                } else {
                    let other = try ResolverDatabase(path: resolver.path + ".new")
                    other.close()
                    #expect(rename(resolver.path + ".new", resolver.path) == 0)
                }
                let answer = try await resolver.say(update("station", "\(address)"))
                #expect(answer.hasSuffix("station \(address)"), "\(round): \(answer)")
                #expect(resolver.database.isInPlace)
                // Another program reads it.
                #expect(FileManager.default.fileExists(atPath: resolver.path))
                let other = try ResolverDatabase(path: resolver.path)
                #expect(try other.address(of: serial) == address, "\(round)")
                other.close()
            }
        }
    }

    @Test func `rows of other programs that are no text are no address`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let program = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-c",
                    "import sqlite3,sys; d = sqlite3.connect(sys.argv[1], isolation_level=None); "
                        + "d.execute(\"INSERT INTO devices VALUES ('a', x'00ff'), (x'ff', 'b'), (NULL, NULL), ('c', 7)\")",
                    resolver.path,
                ],
                output: resolver.path + ".out"
            )
            _ = await program.end(within: .seconds(20))
            await program.destroy()
            let rows = try resolver.database.entries()
            #expect(rows.contains { $0.id == "a" })
            for name in ["a", "c"] {
                let serial = try #require(StationSerial(name))
                #expect(try resolver.database.address(of: serial) == nil)
                #expect(await resolver.client.ask(serial) == .unknown)
            }
        }
    }

    @Test func `a peer that ends with a reset does not stop what comes`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let port = resolver.port
            try await onThread {
                for cut in [0, 1, 20, 60] {
                    let socket = try LoopbackSocket.connected(to: port)
                    try socket.send(Array(Array(update("x", "192.0.2.7").utf8).prefix(cut)))
                    socket.reset()
                }
            }
            let unknown = await resolver.client.ask(try #require(StationSerial("x")))
            #expect(unknown == .unknown)
        }
    }

    @Test(
        arguments: [
            // It greets and then says nothing.
            (Resolver.greeting, .noAnswer),
            ("", .noAnswer),
            (Resolver.greeting + reply("y", "\"192.0.2.7\""), .badAnswer),
            (Resolver.greeting + reply("x", "\"300.1.1.1\""), .badAnswer),
            (Resolver.greeting + reply("x", "7"), .badAnswer),
            (Resolver.greeting + reply("x", "null"), .unknown),
            // Replies that never end.
            (Resolver.greeting + String(repeating: "[", count: 70_000), .badAnswer),
            (Resolver.greeting + "{\"" + String(repeating: "a", count: 200_000), .badAnswer),
        ] as [(String, ResolverQuery.Result)]
    )
    func `a false resolver is no answer or a bad one, in time`(says: String, result: ResolverQuery.Result)
        async throws
    {
        let listener = try LoopbackSocket.listening()
        let client = DirectoryClient(host: "127.0.0.1", port: listener.port)
        let started = ContinuousClock.now
        let serial = try #require(StationSerial("x"))
        async let asked = client.ask(serial)
        try await onThread {
            let peer = try listener.accept()
            // The client may leave in the middle.
            try? peer.send(Array(says.utf8))
            _ = peer.readToEnd()
        }
        #expect(await asked == result)
        #expect(ContinuousClock.now - started < .seconds(9))
    }

    private static func reply(_ serial: String, _ address: String) -> String {
        "{\"HRHomeStationReply\":[{\"StationDID\":\"\(serial)\",\"StationIP\":\(address)}]}"
    }

    /// Raises how many files this process may open, as far as it may.
    private static func allowDescriptors(_ wanted: rlim_t) -> rlim_t {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return limit.rlim_cur
    }
}
