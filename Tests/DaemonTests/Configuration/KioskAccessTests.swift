import Daemon
import Foundation
import Settings
import TestSupport
import Testing

/// The keys of `web` that say who may use it.
@Suite
struct KioskAccessTests {
    private func errors(_ yaml: String) throws -> [String] {
        let folder = try ScratchFolder()
        let file = try folder.write("c.yaml", yaml)
        do throws(ConfigurationErrors) {
            _ = try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
            return []
        } catch {
            return error.problems.map { "\($0.path): \($0.message)" }
        }
    }

    @Test(arguments: ["127.0.0.1:0", "127.1.2.3:80", "localhost:8080", "[::1]:8080", "null"])
    func `an address of this machine only needs no password`(address: String) throws {
        let value = address == "null" ? address : "\"\(address)\""
        #expect(try errors("web: {listen: \(value)}") == [])
    }

    @Test(arguments: ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:8080", "panel.local:8080"])
    func `another address needs a password, or the word that none is wanted`(address: String) throws {
        let found = try errors("web: {listen: \"\(address)\"}")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("web.listen: can be reached from other machines: set web.password_file")
                == true
        )
        #expect(try errors("web: {listen: \"\(address)\", open: true}") == [])
        #expect(try errors("web: {listen: \"\(address)\", password_file: /p}") == [])
    }

    @Test func `a password and an open listener contradict each other`() throws {
        #expect(
            try errors("web: {open: true, password_file: /p}")
                == ["web.open: set either this or web.password_file, not both"]
        )
    }

    @Test func `a certificate needs its key, and a key its certificate`() throws {
        #expect(
            try errors("web: {tls: {certificate_file: /c}}")
                == ["web.tls.certificate_file: needs web.tls.key_file as well"]
        )
        #expect(
            try errors("web: {tls: {key_file: /k}}")
                == ["web.tls.key_file: needs web.tls.certificate_file as well"]
        )
    }

    /// Problems and warnings of the files that the configuration names.
    private func findings(_ yaml: String) throws -> (problems: [String], warnings: [String]) {
        let folder = try ScratchFolder()
        let file = try folder.write("c.yaml", yaml)
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        let files = ReferencedFiles(loaded, schema: .program)
        func text(_ error: ConfigurationError) -> String { "\(error.path): \(error.message)" }
        return (files.problems.map(text), files.warnings.map(text))
    }

    @Test(
        arguments: [
            ("secret\n", nil), ("sécret 🔑", nil), ("", "is empty"), ("\n", "is empty"),
            ("one\ntwo\n", "holds more than one line; only the password belongs there"),
            (String(repeating: "a", count: 1025), "holds a password of more than 1024 bytes"),
        ] as [(String, String?)]
    )
    func `the password file holds one line`(text: String, problem: String?) throws {
        let folder = try ScratchFolder()
        let file = try folder.write("password", text)
        let found = try findings("web: {password_file: \(file)}")
        #expect(found.problems == (problem.map { ["web.password_file: \($0)"] } ?? []))
        #expect(found.warnings == [])
    }

    @Test func `a password that others can read is a warning`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write("password", "secret", mode: 0o644)
        let found = try findings("web: {password_file: \(file)}")
        #expect(found.problems == [])
        #expect(
            found.warnings == [
                "web.password_file: everybody on this machine can read \(file); run: chmod 600 \(file)"
            ]
        )
    }

    @Test func `a missing password file and a certificate without its key are problems`() async throws {
        try await withTemporaryFolder { folder in
            let made = try await TestCertificates.make(in: folder)
            let found = try findings(
                """
                web:
                  password_file: /nowhere/password
                  tls: {certificate_file: \(made.serverCertificate), key_file: \(made.clientKey)}
                """
            )
            #expect(
                found.problems == [
                    "web.password_file: cannot be read: No such file or directory",
                    "web.tls.certificate_file: the key in \(made.clientKey) does not belong to the certificate in \(made.serverCertificate)",
                ]
            )
        }
    }

    @Test func `the password is not printed`() throws {
        let folder = try ScratchFolder()
        let password = try folder.write("password", "very secret")
        let file = try folder.write("c.yaml", "web: {password_file: \(password)}")
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        #expect(!ConfigurationPrinter.text(loaded, schema: .program).contains("very secret"))
    }
}
