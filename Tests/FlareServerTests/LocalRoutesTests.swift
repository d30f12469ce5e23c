import Flare
import FlareServer
import Glibc
import HTTPListener
import TestSupport
import Testing
import Threading

/// The requests of the command line to a running daemon.
@Suite(.timeLimit(.minutes(1)))
struct LocalRoutesTests {
    private static let model: JSONValue = ["environments": [["name": "Flat", "zones": [["name": "Hall"]]]]]

    @Test func `a model is imported, replaced and exported`() async throws {
        try await withREST { client in
            let first = try await client.send("POST", "/.trilateral/model?mode=refuse", json: Self.model)
            #expect(first.status == 200)
            let again = try await client.send("POST", "/.trilateral/model?mode=refuse", json: Self.model)
            #expect(again.status == 409)
            let problems = try JSONValue(parsing: again.body)["problems"]?.array ?? []
            #expect(problems.compactMap(ModelError.init(json:)).map(\.isReplaceable) == [true, true])
            let check = try await client.send("POST", "/.trilateral/model?mode=add&check=1", json: Self.model)
            #expect(check.status == 200)
            let replaced = try await client.send("POST", "/.trilateral/model?mode=replace", json: Self.model)
            #expect(replaced.status == 200)
            let environments = try await client.list("/environments")
            #expect(environments.count == 1)
            let export = try await client.send("GET", "/.trilateral/model")
            let model = try JSONValue(parsing: export.body)["model"]
            #expect(model?["environments"]?.array?.count == 1)
        }
    }

    @Test func `an invalid model is refused and changes nothing`() async throws {
        try await withREST { client in
            for model: JSONValue in [5, ["environments": [["name": []]]]] {
                let reply = try await client.send("POST", "/.trilateral/model", json: model)
                #expect(reply.status == 409)
                #expect(reply.body.contains("\"problems\""))
            }
            #expect(try await client.json("GET", "/environments") == [])
        }
    }

    @Test func `a request for another database is refused`() async throws {
        try await withREST { client in
            let reply = try await client.send(
                "POST",
                "/.trilateral/model?database=1-2",
                json: Self.model
            )
            #expect(reply.status == 409)
            #expect(reply.body.contains("a different database"))
            #expect(try await client.json("GET", "/environments") == [])
        }
    }

    @Test func `a request without a database is refused`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.path("flare.db")
            let store = try FlareStore(file: file)
            try await withREST(FlareHub(store)) { client in
                let nameless = try await client.send("POST", "/.trilateral/model", json: Self.model)
                #expect(nameless.status == 400)
                #expect(nameless.body.contains("\\\"database\\\""))
                #expect(try await client.json("GET", "/environments") == [])
                let id = try #require(DatabaseFile.identity(of: file))
                let named = try await client.send(
                    "POST",
                    "/.trilateral/model?database=\(id)",
                    json: Self.model
                )
                #expect(named.status == 200)
            }
            try store.close()
        }
    }

    @Test(
        "a peer is on this machine when it comes from loopback or from the address it is connected to",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.9", "192.0.2.5", true),
            ("::1", "::1", true),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", true),
            ("192.0.2.5", "192.0.2.5", true),
            ("fe80::5%eth0", "fe80::5%eth0", true),
            ("::ffff:192.0.2.5", "::ffff:192.0.2.5", true),
            ("192.0.2.6", "192.0.2.5", false),
            ("2001:db8::6", "2001:db8::5", false),
            ("12.7.0.1", "127.0.0.1", false),
            (nil, nil, false),
            (nil, "192.0.2.5", false),
        ] as [(String?, String?, Bool)]
    )
    func peers(peer: String?, own: String?, isOwn: Bool) {
        #expect(LocalRoutes.isOwnMachine(peer, connectedTo: own) == isOwn)
    }

    @Test(.enabled(if: ownNetworkAddress != nil, "this machine has only loopback addresses"))
    func `a server on a network address accepts programs on its own machine only`() async throws {
        let address = try #require(Self.ownNetworkAddress)
        try await withREST(nil, publicFolder: nil, sockets: SocketSettings(), { $0.host = address }) {
            client in
            let reply = try await request(
                "GET",
                "/.trilateral/orphans",
                address: address,
                port: client.port,
                host: address
            )
            #expect(reply.status == 200, "\(reply)")
        }
    }

    /// An IPv4 address of this machine that is not loopback.
    private static let ownNetworkAddress: String? = {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var next = first
        while let entry = next?.pointee {
            defer { next = entry.ifa_next }
            guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, entry.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
            return String(cString: inet_ntoa(number))
        }
        return nil
    }()

    private static func names(_ objects: [JSONValue], _ key: String) -> [String] {
        objects.compactMap { $0[key]?.string }
    }

    @Test func `orphans are listed and removed`() async throws {
        try await withREST { client in
            _ = try await client.send("POST", "/.trilateral/model", json: Self.model)
            let environments = Self.names(try await client.list("/environments"), "_id")
            for id in environments { _ = try await client.send("DELETE", "/environments/" + id) }
            let orphans = try await client.list("/.trilateral/orphans")
            #expect(Self.names(orphans, "name") == ["Hall"])
            let ids = JSONValue.array(Self.names(orphans, "id").map { .string($0) })
            let removed = try await client.send("POST", "/.trilateral/orphans", json: ids)
            #expect(removed.status == 200)
            let left = try await client.list("/.trilateral/orphans")
            #expect(left.isEmpty)
            let other = try await client.send("GET", "/.trilateral/other")
            #expect(other.status == 404)
        }
    }
}
