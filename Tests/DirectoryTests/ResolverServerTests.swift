import Directory
import Flare
import Foundation
import Resolution
import TestSupport
import Testing
import Threading

/// A resolver over real sockets and SQLite.
@Suite(.timeLimit(.minutes(1))) struct ResolverServerTests {
    private let greeting = Resolver.greeting

    private func update(_ serial: String, _ address: String? = nil) -> String {
        let ip = address.map { ",\"StationIP\":\"\($0)\"" } ?? ""
        return "{\"HRHomeStationUpdate\":{\"StationDID\":\"\(serial)\"\(ip)}}"
    }

    private func rows(_ resolver: Resolver) throws -> [String] {
        try resolver.database.entries().map { "\($0.id)|\($0.address ?? "")" }
    }

    @Test func `stations tell their address, and clients find it`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            #expect(try await resolver.say(update("AA:BB:CC:DD:EE:FF", "192.0.2.7")) == greeting)
            #expect(try await resolver.say(update("(187723572702974)")) == greeting)
            #expect(try rows(resolver) == ["aa:bb:cc:dd:ee:fe|127.0.0.1", "aa:bb:cc:dd:ee:ff|192.0.2.7"])
            let reply = try await resolver.say(
                #"{"HRHomeStationsRequest":[{"StationDID":"aabbccddeeff"},{"StationDID":"nobody"}]}"#
            )
            #expect(
                reply == greeting
                    + #"{"HRHomeStationReply":[{"StationDID":"aabbccddeeff","StationIP":"192.0.2.7"},"#
                    + #"{"StationDID":"nobody","StationIP":null}]}"#
            )
            let serial = try #require(StationSerial("aabbccddeeff"))
            let address = try #require(StationAddress("192.0.2.7"))
            #expect(await resolver.client.ask(serial) == .found(address))
            #expect(await resolver.client.ask(try #require(StationSerial("nobody"))) == .unknown)
            let counters = resolver.server.counters.withLock { $0 }
            #expect(counters.names == 4 && counters.unknown == 2 && counters.updates == 2)
            #expect(counters.changes == 2 && counters.refused == 0 && counters.connections == 5)
        }
    }

    @Test func `the database has the one table, verbatim`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let program = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-c",
                    "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('select sql from sqlite_master').fetchall())",
                    resolver.path,
                ],
                output: resolver.path + ".out"
            )
            _ = await program.end(within: .seconds(20))
            await program.destroy()
            let text = try String(contentsOfFile: resolver.path + ".out", encoding: .utf8)
            #expect(text == "[('CREATE TABLE devices (ID TEXT PRIMARY KEY, IP TEXT)',), (None,)]\n")
        }
    }

    @Test func `an update that changes nothing writes not a byte`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            _ = try await resolver.say(update("x", "192.0.2.7"))
            func written() throws -> [Int] {
                try ["", "-wal"].map { ending in
                    let attributes = try FileManager.default.attributesOfItem(atPath: resolver.path + ending)
                    return (attributes[.size] as? NSNumber)?.intValue ?? -1
                }
            }
            let before = try written()
            for _ in 0..<20 { _ = try await resolver.say(update("X", "192.0.2.7")) }
            #expect(try written() == before)
            #expect(resolver.server.counters.withLock { $0.changes } == 1)
        }
    }

    @Test(
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "{}", "[1]",
            #"{"HRHomeStationUpdate":{"StationDID":"x","StationIP":"300.1.1.1"}}"#,
            #"{"HRHomeStationUpdate":{"StationDID":"x","StationIP":"::1"}}"#,
            #"{"HRHomeStationsRequest":[{"StationDID":5}]}"#,
            String(repeating: "[", count: 1_000_000), "{\"" + String(repeating: "a", count: 65_536),
        ]
    )
    func `what is refused is closed without another byte, and the next is served`(message: String)
        async throws
    {
        try await withResolver { (resolver: Resolver) async throws in
            // A peer that writes on may see a reset instead of the end.
            let heard = try? await resolver.say(message)
            #expect(heard.map { [greeting, ""].contains($0) } ?? true)
            #expect(try await resolver.say(update("x", "192.0.2.7")) == greeting)
            #expect(try rows(resolver) == ["x|192.0.2.7"])
            #expect(await eventually { resolver.server.counters.withLock { $0.refused } == 1 })
        }
    }

    @Test func `only networks that may tell and ask are served`() async throws {
        try await withResolver {
            $0.updateFrom = []
        } _: { (resolver: Resolver) async throws in
            #expect(try await resolver.say(update("x", "192.0.2.7")) == greeting)
            #expect(try rows(resolver) == [])
        }
        try await withResolver {
            $0.requestFrom = []
        } _: { (resolver: Resolver) async throws in
            #expect(try await resolver.say(#"{"HRHomeStationsRequest":[{"StationDID":"x"}]}"#) == greeting)
        }
    }

    @Test func `acknowledgements have the serial as it was sent`() async throws {
        try await withResolver {
            $0.acknowledges = true
            $0.rule = .peer
        } _: { (resolver: Resolver) async throws in
            #expect(try await resolver.say(update("(17)", "192.0.2.7")) == greeting + "(17) 127.0.0.1")
        }
    }

    @Test func `a serial with a key takes signed updates only`() async throws {
        let serial = try #require(StationSerial("aabbccddeeff"))
        let key = [UInt8](0..<32)
        try await withResolver(
            {
                $0.keys = [serial: key]
                $0.updateFrom = []
            },
            wall: { 1_767_225_600 }
        ) { (resolver: Resolver) async throws in
            _ = try await resolver.say(update("aabbccddeeff", "192.0.2.7"))
            #expect(try rows(resolver) == [])
            let signed = """
                {"HRHomeStationUpdate":{"StationDID":"AABBCCDDEEFF","StationIP":"192.0.2.7","StationTime":1767225600,\
                "StationSign":"8385545517934121ce64bb81c13daca252adb5d00dfc94e0876aaba48b37814f"}}
                """
            _ = try await resolver.say(signed)
            #expect(try rows(resolver) == ["aa:bb:cc:dd:ee:ff|192.0.2.7"])
            _ = try await resolver.say(signed)
            #expect(resolver.server.counters.withLock { $0.refused } == 2)
        }
    }

    @Test func `two hundred clients at once are answered`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let address = try #require(StationAddress("192.0.2.7"))
            let serials = (0..<200).compactMap { StationSerial("s\($0)") }
            try resolver.database.store(serials.map { ($0, address) })
            let found = await withTaskGroup(of: ResolverQuery.Result.self) { group in
                for serial in serials { group.addTask { await resolver.client.ask(serial) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found == Array(repeating: .found(address), count: 200))
        }
    }

    @Test func `of too many connections the longest silent one is closed`() async throws {
        try await withResolver {
            $0.maximumConnections = 10
        } _: { (resolver: Resolver) async throws in
            let port = resolver.port
            let silent = try await onThread {
                try (0..<10).map { _ in try LoopbackSocket.connected(to: port) }
            }
            #expect(await eventually { resolver.server.counters.withLock { $0.connections } == 10 })
            #expect(try await resolver.say(update("x", "192.0.2.7")) == greeting)
            let first = try #require(silent.first)
            let heard = try await onThread { first.readToEnd() }
            #expect(String(decoding: heard, as: UTF8.self) == greeting)
        }
    }

    @Test func `a half-closed client is answered`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let port = resolver.port
            let text = #"{"HRHomeStationsRequest":[{"StationDID":"x"}]}"#
            let heard = try await onThread {
                let socket = try LoopbackSocket.connected(to: port)
                try socket.send(Array(text.utf8))
                shutdown(socket.descriptor, Int32(SHUT_WR))
                return String(decoding: socket.readToEnd(), as: UTF8.self)
            }
            #expect(heard == greeting + #"{"HRHomeStationReply":[{"StationDID":"x","StationIP":null}]}"#)
        }
    }

    @Test func `of updates that follow each other closely the last one counts`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let (port, updates) = (resolver.port, (1...40).map { update("x", "192.0.2.\($0 % 2 + 1)") })
            try await onThread {
                // All are connected and greeted, so that they arrive in this order and before the first is written.
                let sockets = try updates.map { _ in try LoopbackSocket.connected(to: port) }
                for (socket, update) in zip(sockets, updates) { try socket.send(Array(update.utf8)) }
                for socket in sockets { _ = socket.readToEnd() }
            }
            let last = resolver.server.counters.withLock { $0.updates }
            #expect(last == 40)
            #expect(["x|192.0.2.1", "x|192.0.2.2"].contains(try rows(resolver).first))
            #expect(try await resolver.say(update("x", "192.0.2.9")) == greeting)
            #expect(try rows(resolver) == ["x|192.0.2.9"])
        }
    }

    @Test func `rows that another process writes are seen by the next request`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let other = try ResolverDatabase(path: resolver.path)
            let (serial, address) = (
                try #require(StationSerial("y")), try #require(StationAddress("192.0.2.9"))
            )
            #expect(await resolver.client.ask(serial) == .unknown)
            try other.store([(serial, address)])
            #expect(await resolver.client.ask(serial) == .found(address))
            #expect(try other.remove(serial) && !other.remove(serial))
            #expect(await resolver.client.ask(serial) == .unknown)
            other.close()
        }
    }

    @Test func `a refused connection is called so, also for updates`() async throws {
        let serial = try #require(StationSerial("x"))
        let client = DirectoryClient(host: "127.0.0.1", port: try LoopbackSocket.freePort())
        #expect(await client.ask(serial) == .unreachable("the connection was refused"))
        let delivery = await client.deliver { _ in DirectoryMessage.update(serial, address: nil) }
        #expect(delivery == .unreachable("the connection was refused"))
    }

    @Test func `another protocol is a bad answer`() async throws {
        let serial = try #require(StationSerial("x"))
        let listener = try LoopbackSocket.listening()
        let port = listener.port
        async let asked = DirectoryClient(host: "127.0.0.1", port: port).ask(serial)
        try await onThread {
            let peer = try listener.accept()
            try peer.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            _ = peer.readToEnd()
        }
        #expect(await asked == .badAnswer)
    }

}

struct NetworkRangeTextTests {
    @Test(
        arguments: [
            ("192.168.0.0/16", true), ("127.0.0.0/8", true), ("::1/128", true), ("::/0", true),
            ("10.0.0.1", true),
            ("fe80::/10", true), ("10.0.0.1/8", false), ("10.0.0.0/33", false), ("10.0.0.0/", false),
            ("10.0.0.0/+8", false),
            ("localhost", false), ("", false), ("10.0.0/8", false), ("::1/129", false),
        ]
    )
    func `a network is an address with the number of its first bits`(text: String, isLegal: Bool) {
        #expect((NetworkRange(text) != nil) == isLegal)
    }
}
