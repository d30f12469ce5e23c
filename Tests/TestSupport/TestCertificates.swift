/// A throw-away authority, and what it has signed: a server `localhost` and a client `walker`.
package struct TestCertificates: Sendable {
    package let caFile: String
    package let serverCertificate: String
    package let serverKey: String
    package let clientCertificate: String
    package let clientKey: String
    /// The client's key, encrypted with ``keyPassword``.
    package let clientKeyEncrypted: String
    package let keyPassword = "only for a test"

    /// Made with the openssl program.
    package static func make(in folder: TemporaryFolder, name: String = "ca") async throws -> TestCertificates
    {
        let file = { (part: String) in folder.path("\(name)-\(part)") }
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]
        let authority = [
            "-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=Test authority \(name)",
        ]
        try await openssl(["req", "-x509"] + key + authority)
        for (subject, part) in [("localhost", "server"), ("walker", "client")] {
            let own = [
                "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-keyout", file("\(part).key"),
                "-out", file("\(part).pem"), "-subj", "/CN=\(subject)", "-addext",
                "subjectAltName=DNS:\(subject)",
                "-addext", "basicConstraints=critical,CA:FALSE",
            ]
            try await openssl(["req", "-x509"] + key + own)
        }
        let certificates = TestCertificates(
            caFile: file("ca.pem"),
            serverCertificate: file("server.pem"),
            serverKey: file("server.key"),
            clientCertificate: file("client.pem"),
            clientKey: file("client.key"),
            clientKeyEncrypted: file("client-encrypted.key")
        )
        let password = "pass:\(certificates.keyPassword)"
        let encrypted = ["-out", certificates.clientKeyEncrypted, "-aes256", "-passout", password]
        try await openssl(["ec", "-in", certificates.clientKey] + encrypted)
        return certificates
    }

    private static func openssl(_ arguments: [String]) async throws {
        guard let program = ChildProcess.find("openssl") else {
            throw ChildProcess.Failure(description: "the openssl program is missing")
        }
        try await ChildProcess.run(program, arguments)
    }
}
