import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ImmediateResponseTests {
    /// Answers what lies below `/now`.
    private struct Responder: ImmediateResponder {
        func immediateResponse(to request: HTTPRequest, from peer: String?) -> ImmediateResponse? {
            guard let path = request.path, path.hasPrefix("/now") else { return nil }
            let body = ByteBuffer(string: "at once: \(path)")
            let length = [HTTPField(name: .contentLength, value: "\(body.readableBytes)")]
            return ImmediateResponse(
                head: HTTPResponse(status: .ok, headerFields: HTTPFields(length)),
                body: request.method == .head ? nil : body
            )
        }
    }

    @Sendable private static func late(_ request: Request, _: ChannelContext) async throws -> Response {
        let body = try await request.body.collect(upTo: 1000)
        return Response(text: "late: \(request.head.path ?? "")\(String(buffer: body))")
    }

    private func replies(_ count: Int, to text: String) async throws -> [WireClient.Reply?] {
        let (results, result) = AsyncStream.makeStream(of: [WireClient.Reply?].self)
        try await withListener(immediate: Responder(), serving: Self.late) { port, _ in
            let replies = try await onThread {
                let client = try WireClient(port: port)
                client.send(text)
                return try (0..<count).map { _ in try client.reply() }
            }
            result.yield(replies)
        }
        result.finish()
        return await results.reduce(into: []) { $0 += $1 }
    }

    @Test func `requests that are answered at once do not overtake others of their connection`() async throws
    {
        let paths = (0..<60).map { $0 % 3 == 1 ? "/later/\($0)" : "/now/\($0)" }
        let text = paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
        let bodies = try await replies(paths.count, to: text).map { $0?.body }
        #expect(zip(bodies, paths).allSatisfy { $0?.hasSuffix(": \($1)") == true })
        #expect(bodies.first == "at once: /now/0")
    }

    @Test func `an answer at once has a date in the form of RFC 9110`() async throws {
        let reply = try await replies(1, to: "GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n").first
        let date = try #require(reply??.headers["date"])
        let form = /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/
        #expect(date.wholeMatch(of: form) != nil)
    }

    @Test(arguments: ["GET", "HEAD", "POST"])
    func `a foreign Host is refused, however fast the answer would be`(method: String) async throws {
        try await withListener(immediate: Responder(), serving: Self.late) { port, _ in
            let reply = try await request(
                method,
                "/now",
                port: port,
                host: "evil.example",
                connection: "keep-alive"
            )
            #expect(reply.status == 403)
        }
    }

    @Test func `a request with a body goes to the application, with its body`() async throws {
        let bodies = try await replies(
            2,
            to: "GET /now HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
                + "GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n"
        ).map { $0?.body }
        #expect(bodies.first == "late: /nowhello")
        #expect(bodies.last??.hasSuffix(": /now") == true)
    }

    @Test func `after an answer at once the connection ends when its client asks for that`() async throws {
        try await withListener(immediate: Responder(), serving: Self.late) { port, _ in
            let isClosed = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
                client.send("GET /now HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                _ = try client.reply()
                return try client.isClosed()
            }
            #expect(isClosed)
        }
    }
}
