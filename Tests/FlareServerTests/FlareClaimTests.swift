import Flare
import FlareServer
import JSON
import People
import TestSupport
import Testing
import Threading

/// What a client brings, while it counts, and where it is.
@Suite(.timeLimit(.minutes(1)))
struct FlareClaimTests {
    @Test func `a token that ends while the body is on its way changes nothing`() async throws {
        let isKnown = Locked(true)
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        hub.restrict(
            FlareAccess(.open, identify: { _ in isKnown.withLock { $0 } ? .nobody : nil }) { _ in
                FlareRights(readsPlace: true, readsDevices: true)
            }
        )
        try await withREST(hub) { (client: RESTClient) async throws in
            let lamp = "/environments/\(Hall.hall)/zones/\(Hall.west)/things/\(Hall.lamp)"
            let before = try await client.json("GET", lamp)?["name"]
            for (method, path) in [("PUT", lamp), ("POST", "/environments")] {
                isKnown.withLock { $0 = true }
                let body = #"{"name":"x"}"#
                let socket = try await onThread {
                    let socket = try LoopbackSocket.connected(to: client.port)
                    let head = [
                        "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(client.port)", "Connection: close",
                        "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
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
            #expect(try await client.json("GET", lamp)?["name"] == before)
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
        #expect(FlareAccess.isOwnMachine(peer, connectedTo: own) == isOwn)
    }
}
