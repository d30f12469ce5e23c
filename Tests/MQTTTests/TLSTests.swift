import Foundation
import MQTT
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct TLSTests {
    private func withBroker(
        needsClientCertificate: Bool = false,
        _ body: (MQTTConfiguration, TestCertificates, TemporaryFolder) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let certificates = try await TestCertificates.make(in: folder)
            var options = MosquittoOptions()
            options.certificates = certificates
            options.needsClientCertificate = needsClientCertificate
            try await withMosquitto(options) { broker in
                let settings = configuration(port: broker.tlsPort) {
                    $0.host = "localhost"
                    $0.tls.isEnabled = true
                    $0.tls.caFile = certificates.caFile
                }
                try await body(settings, certificates, folder)
            }
        }
    }

    private func failure(_ settings: MQTTConfiguration) async throws -> MQTTError? {
        try await withClient(settings) { client in
            let failure = await client.nextFailure()
            // One failure is not the end of it.
            #expect(await eventually { client.counters.failures > 2 })
            #expect(client.counters.connects == 0)
            return failure
        }
    }

    @Test func `a broker of a trusted authority is accepted in each TLS version and with ALPN`() async throws
    {
        try await withBroker { settings, _, _ in
            for version in MQTTTLSVersion.allCases {
                var settings = settings
                settings.tls.version = version
                settings.tls.alpn = "mqtt"
                try await withConnectedClient(settings) { client, _ in
                    let heard = client.subscribe(["t"], qos: .atLeastOnce)
                    let sent = MQTTMessage(
                        topic: "t",
                        payload: [UInt8](repeating: 7, count: 1 << 20),
                        qos: .atLeastOnce
                    )
                    try await client.publishAndWait(sent)
                    #expect(await heard.first(1).first?.payload == sent.payload)
                    await client.stop(last: sent)
                }
            }
        }
    }

    @Test func `a broker with a wrong authority or name is refused with the reason`()
        async throws
    {
        try await withBroker { settings, certificates, folder in
            var other = settings
            other.tls.caFile = try await TestCertificates.make(in: folder, name: "other").caFile
            guard case .tls(_, let reason) = try await failure(other) else {
                Issue.record("not .tls")
                return
            }
            #expect(reason.contains("issuer of the broker's certificate is not trusted (Test authority ca)"))

            var named = settings
            named.host = "127.0.0.1"
            guard case .tls(_, let name) = try await failure(named) else {
                Issue.record("not .tls")
                return
            }
            #expect(name.contains("is for localhost, and not for 127.0.0.1"))
            named.tls.verifyHostname = false
            try await withConnectedClient(named) { _, _ in }

            var system = settings
            system.tls.caFile = nil
            guard case .tls = try await failure(system) else {
                Issue.record("not .tls")
                return
            }
        }
    }

    @Test func `a client certificate is accepted, unless its key is encrypted`() async throws {
        try await withBroker(needsClientCertificate: true) { settings, certificates, _ in
            guard case .tls(_, let reason) = try await failure(settings) else {
                Issue.record("not .tls")
                return
            }
            #expect(reason.contains("asks for a certificate of ours"))
            var own = settings
            own.tls.certificateFile = certificates.clientCertificate
            own.tls.keyFile = certificates.clientKey
            try await withConnectedClient(own) { _, _ in }
            own.tls.keyFile = certificates.clientKeyEncrypted
            guard case .tls = try await failure(own) else {
                Issue.record("not .tls")
                return
            }
        }
    }

    @Test func `an expired broker certificate is refused with its date`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try await TestCertificates.make(in: folder, expired: true)
            var options = MosquittoOptions()
            options.certificates = certificates
            try await withMosquitto(options) { broker in
                let settings = configuration(port: broker.tlsPort) {
                    $0.host = "localhost"
                    $0.tls.isEnabled = true
                    $0.tls.caFile = certificates.caFile
                }
                let expected = MQTTError.tls(
                    address: settings.address,
                    reason: "the broker's certificate has expired (2020-01-02)"
                )
                let told = try await failure(settings)
                #expect(told == expected)
            }
        }
    }

    @Test func `missing files are reported by name and used once they exist`() async throws {
        try await withBroker { settings, certificates, folder in
            var late = settings
            let path = folder.path("late.pem")
            late.tls.caFile = path
            try await withClient(late) { client in
                let error = MQTTError.configuration("cannot read \(path): No such file or directory")
                #expect(await client.nextFailure() == error)
                try FileManager.default.copyItem(atPath: certificates.caFile, toPath: path)
                #expect(await client.nextSession() != nil)
            }
        }
    }

    @Test func `a TLS mismatch with the broker is reported and retried`()
        async throws
    {
        try await withMosquitto { broker in
            var settings = configuration(port: broker.port) { $0.tls.isEnabled = true }
            let first = try await failure(settings)
            #expect(first != nil)
            settings.tls.certificateFile = "/etc/hostname"
            let error = "a TLS client certificate and its key go together: set both or none"
            let second = try await failure(settings)
            #expect(second == .configuration(error))
        }
        try await withBroker { settings, _, _ in
            var plain = settings
            plain.tls.isEnabled = false
            let third = try await failure(plain)
            #expect(third != nil)
        }
    }
}
