import HTTPListener
import Hummingbird
import Logging
import ServiceLifecycle
import TestSupport

/// Serves an application on a free port while the body runs, then shuts down gracefully.
func withListener(
    _ change: (inout HTTPListenerConfiguration) -> Void = { _ in },
    on socket: ListeningSocket? = nil,
    gate: (any WebSocketGate)? = nil,
    immediate: (any ImmediateResponder)? = nil,
    serving respond: @escaping @Sendable (Request, ChannelContext) async throws -> Response = { _, _ in
        Response(text: "plain")
    },
    _ body:
        @escaping @Sendable (_ port: Int, _ shutDown: @escaping @Sendable () async -> Void) async throws ->
        Void
) async throws {
    var configuration = HTTPListenerConfiguration(section: "test", port: 0)
    change(&configuration)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let listener = HTTPListenerService(
        configuration,
        on: socket,
        responder: CallbackResponder(callback: respond),
        gate: gate,
        immediate: immediate,
        logger: .silent
    ) {
        port.yield($0)
        port.finish()
    }
    try await run(listener, ports, port, body)
}

/// Runs a listener that yields its port, until the body ends.
func run(
    _ listener: any Service,
    _ ports: AsyncStream<Int>,
    _ port: AsyncStream<Int>.Continuation,
    _ body:
        @escaping @Sendable (_ port: Int, _ shutDown: @escaping @Sendable () async -> Void) async throws ->
        Void
) async throws {
    let group = ServiceGroup(services: [listener], logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            // When it cannot start, nobody waits for the port any longer.
            defer { port.finish() }
            try await group.run()
        }
        for await port in ports {
            try await body(port) { await group.triggerGracefulShutdown() }
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

extension Response {
    init(text: String) {
        self.init(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
