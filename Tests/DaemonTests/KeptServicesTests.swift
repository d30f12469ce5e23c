import ServiceLifecycle
import Testing

@testable import Daemon

@Suite(.timeLimit(.minutes(1))) struct KeptServicesTests {
    /// Is prepared when it is told to be.
    private final class Slow: PreparingService {
        let (beginning, began) = AsyncStream.makeStream(of: Void.self)
        let port: AsyncStream<String>.Continuation

        init(_ port: AsyncStream<String>.Continuation) { self.port = port }

        func run() async throws { try await gracefulShutdown() }

        func prepared() async {
            port.yield("asked")
            for await _ in beginning {}
        }
    }

    private struct Plain: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    @Test func `the place is not read before a service that prepares itself knows what it needs`() async {
        let (notes, port) = AsyncStream.makeStream(of: String.self)
        let kept = KeptServices()
        _ = kept.service { Plain() }
        let slow = kept.service { Slow(port) }
        async let reading: Void = {
            await kept.prepared()
            port.yield("the place is read")
            port.finish()
        }()
        let first = await notes.first { _ in true }
        #expect(first == "asked")
        port.yield("prepared")
        slow.began.finish()
        await reading
        var rest: [String] = []
        for await note in notes { rest.append(note) }
        #expect(rest == ["prepared", "the place is read"])
    }
}
