import Flare
import FlareClient
import FlareServer
import Threading

/// A connection to a Flare server, embedded or remote.
protocol FlareLink: Sendable {
    func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void) async
}

extension FlareClient: FlareLink {}

/// The connection to a server in this process.
struct EmbeddedFlareLink: FlareLink {
    let hub: FlareHub

    func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void) async {
        let client = await hub.open(emit)
        for await request in requests { await hub.answer(request, from: client, emit) }
        await hub.disconnect(client)
    }
}

/// A link that tells how many requests the real one has taken.
struct CountedLink: FlareLink {
    let link: any FlareLink
    let taken: @Sendable (Int) -> Void

    func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void) async {
        let count = Locked(0)
        let counted = AsyncStream<FlareRequest> {
            // The next one is asked for when the link has taken the one before.
            taken(
                count.withLock { count in
                    defer { count += 1 }
                    return count
                }
            )
            var iterator = requests.makeAsyncIterator()
            return await iterator.next()
        }
        await link.run(counted, emit: emit)
    }
}
