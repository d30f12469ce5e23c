import Flare
import FlareClient
import FlareServer

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
