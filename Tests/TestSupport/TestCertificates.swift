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
    ///
    /// - Parameters:
    ///   - expired: The server's was valid until 2 January 2020.
    ///   - isRSA: Whether the keys are RSA, not of an elliptic curve.
    package static func make(
        in folder: TemporaryFolder,
        name: String = "ca",
        expired: Bool = false,
        isRSA: Bool = false
    ) async throws -> TestCertificates {
        let file = { (part: String) in folder.path("\(name)-\(part)") }
        let kind = isRSA ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        let key = ["-newkey"] + kind + ["-noenc", "-days", "2"]
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
        if expired { try await expire(file, in: folder) }
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
        try await openssl([isRSA ? "rsa" : "ec", "-in", certificates.clientKey] + encrypted)
        return certificates
    }

    /// Signs the server's certificate again, for a time that is over.
    private static func expire(_ file: (String) -> String, in folder: TemporaryFolder) async throws {
        try folder.write("", to: "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = own
            [own]
            database = \(folder.path("index.txt"))
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = supplied
            """,
            to: "ca.conf"
        )
        let names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        try await openssl(["req", "-new", "-key", file("server.key"), "-out", file("server.csr")] + names)
        let time = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
        let files = ["-cert", file("ca.pem"), "-keyfile", file("ca.key"), "-in", file("server.csr")]
        let output = ["-out", file("server.pem"), "-notext", "-batch"]
        try await openssl(["ca", "-config", folder.path("ca.conf")] + time + files + output)
    }

    private static func openssl(_ arguments: [String]) async throws {
        guard let program = ChildProcess.find("openssl") else {
            throw ChildProcess.Failure(description: "the openssl program is missing")
        }
        try await ChildProcess.run(program, arguments)
    }
}
