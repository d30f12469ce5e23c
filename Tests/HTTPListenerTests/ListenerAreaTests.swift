import HTTPListener
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

/// Paths whose errors and bodies have rules of their own.
@Suite(.timeLimit(.minutes(1)))
struct ListenerAreaTests {
    private static let area = HTTPListenerConfiguration.Area(
        prefix: "/thing-if",
        errorFormat: .errorCode,
        maximumBodyBytes: 500
    )

    private static func configure(_ configuration: inout HTTPListenerConfiguration) {
        configuration.areas = [area]
        configuration.maximumBodyBytes = 100
        configuration.maximumHeadBytes = 4000
    }

    /// Counts bodies, except where a path says otherwise.
    @Sendable private static func respond(_ request: Request, _: ChannelContext) async throws -> Response {
        struct Failure: Error {}
        if request.uri.path.hasSuffix("/none") { return Response(status: .notFound) }
        if request.uri.path.hasSuffix("/fails") { throw Failure() }
        return Response(text: String(try await request.body.collect(upTo: 500).readableBytes))
    }

    /// The answer to bytes as they are, and whether the connection ends with it.
    private static func reply(to bytes: String, port: Int) async throws -> WireClient.Reply {
        try await onThread {
            let client = try WireClient(port: port)
            client.send(bytes)
            guard let reply = try client.reply() else { throw WireClient.Failure(what: "no answer") }
            return reply
        }
    }

    @Test(
        arguments: [
            ("/thing-if", true), ("/thing-if/", true), ("/thing-if/apps/a", true), ("/thing-if?x", true),
            ("/%74hing-if/apps", true), ("/thing%2Dif/apps?y", true), ("/thing-if/%zz", true),
            ("/thing-iffy/apps", false), ("/thing-iffy", false), ("/thing-if%2Fapps", false),
            ("/%2Fthing-if", false), ("//thing-if/apps", false), ("/x/thing-if", false),
            ("/%zz/thing-if", false), ("/THING-IF/apps", false), ("/x?/thing-if/", false),
            ("thing-if/apps", false),
            ("/", false), ("", false),
        ] as [(String, Bool)]
    )
    func `an area has its prefix and what is below it, by whole decoded parts`(path: String, isWithin: Bool) {
        var configuration = HTTPListenerConfiguration(port: 0)
        Self.configure(&configuration)
        #expect(configuration.area(of: path) == (isWithin ? Self.area : nil))
        #expect(configuration.maximumBodyBytes(of: path) == (isWithin ? 500 : 100))
    }

    @Test func `a limit of a single path counts more than that of its area`() {
        var configuration = HTTPListenerConfiguration(port: 0)
        Self.configure(&configuration)
        configuration.bodyLimits = ["/thing-if/long": 1000]
        #expect(configuration.maximumBodyBytes(of: "/thing-if/long?x") == 1000)
        #expect(configuration.maximumBodyBytes(of: "/thing-if/other") == 500)
    }

    private static let large = String(repeating: "a", count: 501)

    /// What is sent, with `PATH` for the path; the status, and the code within the area and elsewhere.
    private static let errors: [(bytes: String, status: Int, errorCode: String, code: String)] = [
        ("GET PATH/none HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "NOT_FOUND", "not_found"),
        ("GET PATH/fails HTTP/1.1\r\nHost: localhost\r\n\r\n", 500, "INTERNAL_ERROR", "internal"),
        ("GET PATH HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "FORBIDDEN", "forbidden"),
        (
            "GET PATH HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", 403, "FORBIDDEN",
            "forbidden"
        ),
        (
            "GET PATH HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400, "INVALID_INPUT_DATA",
            "bad_request"
        ),
        (
            "POST PATH HTTP/1.1\r\nHost: localhost\r\nContent-Length: 501\r\n\r\n\(large)", 413,
            "INVALID_INPUT_DATA", "too_large"
        ),
        (
            "POST PATH HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1f5\r\n\(large)\r\n0\r\n\r\n",
            413, "INVALID_INPUT_DATA", "too_large"
        ),
        (
            "POST PATH HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400,
            "INVALID_INPUT_DATA", "bad_request"
        ),
        (
            "GET PATH HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n", 400, "INVALID_INPUT_DATA",
            "bad_request"
        ),
        ("GET PATH HTTP/9.9\r\nHost: localhost\r\n\r\n", 400, "INVALID_INPUT_DATA", "bad_request"),
        (
            "GET PATH HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 5000))\r\n\r\n", 431,
            "INVALID_INPUT_DATA", "too_large"
        ),
    ]

    @Test(arguments: errors.indices)
    func `every error of the listener has the form of its area`(index: Int) async throws {
        let (bytes, status, errorCode, code) = Self.errors[index]
        try await withListener(Self.configure, serving: Self.respond) { port, _ in
            for (path, start) in [
                ("/thing-if/x", "{\"errorCode\":\"\(errorCode)\",\"message\":\""),
                ("/%74hing-if/x", "{\"errorCode\":\"\(errorCode)\",\"message\":\""),
                ("/thing-iffy/x", "{\"error\":\"\(code)\","),
            ] {
                let sent = bytes.replacing("PATH", with: path)
                let reply = try await Self.reply(to: sent, port: port)
                #expect(reply.status == status, "\(path): \(reply)")
                #expect(reply.body.hasPrefix(start), "\(path): \(reply)")
                #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
            }
        }
    }

    @Test(
        arguments: [
            ("GET /thing-if/x HTT", true), ("GET /thing-if/x HTTP/1.1\r\nHost: localhost\r\n", true),
            ("\r\nGET /%74hing-if/x?y HTTP/1.1\r\n", true), ("GET /thing-if/x", true),
            ("POST /thing-if/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc", true),
            // The part may go on.
            ("GET /thing-if", false), ("GET /thing-iffy/x HTTP/1.1\r\n", false), ("GET ", false),
            ("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n/thing-if/x", false),
        ] as [(String, Bool)]
    )
    func `a request that is not complete in time is refused in the form of its area`(
        bytes: String,
        isWithin: Bool
    ) async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            Self.configure(&$0)
            $0.headTimeout = .milliseconds(50)
            $0.bodyTimeout = .milliseconds(50)
        }
        try await withListener(change, serving: Self.respond) { port, _ in
            let reply = try await Self.reply(to: bytes, port: port)
            #expect(reply.status == 408, "\(reply)")
            let start = isWithin ? "{\"errorCode\":\"TIMEOUT\"," : "{\"error\":\"timeout\","
            #expect(reply.body.hasPrefix(start), "\(reply)")
        }
    }

    @Test func `the request before says nothing about the form of the next one`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            Self.configure(&$0)
            $0.headTimeout = .milliseconds(50)
        }
        try await withListener(change, serving: Self.respond) { port, _ in
            for (first, second) in [("/thing-if/x", "/other/x"), ("/other/x", "/thing-if/x")] {
                let body = try await onThread {
                    let client = try WireClient(port: port)
                    client.send("POST \(first) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
                    guard try client.reply()?.body == "3" else { throw WireClient.Failure(what: "no count") }
                    client.send("GET \(second) HTTP/1.1\r\nHost: local")
                    return try client.reply()?.body
                }
                #expect(body?.contains("errorCode") == (second == "/thing-if/x"), "\(body ?? "")")
            }
        }
    }

    @Test func `a body is accepted up to the limit of its area, also when the client asks first`()
        async throws
    {
        try await withListener(Self.configure, serving: Self.respond) { port, _ in
            let fits = String(Self.large.dropLast())
            #expect(try await request("POST", "/thing-if/x", port: port, body: fits).body == "500")
            #expect(try await request("POST", "/other/x", port: port, body: fits).status == 413)
            let statuses = try await onThread {
                try ["/thing-if/x", "/other/x"].map { path in
                    let client = try WireClient(port: port)
                    client.send(
                        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n"
                            + "Expect: 100-continue\r\n\r\n"
                    )
                    return try client.reply()?.status
                }
            }
            #expect(statuses == [100, 413])
        }
    }
}
