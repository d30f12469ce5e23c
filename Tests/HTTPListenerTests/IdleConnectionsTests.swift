import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPListener

/// Which connection is closed when there are too many.
struct IdleConnectionsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func at(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    private func open() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "peer")).wait()
        return channel
    }

    @Test func `a connection that just began is not closed when another was answered`() throws {
        let connections = IdleConnections(maximum: 1)
        let (answered, new) = (try open(), try open())
        connections.becameIdle(answered, since: at(0))
        connections.becameBusy(answered)
        connections.becameIdle(new, since: at(1))
        connections.becameIdle(answered, since: at(2))
        #expect(!answered.isActive)
        #expect(new.isActive)
    }

    @Test func `of several that sent nothing the one that began last stays`() throws {
        let connections = IdleConnections(maximum: 1)
        let channels = try (0..<4).map { _ in try open() }
        for (second, channel) in channels.enumerated() {
            connections.becameIdle(channel, since: at(Int64(second)))
        }
        #expect(channels.map(\.isActive) == [false, false, false, true])
    }

    @Test func `a connection that was answered may be closed for a newer one`() throws {
        let connections = IdleConnections(maximum: 1)
        let (first, second) = (try open(), try open())
        connections.becameIdle(first, since: at(0))
        connections.becameBusy(first)
        connections.becameIdle(first, since: at(1))
        #expect(first.isActive)
        connections.becameIdle(second, since: at(2))
        #expect(!first.isActive)
        #expect(second.isActive)
    }
}
