import Directory
import Foundation
import Resolution
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AnnouncerTests {
    private static let serial = StationSerial("aabbccddeeff")

    /// Runs an announcer, and hands over its reports and a way to say that the system has another address.
    private func withAnnouncer(
        of client: DirectoryClient,
        _ address: Announcer.Address = .automatic,
        _ body: (AsyncStream<Announcer.Report>, AsyncStream<Void>.Continuation) async throws -> Void
    ) async throws {
        let (reports, port) = AsyncStream.makeStream(of: Announcer.Report.self)
        let serial = try #require(Self.serial)
        let start = ContinuousClock.now
        let announcer = Announcer(
            .init(serial: serial, resolver: client, periodSeconds: 60, address: address, key: nil),
            clocks: .init(steady: { Int64(start.duration(to: .now) / .milliseconds(1)) }, wall: { 0 }),
            report: { port.yield($0) }
        )
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let task = Task { await announcer.run(changes: changes) }
        try await body(reports, change)
        task.cancel()
        await task.value
    }

    @Test func `a station tells its address, and learns what the resolver says of it`() async throws {
        try await withResolver { (resolver: Resolver) async throws in
            let serial = try #require(Self.serial)
            try await withAnnouncer(of: resolver.client) { reports, change in
                var reports = reports.makeAsyncIterator()
                let first = await reports.next()
                #expect(first?.isSuccess == true && first?.address?.description == "127.0.0.1")
                #expect(try resolver.database.address(of: serial)?.description == "127.0.0.1")
                _ = try resolver.database.remove(serial)
                change.yield()
                #expect(await reports.next()?.isSuccess == true)
                #expect(try resolver.database.address(of: serial)?.description == "127.0.0.1")
            }
        }
    }

    @Test(
        arguments: [
            // Another private address than ours: nobody has translated it.
            ("127.0.0.9", .automatic, false), ("127.0.0.9", .fixed("192.0.2.7"), false),
            ("127.0.0.9", .fixed("127.0.0.9"), true),
            // A router may have translated our private address.
            ("203.0.113.9", .automatic, true), ("203.0.113.9", .peer, true),
            // A public address is not translated.
            ("203.0.113.9", .fixed("192.0.2.7"), false),
        ] as [(String, ClaimedAddress, Bool)]
    )
    func `an update that the resolver refused is a failure that names both addresses`(
        stored: String,
        claimed: ClaimedAddress,
        isSuccess: Bool
    ) async throws {
        try await withResolver {
            $0.updateFrom = []
        } _: { (resolver: Resolver) async throws in
            let serial = try #require(Self.serial)
            let address = try #require(StationAddress(stored))
            try resolver.database.store([(serial, address)])
            try await withAnnouncer(of: resolver.client, claimed.address) { reports, _ in
                var reports = reports.makeAsyncIterator()
                let report = try #require(await reports.next())
                #expect(report.isSuccess == isSuccess, "\(report)")
                #expect(report.address == address)
                guard !isSuccess else { return }
                #expect(report.error?.contains("has the address \(stored), not ") == true, "\(report)")
                #expect(report.error?.contains("refuses") == true)
            }
        }
    }

    @Test func `a resolver that is off is reported as a refused connection`() async throws {
        let client = DirectoryClient(host: "127.0.0.1", port: try LoopbackSocket.freePort())
        try await withAnnouncer(of: client) { reports, _ in
            var reports = reports.makeAsyncIterator()
            let report = try #require(await reports.next())
            #expect(!report.isSuccess)
            #expect(report.error == "127.0.0.1:\(client.port) cannot be reached: the connection was refused")
        }
    }
}

/// What a station says of its address.
enum ClaimedAddress: Sendable {
    case automatic, peer
    case fixed(String)

    var address: Announcer.Address {
        switch self {
        case .automatic: .automatic
        case .peer: .peer
        case .fixed(let text): StationAddress(text).map { .fixed($0) } ?? .automatic
        }
    }
}
