import FlareServer
import HTTPListener
import ServiceLifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FlareListenerTests {
    @Test(arguments: [("127.0.0.1", false), ("localhost", false), ("0.0.0.0", true)])
    func `a server that other machines can reach logs a warning about the missing password`(
        host: String,
        isWarned: Bool
    ) async throws {
        let log = LogRecorder()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = FlareListener(
            hub: try FlareHub(FlareStore()),
            HTTPListenerConfiguration(section: "flare.server", host: host, port: 0),
            logger: log.logger
        ) {
            port.yield($0)
            port.finish()
        }
        let group = ServiceGroup(services: [server], logger: log.logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            for await _ in ports { break }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(log.recorded.contains { $0.contains("has no password") } == isWarned, "\(log.recorded)")
    }

    @Test(arguments: ["/environments", "/", "/nothing-here", "/socket.io/?EIO=4&transport=polling"])
    func `a client of HTTP 1_0 gets one whole response, and another one if it asks to stay`(path: String)
        async throws
    {
        try await withREST(try FlareHub(FlareStore())) { rest in
            try await onThread {
                let wire = try WireClient(port: rest.port)
                let head = "GET \(path) HTTP/1.0\r\nHost: localhost\r\n"
                wire.send("\(head)Connection: keep-alive\r\n\r\n")
                let kept = try #require(try wire.reply())
                #expect(kept.headers["connection"] == "keep-alive" && kept.headers["content-length"] != nil)
                wire.send("\(head)\r\n")
                let last = try #require(try wire.reply())
                #expect(last.status == kept.status && last.headers["connection"] == "close")
                #expect(last.headers["transfer-encoding"] == nil)
                #expect(try wire.isClosed())
            }
        }
    }
}
