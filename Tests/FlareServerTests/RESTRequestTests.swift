import FlareServer
import HTTPListener
import JSON
import TestSupport
import Testing

/// HTTP features that do not depend on the objects.
@Suite(.timeLimit(.minutes(1)))
struct RESTRequestTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded; charset=UTF-8"

    @Test func `a form creates and changes an object like JSON`() async throws {
        try await withREST { client in
            let made = try await request(
                "POST",
                "/environments",
                port: client.port,
                headers: [Self.form],
                body:
                    "name=Red+Hall&data%5Bcolor%5D=red&data[n]=5&actions[]=on&angle=30&perimeter[origin][x]=1"
            )
            let object = try JSONValue(parsing: made.body)
            #expect(object["name"] == "Red Hall")
            #expect(object["data"] == ["color": "red", "n": "5"])
            #expect(object["actions"] == ["on"])
            #expect(object["angle"] == 30)
            #expect(object["perimeter"] == ["origin": ["x": 1]])
            let path = "/environments/\(object["_id"]?.string ?? "")"
            let put = try await request(
                "PUT",
                path,
                port: client.port,
                headers: [Self.form],
                body: "data[color]=blue"
            )
            #expect(try JSONValue(parsing: put.body)["data"] == ["color": "blue"])
        }
    }

    @Test func `a form with too many values is refused`() async throws {
        try await withREST { client in
            let body = Array(repeating: "a[]=1", count: 1001).joined(separator: "&")
            let reply = try await request(
                "POST",
                "/environments",
                port: client.port,
                headers: [Self.form],
                body: body
            )
            #expect(reply.status == 413)
            #expect(try await client.json("GET", "/environments") == [])
        }
    }

    @Test(arguments: ["PUT", "put", "Delete"])
    func `X-HTTP-Method-Override replaces the method of a POST`(method: String) async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A"])
            let reply = try await client.send(
                "POST",
                "/environments/\(id)",
                json: ["name": "B"],
                headers: ["X-HTTP-Method-Override: \(method)"]
            )
            let left = try await client.json("GET", "/environments/\(id)")
            #expect(reply.status == 200)
            #expect(left?["name"] == (method == "Delete" ? nil : "B"))
        }
    }

    @Test func `X-HTTP-Method-Override is ignored for other methods than POST`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A"])
            _ = try await client.send(
                "GET",
                "/environments/\(id)",
                headers: ["X-HTTP-Method-Override: DELETE"]
            )
            #expect(try await client.json("GET", "/environments/\(id)")?["name"] == "A")
            let unknown = try await client.send(
                "POST",
                "/environments/\(id)",
                headers: ["X-HTTP-Method-Override: BREW"]
            )
            #expect(unknown.status == 404)
        }
    }

    @Test func `a response has a weak entity tag, and a matching request gets 304`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A"])
            let path = "/environments/\(id)"
            let first = try await client.send("GET", path)
            let tag = try #require(first.headers["etag"])
            #expect(tag.hasPrefix("W/\""))
            for known in [tag, "\"x\", \(tag)", String(tag.dropFirst(2)), "*"] {
                let reply = try await client.send("GET", path, headers: ["If-None-Match: \(known)"])
                #expect(reply.status == 304)
                #expect(reply.headers["etag"] == tag)
                #expect(reply.body.isEmpty)
            }
            let insisting = try await client.send(
                "GET",
                path,
                headers: ["If-None-Match: \(tag)", "Cache-Control: no-cache"]
            )
            #expect(insisting.status == 200)
            _ = try await client.json("PUT", path, json: ["name": "B"])
            let changed = try await client.send("GET", path, headers: ["If-None-Match: \(tag)"])
            #expect(changed.status == 200)
            #expect(changed.headers["etag"] != tag)
        }
    }

    @Test func `a connection stays open after a 304`() async throws {
        try await withREST { client in
            let statuses = try await onThread {
                let wire = try WireClient(port: client.port)
                let get = "GET /environments HTTP/1.1\r\nHost: localhost\r\n"
                wire.send(get + "If-None-Match: *\r\n\r\n" + get + "\r\n")
                return try [wire.reply()?.status, wire.reply()?.status]
            }
            #expect(statuses == [304, 200])
        }
    }

    @Test func `HEAD has the headers of GET without the body`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A"])
            let get = try await client.send("GET", "/environments/\(id)")
            let head = try await client.send("HEAD", "/environments/\(id)")
            for name in ["content-length", "content-type", "etag"] {
                #expect(head.headers[name] == get.headers[name])
            }
            #expect(head.status == 200)
            #expect(try await client.send("HEAD", "/nothing").status == 404)
        }
    }

    @Test(arguments: [
        ("/environments", "GET,HEAD,POST"), ("/environments/x", "GET,HEAD,PUT,DELETE"),
        ("/environments/x/things", "GET,HEAD"), ("/environments/x/data/k", "GET,HEAD"),
        ("/environments/x/devices/position", "GET,HEAD,PUT,DELETE,POST"),
    ])
    func `OPTIONS lists the methods`(path: String, methods: String) async throws {
        try await withREST { client in
            let reply = try await client.send("OPTIONS", path)
            #expect(reply.status == 200)
            #expect(reply.headers["allow"] == methods)
            #expect(try await client.send("OPTIONS", "/nothing").status == 404)
        }
    }

    @Test(arguments: [
        ("{bad", 400), ("5", 400), ("\"x\"", 400), ("null", 400), ("{}{}", 400), ("{\"a\":}", 400),
        ("\u{0}", 400),
        (String(repeating: "[", count: 50_000), 400), ("{\"angle\":1e999}", 400), ("", 200), ("[]", 200),
        ("\u{FEFF}{}", 200), ("{\"name\":\"\\ud800\"}", 200),
    ])
    func `a body that is not an object or a list is refused`(body: String, status: Int) async throws {
        try await withREST { client in
            let reply = try await request(
                "POST",
                "/environments",
                port: client.port,
                headers: ["Content-Type: application/json"],
                body: body
            )
            #expect(reply.status == status)
            if status == 400 { #expect(try JSONValue(parsing: reply.body)["error"] == "bad_request") }
            let made = try await client.json("GET", "/environments")?.array?.count
            #expect(made == (body == "[]" || status == 400 ? 0 : 1))
        }
    }

    @Test(arguments: [
        ("Content-Type: text/plain", 200), ("Content-Type: application/json; charset=latin1", 415),
        ("Content-Type: application/json\r\nContent-Encoding: gzip", 415),
        ("Content-Type: Application/JSON;charset=\"UTF-8\"", 200),
    ])
    func `a body of another type counts as empty or is refused`(headers: String, status: Int) async throws {
        try await withREST { client in
            let reply = try await request(
                "POST",
                "/environments",
                port: client.port,
                headers: [headers],
                body: #"{"name":"A"}"#
            )
            #expect(reply.status == status)
            if status == 200 {
                #expect(try JSONValue(parsing: reply.body)["name"] == (headers.contains("JSON") ? "A" : nil))
            }
        }
    }

    @Test func `a body over the limit is refused`() async throws {
        try await withREST { client in
            let fits = JSONValue.object(["name": .string(String(repeating: "a", count: 102_400 - 11))])
            #expect(fits.bytes.count == 102_400)
            let reply = try await client.send("POST", "/environments", json: fits)
            #expect(reply.status == 200)
            let large = JSONValue.object(["name": .string(String(repeating: "a", count: 102_400))])
            let refused = try await client.send("POST", "/environments", json: large)
            #expect(refused.status == 413)
            #expect(refused.body.contains("102411 bytes; at most 102400 are allowed"))
        }
    }

    @Test(arguments: [
        "/nope", "/environment", "/environments/x/nope", "/environments/x/data/a/b",
        "/environments/x/zones/y/position",
        "/environments/x/things/y", "//environments", "/environments//", "/environments//zones",
        "/environments/../etc/passwd",
        "/%65nvironments", "/environments/x/zones/y/things/z/data/k/more/and/more/and/more/and/more",
        "/<script>",
    ])
    func `an unknown path is reported as JSON, to browsers as a page`(path: String) async throws {
        try await withREST { client in
            let reply = try await client.send("GET", path)
            #expect(reply.status == 404)
            #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
            let problem = try JSONValue(parsing: reply.body)
            #expect(problem["error"] == "not_found")
            #expect(problem["message"]?.string?.hasPrefix("Cannot GET ") == true)
            let page = try await client.send("GET", path, headers: ["Accept: text/html,*/*;q=0.8"])
            #expect(page.status == 404)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.body.contains("Cannot GET"))
            #expect(!page.body.contains("<script>"))
        }
    }

    @Test(arguments: ["%", "%zz", "%ff", "a%2", "%c3%28"])
    func `a segment with broken percent encoding is a bad request`(segment: String) async throws {
        try await withREST { client in
            let reply = try await client.send("GET", "/environments/\(segment)")
            #expect(reply.status == 400)
        }
    }

    @Test(arguments: [
        "%00", "..", "%2e%2e%2f", "%2F", "a%20b", "%C3%A9", "<b>", String(repeating: "a", count: 10_000),
    ])
    func `an invalid identifier is a cast error`(id: String) async throws {
        try await withREST { client in
            for method in ["GET", "PUT", "DELETE"] {
                let error = try await client.json(method, "/environments/\(id)", json: [:])
                #expect(error?["name"] == "CastError")
                #expect(error?["path"] == "_id")
            }
        }
    }

    @Test func `a page of another origin can neither read nor change objects`() async throws {
        try await withREST { client in
            for header in ["Origin: http://evil.example", "Origin: null"] {
                let reply = try await client.send(
                    "POST",
                    "/environments",
                    json: ["name": "X"],
                    headers: [header]
                )
                #expect(reply.status == 403)
                #expect(reply.body.contains("flare.server.allowed_origins"))
            }
            let rebound = try await request("GET", "/environments", port: client.port, host: "evil.example")
            #expect(rebound.status == 403)
            #expect(rebound.body.contains("flare.server.allowed_hosts"))
            #expect(try await client.json("GET", "/environments") == [])
        }
    }

    @Test func `the root is a page that describes the server`() async throws {
        try await withREST { client in
            let reply = try await client.send("GET", "/")
            #expect(reply.status == 200)
            #expect(reply.body.contains("Flare server"))
        }
    }
}
