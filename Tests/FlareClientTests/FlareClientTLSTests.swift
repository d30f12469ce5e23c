import Flare
import FlareClient
import NIOSSL
import SocketIO
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct FlareClientTLSTests {
    /// A server with a certificate for `localhost` that may require a client certificate.
    private func server(_ certificates: TestCertificates, asksForOurs: Bool = false) throws -> FakeServer {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.serverCertificate).map {
                .certificate($0)
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.serverKey, format: .pem))
        )
        if asksForOurs {
            tls.certificateVerification = .noHostnameVerification
            tls.trustRoots = .file(certificates.caFile)
        }
        var script = FakeServer.original()
        script.tls = try NIOSSLContext(configuration: tls)
        return script
    }

    /// The reason why the link is down; `nil` when it is up.
    private func problem(
        _ script: FakeServer,
        host: String = "localhost",
        _ change: (inout FlareClientConfiguration.TLS) -> Void
    ) async throws -> String? {
        try await withFakeServer(script) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            configuration.host = host
            var tls = FlareClientConfiguration.TLS()
            change(&tls)
            configuration.tls = tls
            return try await withLink(FlareClient(configuration, logger: .silent)) { link in
                switch await link.next() {
                case .linkUp?:
                    // REST uses the same connection settings.
                    #expect(await link.ask(.loadEnvironments(near: nil)) == .success(.environments([])))
                    return nil
                case .linkDown(let reason)?: return reason
                case let other: return "\(String(describing: other))"
                }
            }
        }
    }

    @Test func `a server's certificate is verified by its authority and name`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try await TestCertificates.make(in: folder)
            let others = try await TestCertificates.make(in: folder, name: "other")
            let script = try server(certificates)
            #expect(try await problem(script) { $0.caFile = certificates.caFile } == nil)
            #expect(try await problem(script) { $0.caFile = others.caFile }?.contains("TLS") == true)
            #expect(try await problem(script) { _ in }?.contains("TLS") == true)
            // The address is not in the certificate.
            #expect(
                try await problem(script, host: "127.0.0.1") { $0.caFile = certificates.caFile }?
                    .contains("TLS") == true
            )
            let byAddress = try await problem(script, host: "127.0.0.1") {
                $0.caFile = certificates.caFile
                $0.verifiesName = false
            }
            #expect(byAddress == nil)
        }
    }

    @Test func `the client certificate is sent if the server requires one`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try await TestCertificates.make(in: folder)
            let script = try server(certificates, asksForOurs: true)
            let known = try await problem(script) {
                $0.caFile = certificates.caFile
                $0.certificateFile = certificates.clientCertificate
                $0.keyFile = certificates.clientKey
            }
            #expect(known == nil)
            #expect(try await problem(script) { $0.caFile = certificates.caFile }?.isEmpty == false)
        }
    }

    @Test func `a server without TLS is refused`() async throws {
        #expect(try await problem(.original()) { _ in }?.contains("TLS") == true)
    }

    @Test func `an invalid certificate file is reported by name`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("no certificate", to: "bad.pem")
            let bad = folder.path("bad.pem")
            for change: (inout FlareClientConfiguration.TLS) -> Void in [
                { $0.caFile = bad }, { $0.certificateFile = bad }, { $0.keyFile = bad },
                { $0.caFile = bad + ".missing" },
            ] {
                var configuration = FlareClientConfiguration.local(1)
                var tls = FlareClientConfiguration.TLS()
                change(&tls)
                configuration.tls = tls
                do throws(TLSConfigurationError) {
                    _ = try FlareClient(configuration, logger: .silent)
                    Issue.record("taken")
                } catch {
                    #expect(error.description.contains(bad))
                }
            }
        }
    }
}
