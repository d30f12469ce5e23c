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

    @Test(arguments: [
        ("127.0.0.1/32", true), ("127.0.9.0/24", true), ("\"::1/128\"", true), ("192.168.0.7/32", false),
    ])
    func `a trusted proxy on this machine is a hint, and no warning`(network: String, isHint: Bool)
        async throws
    {
        try await withTemporaryFolder { folder in
            let end = try await check("web: {proxies: [\(network)]}", in: folder)
            #expect(end.status == 0 && end.output.hasSuffix(": no problems\n"), "\(end.output)")
            let words = "is this machine: every program on it can choose the address"
            #expect(end.output.contains(words) == isHint, "\(end.output)")
        }
    }

    @Test func `a folder that no backup can be made in is a warning`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "file")
            let end = try await check("backup: {folder: file}", in: folder)
            #expect(end.status == 0, "\(end.output)")
            #expect(end.output.contains("backup.folder: no backups can be made"), "\(end.output)")
            #expect(end.output.contains("is not a folder"), "\(end.output)")
            let none = try await check("backup: {folder: file, every_hours: 0}", in: folder)
            #expect(none.output.hasSuffix(": no problems\n"), "\(none.output)")
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

    @Test(arguments: [
        (
            "web: {listen: \"127.0.0.1:1234\"}\nflare: {server: {listen: \"0.0.0.0:1234\"}}",
            "web.listen: must not be the address of flare.server.listen"
        ),
        (
            "web: {listen: \"localhost:8128\"}\nresolver: {enabled: true}",
            "resolver.listen: must not have the address of web.listen"
        ),
        (
            "resolver: {enabled: true, listen: [\"127.0.0.1:81\", \"127.0.0.1:81\"]}",
            "resolver.listen: has the same address twice"
        ),
        ("people: {proxy: {header: User-Agent}}", "people.proxy.header: must be"),
        ("people: {proxy: {header: X-Forwarded-For}}", "people.proxy.header: must be"),
        ("sensors: {gps: {gpsd: \"localhost:0\"}}", "sensors.gps.gpsd: must be"),
        ("sensors: {espresense: {device: \"AA:BB:CC:DD:EE:FF\"}}", "sensors.espresense.device: must be"),
        (
            "sensors: {espresense: {device: \"iBeacon:F7826DA6-4FA2-4E98-8024-BC5B71E0893E-1-2\"}}",
            "sensors.espresense.device: must be"
        ),
        ("sensors: {espresense: {device: \"irk:12\"}}", "sensors.espresense.device: must be"),
        ("sensors: {beacons: {uuid: f7826da64fa24e98}}", "sensors.beacons.uuid: must be"),
        ("people: {acl_file: /proc/nothing/acl}", "people.acl_file: /proc/nothing/acl cannot be written"),
    ])
    func `what can never work is refused`(yaml: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            // A variable of the tests' own would count before the file.
            try folder.write(yaml, to: "trilateral.yaml")
            let end = try await Program.run(
                ["check", "--config", folder.path("trilateral.yaml")],
                in: folder,
                shell: "unset TRILATERAL_WEB_LISTEN TRILATERAL_SENSORS_GPS_GPSD"
            )
            #expect(end.status == 78 && end.output.contains(words), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("web: {listen: \"127.0.0.1:1234\"}\nflare: {server: {enabled: false}}"),
        ("web: {listen: \"127.0.0.1:1234\"}\nflare: {server: {listen: \"192.0.2.1:1234\"}}"),
        ("people: {proxy: {header: X-Forwarded-User, networks: [192.0.2.7/32]}}"),
        ("mqtt: {response_topics: [\"replies/+/x\", \"trilateralx/#\"]}"),
        ("sensors: {espresense: {device: \"phone:anna\"}}"),
        ("sensors: {espresense: {device: \"iBeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e-1-65535\"}}"),
    ])
    func `what is only like it is legal`(yaml: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                ["check", "--config", folder.path("trilateral.yaml")],
                in: folder,
                shell: "unset TRILATERAL_WEB_LISTEN; echo '\(yaml)' > \(folder.path("trilateral.yaml"))"
            )
            #expect(end.status == 0 && !end.output.contains("warning"), "\(end.output)")
        }
    }

    @Test(arguments: [
        (
            "people: {proxy: {header: Remote-User, networks: [0.0.0.0/0]}}", "people.proxy.networks",
            "0.0.0.0/0 is everybody"
        ),
        (
            "people: {proxy: {header: Remote-User, networks: [\"::/0\"]}}", "people.proxy.networks",
            "::/0 is everybody"
        ),
        ("flare: {server: {trusted_networks: [0.0.0.0/0]}}", "flare.server.trusted_networks", "is everybody"),
        (
            "flare: {server: {access: open, listen: \"0.0.0.0:1234\"}}", "flare.server.access",
            "lets everybody who can reach 0.0.0.0:1234"
        ),
        ("resolver: {enabled: true, update_from: [0.0.0.0/0]}", "resolver.update_from", "is everybody"),
        ("web: {proxies: [0.0.0.0/0]}", "web.proxies", "0.0.0.0/0 is everybody"),
        ("people: {proxy: {header: Remote-User}}", "people.proxy.header", "every program on this machine"),
        (
            "people: {proxy: {header: Remote-User, networks: [192.0.2.7/32, 127.0.0.1/32]}}",
            "people.proxy.header", "has 127.0.0.1/32, and sign in as anybody"
        ),
    ])
    func `what lets everybody in is warned of`(yaml: String, key: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await check(yaml, in: folder)
            #expect(end.status == 0, "\(end.output)")
            let line = end.output.split(separator: "\n").first {
                $0.contains("warning: ") && $0.contains(key)
            }
            #expect(line?.contains(words) == true, "\(end.output)")
            #expect(end.output.hasSuffix(", 1 warning\n"), "\(end.output)")
        }
    }

    @Test(arguments: [
        (
            "web: {listen: \"0.0.0.0:8080\", open: true}",
            "reach 0.0.0.0:8080 use the page and the API as owner"
        ),
        ("web: {listen: \"[::]:8080\", open: true}\npeople: {owner: ann}", "the API as ann; "),
        ("web: {listen: \"127.0.0.1:8080\", open: true}", nil),
        ("web: {listen: \"0.0.0.0:8080\", open: true}\npeople: {kiosk_user: none}", nil),
    ])
    func `a page that is open to other machines is warned of`(yaml: String, words: String?) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                ["check", "--config", folder.path("trilateral.yaml")],
                in: folder,
                shell: "unset TRILATERAL_WEB_LISTEN; echo '\(yaml)' > \(folder.path("trilateral.yaml"))"
            )
            #expect(end.status == 0, "\(end.output)")
            #expect(end.output.contains("web.open: lets everybody") == (words != nil), "\(end.output)")
            if let words { #expect(end.output.contains(words), "\(end.output)") }
        }
    }

    @Test(arguments: [
        ("mqtt: {response_topics: [\"replies/#\", \"trilateral/#\"]}", "below trilateral (mqtt.base)"),
        ("mqtt: {base: a/b, response_topics: [\"a/+/x/#\"]}", "below a/b (mqtt.base)"),
        ("mqtt: {response_topics: [\"homeassistant/x\"]}", "below homeassistant (discovery.prefix)"),
        ("people: {kiosk_user: bob}", "without a token; add the user, or correct the name"),
    ])
    func `what has no effect is warned of`(yaml: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await check(yaml, in: folder)
            #expect(end.status == 0 && end.output.contains(words), "\(end.output)")
            #expect(end.output.hasSuffix(", 1 warning\n"), "\(end.output)")
        }
    }

    @Test func `users are looked up in the state folder, which stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            let add = try await Program.run(["user", "add", "bob"], in: folder)
            #expect(add.status == 0, "\(add.output)")
            let good = try await check("people: {kiosk_user: bob}", in: folder)
            #expect(good.output.hasSuffix(": no problems\n"), "\(good.output)")
            let off = try await Program.run(["user", "off", "bob"], in: folder)
            #expect(off.status == 0, "\(off.output)")
            let bad = try await check("people: {kiosk_user: bob, mqtt_user: eve}", in: folder)
            #expect(bad.output.contains("who is switched off"), "\(bad.output)")
            #expect(bad.output.hasSuffix(", 2 warnings\n"), "\(bad.output)")
        }
    }

    @Test func `all problems come at once, those of files among them`() async throws {
        try await withTemporaryFolder { folder in
            let yaml = """
                mqtt: {username: u, password_file: nothing, port: 70000, tls: {enabled: true, ca_file: nothing}}
                web: {password_file: nothing}
                log: {file: nothing/log, level: loud}
                """
            let end = try await check(yaml, in: folder)
            #expect(end.status == 78)
            for key in [
                "mqtt.password_file", "mqtt.port", "mqtt.tls.ca_file", "web.password_file", "log.file",
                "log.level",
            ] {
                #expect(end.output.contains(" \(key): "), "\(key): \(end.output)")
            }
        }
    }

    @Test(arguments: ["unset HOME", "export HOME=", "export HOME=here"])
    func `a missing home is warned of, and makes no files elsewhere`(shell: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["check"], in: folder, shell: shell)
            #expect(end.status == 0 && end.output.contains("warning: HOME "), "\(end.output)")
            #expect(!end.output.contains(" /.local"), "\(end.output)")
            let named = try await Program.run(
                ["check"],
                in: folder,
                shell: "\(shell); export STATE_DIRECTORY=/var/lib/x"
            )
            #expect(!named.output.contains("HOME"), "\(named.output)")
        }
    }

    @Test func `files are judged for the user of the service`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("secret\n", to: "password")
            #expect(chmod(folder.path("password"), 0o600) == 0)
            let yaml = """
                mqtt: {username: u, password_file: password}
                log: {file: trilateral.log}
                """
            let own = try await check(yaml, in: folder)
            #expect(own.status == 0, "\(own.output)")
            let service = try await check(yaml, in: folder, ["--as-service"])
            #expect(service.status == 78, "\(service.output)")
            #expect(service.output.contains("mqtt.password_file: "), "\(service.output)")
            #expect(
                service.output.contains("for the service's user: cannot be reached by it"),
                "\(service.output)"
            )
            #expect(service.output.contains("LoadCredential"), "\(service.output)")
            #expect(service.output.contains("log.file: "), "\(service.output)")
            #expect(service.output.contains("ProtectSystem=strict"), "\(service.output)")
            let good = try await check("log: {file: /var/lib/trilateral/log}", in: folder, ["--as-service"])
            #expect(good.status == 0, "\(good.output)")
        }
    }
}
