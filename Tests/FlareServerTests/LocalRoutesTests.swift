import Flare
import FlareServer
import Glibc
import HTTPListener
import JSON
import OperatingSystem
import People
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

    /// Runs the body with a server of a database on disk, and the header with its key.
    private static func withKey(
        _ hub: (FlareStore) async throws -> FlareHub = { try FlareHub($0) },
        _ body: @escaping @Sendable (RESTClient, _ key: String, _ file: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.path("flare.db")
            let store = try FlareStore(file: file)
            try await withREST(try await hub(store)) { client in
                let key = try #require(LocalKey.read(forDatabase: file))
                try await body(client, "\(LocalRoutes.keyHeader): \(key)", file)
            }
            try store.close()
        }
    }

    @Test func `only who can read the key beside the database is answered`() async throws {
        try await Self.withKey { (client, key, file) async throws in
            let identity = try #require(DatabaseFile.identity(of: file))
            let path = LocalRoutes.modelPath
            let wrong = [
                [], ["\(LocalRoutes.keyHeader): "], ["\(LocalRoutes.keyHeader): \(identity)"],
                [String(key.dropLast())],
            ]
            for headers in wrong {
                let target = path + "?database=\(identity)"
                let reply = try await client.send("POST", target, json: Self.model, headers: headers)
                #expect(reply.status == 403, "\(headers): \(reply)")
            }
            #expect(try await client.json("GET", "/environments") == [])
            #expect(try await client.send("GET", path, headers: [key]).status == 200)
            #expect(try await client.send("POST", path, json: Self.model, headers: [key]).status == 200)
        }
    }

    @Test func `the key makes whoever is only on the same machine trusted, on these routes alone`()
        async throws
    {
        try await Self.withKey { store in
            let hub = try FlareHub(store)
            hub.restrict(
                FlareAccess(.auto, identify: { _ in .nobody }) { claim in
                    FlareRights(readsPlace: true, readsDevices: true, administers: claim == .trusted(.flare))
                }
            )
            await hub.add(gate: { $0.visitor.claim == .trusted(.flare) ? nil : "not you" })
            return hub
        } _: { (client, key, _) async throws in
            let path = LocalRoutes.modelPath
            for number in 0..<6 {
                let guess = ["\(LocalRoutes.keyHeader): \(number)"]
                let reply = try await client.send("POST", path, json: Self.model, headers: guess)
                #expect(reply.status == (number < 5 ? 403 : 429))
            }
            #expect(try await client.send("POST", path, json: Self.model, headers: [key]).status == 200)
            for path in ["/environments", "/.trilateral/../environments", "/environments?x=/.trilateral/"] {
                let reply = try await client.send("POST", path, json: ["name": "x"], headers: [key])
                #expect(reply.status == 403 || reply.status == 404, "\(path): \(reply)")
            }
            #expect(try await client.list("/environments").count == 1)
        }
    }

    @Test func `a database without a file has no key, and nobody on the same machine imports into it`()
        async throws
    {
        let hub = try FlareHub(FlareStore())
        hub.restrict(
            FlareAccess(.auto, identify: { _ in .nobody }) { claim in
                FlareRights(readsPlace: true, readsDevices: true, administers: claim == .trusted(.flare))
            }
        )
        try await withREST(hub) { (client: RESTClient) async throws in
            #expect(try await client.send("POST", LocalRoutes.modelPath, json: Self.model).status == 403)
        }
    }

    @Test func `wrong keys are limited, and the right one is accepted nevertheless`() async throws {
        try await Self.withKey { (client, key, _) async throws in
            var statuses: [Int] = []
            for number in 0..<8 {
                let guess = ["\(LocalRoutes.keyHeader): \(number)"]
                statuses.append(try await client.send("GET", LocalRoutes.orphansPath, headers: guess).status)
            }
            #expect(statuses == [403, 403, 403, 403, 403, 429, 429, 429])
            #expect(try await client.send("GET", LocalRoutes.orphansPath, headers: [key]).status == 200)
        }
    }

    @Test func `the key is for the owner of the file only, and stays the same`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.path("flare.db")
            func key() async throws -> String? {
                let store = try FlareStore(file: file)
                defer { try? store.close() }
                return try await withREST(FlareHub(store)) { _ in LocalKey.read(forDatabase: file) }
            }
            let first = try #require(try await key())
            #expect(FileStatus(path: LocalKey.path(forDatabase: file))?.permissions == 0o600)
            #expect(try await key() == first)
            // Others may have read it.
            #expect(chmod(LocalKey.path(forDatabase: file), 0o644) == 0)
            let second = try #require(try await key())
            #expect(second != first && second.count == first.count)
            #expect(unlink(LocalKey.path(forDatabase: file)) == 0)
            #expect(symlink("/etc/passwd", LocalKey.path(forDatabase: file)) == 0)
            #expect(try await key() != nil)
            #expect(FileStatus(path: LocalKey.path(forDatabase: file), followsLinks: false)?.kind == .file)
        }
    }

    @Test(arguments: [
        ("X-HTTP-Method-Override: GET", "/.trilateral/model"),
        ("X-HTTP-Method-Override: get", "/.trilateral/orphans"),
        ("X-HTTP-Method-Override: HEAD", "/.trilateral/model"),
        ("X-HTTP-Method-Override: PUT", "/.trilateral/model"),
        ("X-HTTP-Method-Override: OPTIONS", "/.trilateral/orphans"),
        ("X-Nothing: 1", "/.trilateral/model?_method=GET"),
        ("X-Nothing: 1", "/.trilateral/model/"), ("X-Nothing: 1", "/.TRILATERAL/model"),
        ("X-Nothing: 1", "//.trilateral/model"), ("X-Nothing: 1", "/.trilateral/%6dodel"),
    ])
    func `whoever may read and not change imports and removes nothing, however the request is written`(
        header: String,
        target: String
    ) async throws {
        let changes = Locked<[ModelChange]>([])
        try await Self.withKey { store in
            let hub = try FlareHub(store)
            try await hub.insert([Hall.thing(Hall.lamp, in: Hall.west, x: 1)])
            hub.restrict(
                FlareAccess(.open, identify: { _ in .nobody }) { _ in
                    FlareRights(readsPlace: true, readsDevices: true, administers: false)
                }
            )
            await hub.add(
                recorder: { change, reason in
                    if reason == nil { changes.withLock { $0.append(change) } }
                } as ModelChangeRecord
            )
            return hub
        } _: { (client, key, _) async throws in
            let ids: JSONValue = [.string(Hall.lamp.description)]
            for body in [Self.model, ids] {
                _ = try await client.send("POST", target, json: body, headers: [key, header])
            }
            #expect(try await client.json("GET", "/environments") == [])
            #expect(
                try await client.send("GET", LocalRoutes.orphansPath, headers: [key]).body.contains(
                    "\(Hall.lamp)"
                )
            )
        }
        #expect(changes.withLock { $0.isEmpty })
    }

    @Test func `imports and removals are recorded with who asked for them, refused ones too`() async throws {
        let seen = Locked<[(ModelChange, String?)]>([])
        let mayImport = Locked(true)
        try await Self.withKey { store in
            let hub = try FlareHub(store)
            hub.restrict(
                FlareAccess(.open, identify: { _ in .nobody }) { _ in
                    let administers = mayImport.withLock { $0 }
                    return FlareRights(readsPlace: true, readsDevices: true, administers: administers)
                }
            )
            await hub.add(
                recorder: { change, reason in
                    seen.withLock { $0.append((change, reason)) }
                } as ModelChangeRecord
            )
            return hub
        } _: { (client, key, _) async throws in
            let path = LocalRoutes.modelPath + "?mode=add"
            #expect(try await client.send("POST", path, json: Self.model, headers: [key]).status == 200)
            mayImport.withLock { $0 = false }
            #expect(try await client.send("POST", path, json: Self.model, headers: [key]).status == 403)
        }
        #expect(seen.withLock { $0.map(\.0.visitor?.claim) } == [.trusted(.flare), .trusted(.flare)])
        #expect(seen.withLock { $0.map(\.0.visitor?.address) } == ["127.0.0.1", "127.0.0.1"])
        #expect(seen.withLock { $0.map(\.0.kind) } == [.import(.add), .import(nil)])
        #expect(seen.withLock { $0.map(\.0.objects) } == [2, 0])
        #expect(seen.withLock { $0.map { $0.1 == nil } } == [true, false])
    }

    @Test func `a token that ends while the body is on its way imports nothing and changes nothing`()
        async throws
    {
        let isKnown = Locked(true)
        try await Self.withKey { store in
            let hub = try FlareHub(store)
            try await hub.insert(Hall.records)
            hub.restrict(
                FlareAccess(.open, identify: { _ in isKnown.withLock { $0 } ? .nobody : nil }) { _ in
                    FlareRights(readsPlace: true, readsDevices: true, administers: true)
                }
            )
            return hub
        } _: { (client, key, _) async throws in
            let lamp = "/environments/\(Hall.hall)/zones/\(Hall.west)/things/\(Hall.lamp)"
            for (method, path) in [("POST", LocalRoutes.modelPath), ("PUT", lamp), ("POST", "/environments")]
            {
                isKnown.withLock { $0 = true }
                let body = #"{"name":"x"}"#
                let socket = try await onThread {
                    let socket = try LoopbackSocket.connected(to: client.port)
                    let head = [
                        "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(client.port)", "Connection: close",
                        "Content-Type: application/json", "Content-Length: \(body.utf8.count)", key,
                        "Expect: 100-continue", "", "",
                    ]
                    try socket.send(Array((head.joined(separator: "\r\n") + body.prefix(3)).utf8))
                    _ = socket.receive()
                    return socket
                }
                isKnown.withLock { $0 = false }
                let answer = try await onThread {
                    try socket.send(Array(body.dropFirst(3).utf8))
                    var bytes: [UInt8] = []
                    while case let part = socket.receive(), !part.isEmpty { bytes += part }
                    return String(decoding: bytes, as: UTF8.self)
                }
                #expect(answer.contains("HTTP/1.1 401"), "\(method) \(path): \(answer)")
            }
            isKnown.withLock { $0 = true }
            #expect(try await client.list("/environments").count == 1)
            #expect(try await client.json("GET", lamp)?["name"] == nil)
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
