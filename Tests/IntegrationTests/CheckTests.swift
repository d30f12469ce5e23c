import Foundation
import TestSupport
import Testing

/// `check`: what it reads and what it looks at.
@Suite(.timeLimit(.minutes(1))) struct CheckTests {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
    private static let key = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n"

    private func check(
        _ yaml: String,
        in folder: TemporaryFolder,
        _ more: [String] = []
    ) async throws -> Program.End {
        try folder.write(yaml, to: "trilateral.yaml")
        return try await Program.run(
            ["check", "--config", folder.path("trilateral.yaml")] + more,
            in: folder
        )
    }

    @Test func `a good file is named, and said to be without problems`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await check("mqtt: {port: 1884}", in: folder)
            #expect(end.status == 0)
            #expect(end.output == "\(folder.path("trilateral.yaml")): no problems\n")
            let none = try await Program.run(["check"], in: folder)
            #expect(none.status == 0 && none.output.hasPrefix("no configuration file"), "\(none.output)")
        }
    }

    @Test func `files that it names and that are good are no problem`() async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in [
                ("ca.pem", Self.certificate), ("own.pem", Self.certificate), ("key.pem", Self.key),
            ] {
                try folder.write(text, to: name)
                #expect(chmod(folder.path(name), 0o600) == 0)
            }
            let yaml = """
                mqtt:
                  tls: {enabled: true, ca_file: ca.pem, certificate_file: own.pem, key_file: key.pem}
                """
            let good = try await check(yaml, in: folder)
            #expect(good.status == 0 && good.output.hasSuffix(": no problems\n"), "\(good.output)")
            #expect(chmod(folder.path("key.pem"), 0o644) == 0)
            let open = try await check(yaml, in: folder)
            #expect(open.status == 0 && open.output.contains("chmod 600"), "\(open.output)")
            #expect(open.output.hasSuffix(": no problems, 1 warning\n"), "\(open.output)")
        }
    }

    @Test(arguments: [
        (
            "mqtt: {tls: {enabled: true, ca_file: nothing.pem}}", "mqtt.tls.ca_file",
            "nothing.pem cannot be read"
        ),
        ("mqtt: {tls: {enabled: true, ca_file: .}}", "mqtt.tls.ca_file", "is a folder"),
        ("mqtt: {tls: {enabled: true, ca_file: letter}}", "mqtt.tls.ca_file", "holds no certificate"),
        (
            "mqtt: {tls: {enabled: true, certificate_file: ca.pem, key_file: ca.pem}}", "mqtt.tls.key_file",
            "holds no private key"
        ),
        (
            "mqtt: {tls: {enabled: true, certificate_file: ca.pem, key_file: locked.pem}}",
            "mqtt.tls.key_file", "is encrypted"
        ),
        ("sensors: {replay: {file: nothing.trace}}", "sensors.replay.file", "nothing.trace"),
        ("sensors: {replay: {file: letter}}", "sensors.replay.file", "letter"),
        ("mqtt: {password_file: nothing}", "mqtt.password_file", "cannot be read"),
    ])
    func `a file that is missing or of another kind is named with its key`(
        yaml: String,
        key: String,
        words: String
    ) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("Dear reader,\n", to: "letter")
            try folder.write(Self.certificate, to: "ca.pem")
            try folder.write(Self.key.replacing("PRIVATE", with: "ENCRYPTED PRIVATE"), to: "locked.pem")
            let end = try await check(yaml, in: folder)
            #expect(end.status == 78)
            #expect(end.output.contains("trilateral.yaml:1:") && end.output.contains(key), "\(end.output)")
            #expect(end.output.contains(words), "\(end.output)")
        }
    }

    @Test func `what is printed is a configuration, the verdict stands elsewhere`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                ["check", "--print"],
                in: folder,
                shell: "exec 2>\(folder.path("errors"))"
            )
            #expect(end.status == 0 && end.output.contains("mqtt:") && !end.output.contains("no problems"))
            #expect(folder.read("errors").contains("no problems"))
        }
    }

    @Test func `a registered station may have an authority of its own`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.certificate, to: "ca.pem")
            let yaml = "flare: {mode: remote, remote: {serial: shop, ca_file: ca.pem}}"
            let end = try await check(yaml, in: folder)
            #expect(end.status == 0 && end.output.hasSuffix(": no problems\n"), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("127.0.0.1:1234", true), ("localhost:1234", true), ("\"[::1]:1234\"", true), ("0.0.0.0:1234", false),
        ("192.0.2.7:1234", false),
    ])
    func `an announced station whose server others cannot reach is a warning`(
        listen: String,
        isWarned: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let server = "flare: {server: {listen: \(listen)}}"
            let end = try await check("station: {announce: \"directory:8128\"}\n\(server)", in: folder)
            let isFound = end.output.contains("warning:") && end.output.contains("set flare.server.listen")
            #expect(end.status == 0 && isFound == isWarned, "\(end.output)")
            #expect(end.output.hasSuffix(isWarned ? ", 1 warning\n" : ": no problems\n"), "\(end.output)")
            let off = try await check(
                "station: {announce: \"directory:8128\"}\nflare: {server: {enabled: false}}",
                in: folder
            )
            let silent = try await check(server, in: folder)
            for end in [off, silent] {
                #expect(end.status == 0 && end.output.hasSuffix(": no problems\n"), "\(end.output)")
            }
        }
    }

    @Test(arguments: [
        (
            "station: {announce: \"directory:0\"}",
            "trilateral.yaml:1:11: station.announce: needs the resolver's port"
        ),
        ("resolver: {enabled: true, listen: []}", "trilateral.yaml:1:27: resolver.listen: needs an address"),
    ])
    func `a directory that cannot work is refused, by the daemon too`(yaml: String, words: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let end = try await check(yaml, in: folder)
            #expect(end.status == 78 && end.output.contains(words), "\(end.output)")
            let run = try await Program.run(
                ["run", "--config", folder.path("trilateral.yaml"), "--state", folder.path("state")],
                in: folder
            )
            #expect(run.status == 78 && run.output.contains(words), "\(run.output)")
            let off = try await check("resolver: {listen: []}", in: folder)
            #expect(off.status == 0, "\(off.output)")
        }
    }
}
