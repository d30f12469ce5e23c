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
}
