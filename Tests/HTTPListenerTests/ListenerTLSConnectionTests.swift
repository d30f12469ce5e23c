import Foundation
import HTTPListener
import Hummingbird
import Logging
import NIOSSL
import ServiceLifecycle
import TestSupport
import Testing

/// TLS connections to a listener.
@Suite(.timeLimit(.minutes(1)))
struct ListenerTLSConnectionTests {
    private static func withTLS(
        _ change: (inout HTTPListenerConfiguration) -> Void = { _ in },
        isRSA: Bool = false,
        _ body:
            @escaping @Sendable (Int, TestCertificates, TemporaryFolder) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let made = try await TestCertificates.make(in: folder, isRSA: isRSA)
            try await withListener(
                {
                    $0.tls = ListenerTLSFiles(certificate: made.serverCertificate, key: made.serverKey)
                    change(&$0)
                },
                serving: { request, _ in
                    Response(text: "\(request.head.scheme ?? "none") \(request.uri.path)")
                }
            ) { port, _ in try await body(port, made, folder) }
        }
    }

    @Test func `a request over TLS is answered`() async throws {
        try await Self.withTLS { port, made, _ in
            let reply = try await TLSClient(caFile: made.caFile).get("/deep", port: port)
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(reply.hasSuffix("https /deep"), "\(reply)")
        }
    }

    @Test func `TLS 1_2 needs ephemeral keys, and no CBC`() async throws {
        let ciphers: [(NIOTLSCipher, Bool)] = [
            (.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, true), (.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, true),
            (.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, true), (.TLS_RSA_WITH_AES_128_GCM_SHA256, false),
            (.TLS_RSA_WITH_AES_256_CBC_SHA, false), (.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, false),
            (.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA, false),
        ]
        try await Self.withTLS(isRSA: true) { port, made, _ in
            for (cipher, works) in ciphers {
                let client = TLSClient(caFile: made.caFile, cipher: cipher)
                #expect(await client.trusts(port: port) == works, "\(cipher)")
            }
        }
    }

    @Test func `the own origin has the scheme https`() async throws {
        try await Self.withTLS { port, made, _ in
            let client = TLSClient(caFile: made.caFile)
            let own = try await client.get(port: port, fields: ["Origin: https://localhost:\(port)"])
            #expect(own.hasPrefix("HTTP/1.1 200"), "\(own)")
            let plain = try await client.get(port: port, fields: ["Origin: http://localhost:\(port)"])
            #expect(plain.hasPrefix("HTTP/1.1 403"), "\(plain)")
        }
    }

    @Test func `plain HTTP gets an answer that names https`() async throws {
        try await Self.withTLS { port, _, _ in
            let (reply, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let reply = try client.reply()
                client.send("more")
                return (reply, try client.isClosed())
            }
            #expect(reply?.status == 400)
            #expect(reply?.body.contains("begins with https://") == true)
            #expect(isClosed)
        }
    }

    @Test(arguments: [[], [22], [22, 3, 1, 0, 5, 1], [22, 3, 1, 255, 255, 1, 2, 3]] as [[UInt8]])
    func `a handshake that is not completed ends in time`(bytes: [UInt8]) async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.handshakeTimeout = .milliseconds(50)
            $0.firstRequestTimeout = .seconds(3600)
        }
        try await Self.withTLS(change) { port, _, _ in
            try await onThread {
                let client = try WireClient(port: port)
                client.send(bytes)
                // An alert may come before the end.
                while try client.bytes(1) != nil {}
            }
        }
    }

    @Test func `connections that stop in the handshake do not keep others out`() async throws {
        try await Self.withTLS({ $0.maximumConnections = 4 }) { port, made, _ in
            let halves = try await onThread {
                try (0..<40).map { _ in
                    let client = try WireClient(port: port)
                    client.send([22, 3, 1])
                    return HeldClient(client: client)
                }
            }
            #expect(await TLSClient(caFile: made.caFile).trusts(port: port))
            withExtendedLifetime(halves) {}
        }
    }

    @Test func `a certificate is renewed while the listener runs`() async throws {
        try await Self.withTLS { port, made, folder in
            let old = TLSClient(caFile: made.caFile)
            #expect(await old.trusts(port: port))
            let renewed = try await TestCertificates.make(in: folder, name: "next")
            try Data(contentsOf: URL(filePath: renewed.serverKey))
                .write(to: URL(filePath: made.serverKey), options: .atomic)
            try Data(contentsOf: URL(filePath: renewed.serverCertificate))
                .write(to: URL(filePath: made.serverCertificate), options: .atomic)
            let new = TLSClient(caFile: renewed.caFile)
            #expect(await eventually { await new.trusts(port: port) })
            #expect(await !old.trusts(port: port))
        }
    }

    @Test func `a listener without a usable certificate does not start`() async throws {
        try await withTemporaryFolder { folder in
            var configuration = HTTPListenerConfiguration(section: "web", port: 0)
            let gone = folder.path("gone.pem")
            configuration.tls = ListenerTLSFiles(certificate: gone, key: gone)
            let listener = HTTPListenerService(
                configuration,
                responder: CallbackResponder { (_: Request, _: ChannelContext) in Response(text: "") },
                logger: .silent
            )
            await #expect {
                try await listener.run()
            } throws: {
                "\($0)" == "web.tls: \(gone) cannot be read: No such file or directory"
            }
        }
    }

    @Test func `a shutdown ends open TLS connections`() async throws {
        try await withTemporaryFolder { folder in
            let made = try await TestCertificates.make(in: folder)
            let (requests, request) = AsyncStream.makeStream(of: Void.self)
            try await withListener(
                { $0.tls = ListenerTLSFiles(certificate: made.serverCertificate, key: made.serverKey) },
                serving: { _, _ in
                    request.yield()
                    return Response(text: "kept open")
                }
            ) { port, shutDown in
                async let answer = TLSClient(caFile: made.caFile)
                    .exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
                let half = try await onThread {
                    let client = try WireClient(port: port)
                    client.send([22, 3, 1])
                    return HeldClient(client: client)
                }
                for await _ in requests { break }
                await shutDown()
                #expect(try await answer.hasSuffix("kept open"))
                _ = try await onThread { try half.client.isClosed() }
            }
        }
    }
}

/// A client that is only kept open; nothing else touches it.
private struct HeldClient: @unchecked Sendable {
    let client: WireClient
}
