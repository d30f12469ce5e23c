import HTTPListener
import TestSupport
import Testing

/// Frames in and out: RFC 6455 5 to 7.
@Suite(.timeLimit(.minutes(1)))
struct WebSocketFrameTests {
    private static let limit = 100_000

    /// The frames that answer to these bytes, up to the end of the connection or as many as asked for.
    private func frames(_ count: Int = .max, to bytes: [UInt8]) async throws -> [WireSocket.Frame] {
        let (frames, frame) = AsyncStream.makeStream(of: WireSocket.Frame.self)
        try await withListener({ $0.maximumMessageBytes = Self.limit }, gate: EchoGate()) { port, _ in
            let heard = try await onThread {
                let socket = try WireSocket("/echo", port: port)
                _ = try socket.frame()
                socket.wire.send(bytes)
                var heard: [WireSocket.Frame] = []
                while heard.count < count, let next = try socket.frame() { heard.append(next) }
                return heard
            }
            for next in heard { frame.yield(next) }
        }
        frame.finish()
        return await frames.reduce(into: []) { $0.append($1) }
    }

    private static func masked(
        _ head: UInt8,
        _ text: String,
        isFinal: Bool = true
    ) -> [UInt8] {
        WireSocket.frame(head, Array(text.utf8), isFinal: isFinal)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, limit])
    func `messages of all lengths go through`(length: Int) async throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let heard = try await frames(1, to: WireSocket.frame(0x2, payload))
        #expect(heard == [WireSocket.Frame(0x2, payload)])
    }

    @Test func `fragments with a ping in between are joined`() async throws {
        let bytes =
            Self.masked(0x1, "gr", isFinal: false) + Self.masked(0x0, "", isFinal: false)
            + Self.masked(0x9, "are you there?") + Self.masked(0x0, "ü", isFinal: false)
            + Self.masked(0x0, "n")
        let heard = try await frames(2, to: bytes)
        #expect(heard == [WireSocket.Frame(0xA, Array("are you there?".utf8)), .text("grün")])
    }

    @Test func `the number of fragments is limited only by the message length`() async throws {
        let part = Self.masked(0x0, "", isFinal: false)
        let bytes =
            Self.masked(0x1, "a", isFinal: false) + Array(repeatElement(part, count: 5000).joined())
            + Self.masked(0x0, "b")
        #expect(try await frames(1, to: bytes) == [.text("ab")])
    }

    @Test func `fragments may split a character`() async throws {
        let letter = Array("ü".utf8)
        let bytes =
            WireSocket.frame(0x1, letter.prefix(1), isFinal: false) + WireSocket.frame(0x0, letter.suffix(1))
        #expect(try await frames(1, to: bytes) == [.text("ü")])
    }

    @Test func `an unsolicited pong is ignored`() async throws {
        #expect(try await frames(1, to: Self.masked(0xA, "?") + Self.masked(0x1, "a")) == [.text("a")])
    }

    @Test(arguments: [
        WireSocket.Frame.close(1000), .close(3000), WireSocket.Frame(0x8),
        WireSocket.Frame(0x8, [3, 232] + Array("bye".utf8)),
    ])
    func `a close frame is answered and the connection closed`(goodbye: WireSocket.Frame)
        async throws
    {
        let heard = try await frames(to: WireSocket.frame(0x8, goodbye.payload) + Self.masked(0x1, "late"))
        #expect(heard == [goodbye])
    }

    @Test func `our close frame waits for the peer's`() async throws {
        let heard = try await frames(to: Self.masked(0x1, "leave") + WireSocket.frame(0x8, [3, 232]))
        #expect(heard == [.close(1000)])
    }

    @Test(
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]]
    )
    func `text that is not UTF-8 is refused`(payload: [UInt8]) async throws {
        let goodbye = WireSocket.frame(0x8, [3, 232])
        #expect(try await frames(to: WireSocket.frame(0x1, payload) + goodbye) == [.close(1007)])
    }

    @Test func `a message over the limit is refused while its sender continues`() async throws {
        let payload = [UInt8](repeating: 97, count: Self.limit + 1)
        let whole = WireSocket.frame(0x1, payload)
        let parts =
            WireSocket.frame(0x1, payload.prefix(60_000), isFinal: false)
            + WireSocket.frame(0x0, payload.prefix(60_000)) + whole
        let endless = WireSocket.frame(0x2, [1, 2, 3], length: 1 << 62)
        let impossible = WireSocket.frame(0x2, [1, 2, 3], length: .max)
        for bytes in [whole, parts, endless, impossible] {
            #expect(try await frames(to: bytes) == [.close(1009)])
        }
    }

    @Test(arguments: [
        WireSocket.frame(0x1, [97], isMasked: false), WireSocket.frame(0x9, [97], isMasked: false),
        frameOfFragments(isMasked: false),
        masked(0x41, "reserved bit"), masked(0x3, "unknown"), masked(0xB, "unknown"),
        masked(0x0, "no beginning"), masked(0x1, "a", isFinal: false) + masked(0x1, "no end"),
        masked(0x9, "ping", isFinal: false), masked(0x8, "", isFinal: false),
        masked(0x9, String(repeating: "a", count: 126)), masked(0x8, "a"),
        WireSocket.frame(0x8, [0, 0]), WireSocket.frame(0x8, [3, 237]),
        WireSocket.frame(0x8, [3, 232, 0xFF]),
    ])
    func `a protocol violation ends the connection`(bytes: [UInt8]) async throws {
        let heard = try await frames(to: bytes + Self.masked(0x1, "more") + Self.masked(0x1, "more"))
        #expect([[.close(1002)], [.close(1007)]].contains(heard), "\(heard)")
    }

    private static func frameOfFragments(isMasked: Bool) -> [UInt8] {
        WireSocket.frame(0x1, [97], isFinal: false, isMasked: isMasked)
            + WireSocket.frame(0x0, [97], isMasked: isMasked)
    }
}
