import FlareServer
import JSON
import TestSupport
import Testing

/// Requests that the hub or its store refuses.
@Suite(.timeLimit(.minutes(1)))
struct RESTRefusalTests {
    @Test func `a full disk is reported, nothing is changed, and reading works`() async throws {
        var options = FlareStore.Options()
        options.maximumBytes = 1 << 18
        let hub = try FlareHub(FlareStore(options: options))
        try await withREST(hub) { client in
            let body: JSONValue = ["name": .string(String(repeating: "a", count: 50_000))]
            var made = 0
            var reply = try await client.send("POST", "/environments", json: body)
            while reply.status == 200, made < 10 {
                made += 1
                reply = try await client.send("POST", "/environments", json: body)
            }
            #expect(made > 0)
            #expect(reply.status == 503)
            #expect(reply.body.contains("not changed: "))
            #expect(reply.body.contains("full"))
            #expect(try await client.json("GET", "/environments")?.array?.count == made)
        }
    }

    @Test func `too many and too large objects are reported`() async throws {
        var limits = FlareLimits()
        limits.objects = 1
        limits.objectBytes = 1000
        let hub = try FlareHub(FlareStore(), limits: limits)
        try await withREST(hub) { client in
            let large: JSONValue = ["name": .string(String(repeating: "a", count: 1000))]
            #expect(try await client.send("POST", "/environments", json: large).status == 413)
            let id = try await client.make("/environments", [:])
            #expect(try await client.send("PUT", "/environments/\(id)", json: large).status == 413)
            let second = try await client.send("POST", "/environments", json: [:])
            #expect(second.status == 503)
            #expect(second.body.contains("more than 1 objects"))
        }
    }

    @Test func `one request creates at most a thousand objects`() async throws {
        try await withREST { client in
            let fits = try await client.send(
                "POST",
                "/environments",
                json: .array(Array(repeating: [:], count: 1000))
            )
            #expect(fits.status == 200)
            let many = try await client.send(
                "POST",
                "/environments",
                json: .array(Array(repeating: [:], count: 30_000))
            )
            #expect(many.status == 413)
            #expect(many.body.contains("30000 objects in one request; at most 1000 are allowed"))
            #expect(try await client.json("GET", "/environments")?.array?.count == 1000)
        }
    }
}
