import HTTPListener
import TestSupport
import Testing

/// How long a WebSocket lasts, and how it ends.
@Suite(.timeLimit(.minutes(1)))
struct WebSocketLifeTests {
    @Test func `request timeouts do not apply to WebSockets`() async throws {
        let impatient: (inout HTTPListenerConfiguration) -> Void = {
            $0.firstRequestTimeout = .milliseconds(1500)
            $0.idleTimeout = .milliseconds(1500)
            $0.headTimeout = .milliseconds(1500)
            $0.bodyTimeout = .milliseconds(1500)
        }
        try await withListener(impatient, gate: EchoGate()) { port, _ in
            try await onThread {
                let socket = try WireSocket("/echo", port: port)
                #expect(try socket.frame() == .text("welcome"))
                let frame = WireSocket.frame(0x1, Array("patience".utf8))
                socket.wire.send(frame.prefix(5))
                // Each of these is idle for longer than a request may be.
                for _ in 0..<2 { #expect(try WireClient(port: port).isClosed()) }
                socket.wire.send(frame.dropFirst(5))
                #expect(try socket.frame() == .text("patience"))
            }
        }
    }

    @Test func `a shutdown sends close frames to all WebSockets`() async throws {
        try await withListener(gate: EchoGate()) { port, shutDown in
            let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
            async let goodbyes = onThread {
                let sockets = try (0..<5).map { _ in try WireSocket("/echo", port: port) }
                for socket in sockets { _ = try socket.frame() }
                open.yield()
                return try sockets.map { socket in
                    let goodbye = try socket.frame()
                    socket.send(.close(1001))
                    #expect(try socket.frame() == nil)
                    return goodbye
                }
            }
            for await _ in isOpen { break }
            await shutDown()
            let heard = try await goodbyes
            #expect(heard == Array(repeating: .close(1001), count: 5))
        }
    }

    @Test func `a peer that does not read is closed`() async throws {
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        try await withListener(gate: EchoGate(closings: closing)) { port, _ in
            let socket = try await onThread {
                let socket = try WireSocket("/echo", port: port)
                socket.send("flood")
                return Held(socket: socket)
            }
            for await _ in closings { break }
            withExtendedLifetime(socket) {}
        }
    }

    @Test func `the end is reported once whoever closed`() async throws {
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        try await withListener(gate: EchoGate(closings: closing)) { port, _ in
            try await onThread {
                _ = try WireSocket("/echo", port: port)
                for goodbye in [WireSocket.Frame.close(1000), .text("leave"), WireSocket.Frame(0x3)] {
                    let socket = try WireSocket("/echo", port: port)
                    #expect(try socket.frame() == .text("welcome"))
                    socket.send(goodbye)
                    #expect(try socket.frame()?.opcode == 0x8)
                    socket.send(.close(1000))
                    #expect(try socket.frame() == nil)
                }
            }
        }
        closing.finish()
        #expect(await closings.reduce(0) { count, _ in count + 1 } == 4)
    }
}

/// A client that is only kept open; nothing else touches it.
private struct Held: @unchecked Sendable {
    let socket: WireSocket
}
