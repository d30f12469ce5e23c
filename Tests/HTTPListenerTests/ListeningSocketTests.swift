import HTTPListener
import Hummingbird
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListeningSocketTests {
    private static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test
    func `between two listeners nobody else gets the port, and the next one answers who came meanwhile`()
        async throws
    {
        let socket = ListeningSocket()
        try await withListener(on: socket) { port, shutDown in
            let old = try WireClient(port: port)
            old.send(Self.get)
            #expect(try await onThread { try old.reply() }?.body == "plain")
            await shutDown()
            #expect(try await onThread { try old.isClosed() })
            #expect(throws: LoopbackSocket.Failure.self) { try LoopbackSocket.listening(port: port) }
            let early = try LoopbackSocket.connected(to: port)
            try early.send(Array(Self.get.utf8))
            try await withListener(on: socket, serving: { _, _ in Response(text: "next") }) { next, _ in
                #expect(next == port)
                let answer = try await onThread { String(decoding: early.receive(), as: UTF8.self) }
                #expect(answer.hasPrefix("HTTP/1.1 200"))
                #expect(throws: LoopbackSocket.Failure.self) { try LoopbackSocket.listening(port: port) }
            }
            socket.close()
            _ = try LoopbackSocket.listening(port: port)
        }
    }

    @Test func `a listener without a socket of others gives its port up at its end`() async throws {
        try await withListener { port, shutDown in
            let client = try WireClient(port: port)
            client.send(Self.get)
            #expect(try await onThread { try client.reply() }?.status == 200)
            await shutDown()
            #expect(try await onThread { try client.isClosed() })
            #expect(await eventually { (try? LoopbackSocket.listening(port: port)) != nil })
        }
    }
}
