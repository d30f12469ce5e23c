import NIOCore
import NIOHTTP1

/// The pool of HTTP connections to a server; it opens as many as there are concurrent requests.
///
/// Isolated to the event loop of ``FlareDriver``.
struct HTTPConnections {
    /// Milliseconds after which an idle connection is not reused: many servers close theirs after five seconds.
    private static let maximumIdle = 2000

    private var idle: [(channel: any Channel, since: Int)] = []
    private var open: [ObjectIdentifier: any Channel] = [:]

    /// An idle connection.
    mutating func popIdle(now: Int) -> (any Channel)? {
        while let (channel, since) = idle.popLast() {
            if channel.isActive, now - since < Self.maximumIdle { return channel }
            channel.close(promise: nil)
        }
        return nil
    }

    mutating func opened(_ channel: any Channel) { open[ObjectIdentifier(channel)] = channel }

    mutating func closed(_ channel: any Channel) {
        open[ObjectIdentifier(channel)] = nil
        idle.removeAll { $0.channel === channel }
    }

    mutating func returnIdle(_ channel: any Channel, now: Int) {
        guard channel.isActive, open[ObjectIdentifier(channel)] != nil else { return }
        idle.append((channel, now))
    }

    mutating func closeAll() {
        for channel in open.values { channel.close(promise: nil) }
        open = [:]
        idle = []
    }

    static func initialize(_ channel: any Channel, authority: String) throws {
        try channel.pipeline.syncOperations.addHandlers([
            HTTPRequestEncoder(),
            ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)),
            HTTPExchangeHandler(authority: authority),
        ])
    }
}
