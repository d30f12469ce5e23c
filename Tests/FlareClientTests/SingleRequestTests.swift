import FlareClient
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SingleRequestTests {
    /// The end of a connection may come before the request is written, while it is, and after it.
    @Test func `a server that closes each connection at once is noticed at once`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("server.sock")
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.execute { channel.close(promise: nil) }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(unixDomainSocketPath: path).get()
            for _ in 0..<1000 {
                let error = await #expect(throws: SingleRequest.Failure.self) {
                    _ = try await SingleRequest.send("/", method: "GET", body: nil, to: path, seconds: 20)
                }
                let reason = error?.description ?? ""
                try #require(!reason.contains("no response within"), "\(reason)")
            }
            try await server.close()
        }
    }
}
