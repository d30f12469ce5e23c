import Foundation
import MQTT
import Settings
import TestSupport
import Testing
import Text
import TrilateralApp

/// How verbs find the daemon of this machine.
struct DaemonLocatorTests {
    /// A runtime folder, and daemons that say they run.
    private struct Machine {
        let folder: TemporaryFolder
        let user = UInt32(geteuid())

        var environment: [String: String] {
            ["RUNTIME_DIRECTORY": folder.path("run"), "HOME": folder.path("home")]
        }

        func locator(
            _ environment: [String: String]? = nil,
            user: UInt32? = nil,
            hasService: Bool = false
        ) -> DaemonLocator {
            DaemonLocator(environment ?? self.environment, user: user ?? self.user, hasService: hasService)
        }

        func daemon(_ number: Int32, state: String, node: String, port: Int = 1883) -> RunningDaemonFile {
            var daemon = RunningDaemon(processID: number, stateFolder: folder.path(state), owner: user)
            var loaded = LoadedConfiguration()
            loaded.values.mqtt.port = port
            loaded.values.mqtt.username = "anna"
            loaded.values.mqtt.password = Secret("hunter2")
            daemon.flare = HostAndPort(host: "127.0.0.1", port: 4711)
            daemon.take(loaded, node: node)
            let file = RunningDaemonFile(in: folder.path("run"), daemon)
            file.update { _ in }
            return file
        }
    }

    private func withMachine(_ body: (Machine) throws -> Void) async throws {
        try await withTemporaryFolder { try body(Machine(folder: $0)) }
    }

    @Test func `the only daemon that runs is found, until it ends`() async throws {
        try await withMachine { machine in
            #expect(machine.locator().finding == .none)
            let file = machine.daemon(1, state: "a", node: "hall")
            guard case .one(let found) = machine.locator().finding else {
                Issue.record("not found")
                return
            }
            #expect(found.stateFolder == machine.folder.path("a"))
            #expect(found.node == "hall")
            #expect(found.flare == HostAndPort(host: "127.0.0.1", port: 4711))
            #expect(found.broker["mqtt.username"] == "anna")
            #expect(!machine.folder.read("run/1.json").contains("hunter2"), "secrets are in no file")
            file.remove()
            #expect(machine.locator().finding == .none)
        }
    }

    @Test func `the file of a daemon that was killed counts for nothing, and goes with the next start`()
        async throws
    {
        try await withMachine { machine in
            let file = machine.daemon(1, state: "a", node: "hall")
            let text = machine.folder.read("run/1.json")
            file.remove()
            try machine.folder.write(text, to: "run/1.json")
            try machine.folder.write("{", to: "run/2.json")
            #expect(machine.locator().finding == .none)
            let next = machine.daemon(3, state: "b", node: "hall")
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("run"))
            #expect(names == ["3.json"])
            next.remove()
        }
    }

    @Test func `of several daemons the user must choose, by state folder or by node`() async throws {
        try await withMachine { machine in
            let first = machine.daemon(1, state: "a", node: "hall")
            let second = machine.daemon(2, state: "b", node: "demo", port: 1999)
            guard case .several(let daemons) = machine.locator().finding else {
                Issue.record("not several")
                return
            }
            #expect(daemons.map(\.node) == ["hall", "demo"])
            let question = DaemonLocator.question(daemons, option: "--state")
            #expect(question.contains("--state") && question.contains(machine.folder.path("b")))
            guard case .one(let demo) = machine.locator().finding(node: "demo") else {
                Issue.record("not found by node")
                return
            }
            #expect(demo.broker["mqtt.port"] == "1999")
            #expect(machine.locator().finding(node: "attic") == .none, "which broker it is on, nobody says")
            second.remove()
            guard case .one(let broker) = machine.locator().finding(node: "attic") else {
                Issue.record("another machine's node is asked for on the broker of the daemon here")
                return
            }
            #expect(broker.node == "hall")
            first.remove()
        }
    }

    @Test func `several daemons are grouped by broker, and one daemon is no group`() async throws {
        try await withMachine { machine in
            let first = machine.daemon(1, state: "a", node: "hall")
            #expect(machine.locator().daemonsByBroker(node: nil).isEmpty)
            let second = machine.daemon(2, state: "b", node: "demo", port: 1999)
            let third = machine.daemon(3, state: "c", node: "attic")
            let groups = machine.locator().daemonsByBroker(node: nil)
            #expect(groups.map { $0.map(\.node) } == [["hall", "attic"], ["demo"]])
            #expect(machine.locator().daemonsByBroker(node: "demo").isEmpty, "that one has one broker")
            for file in [first, second, third] { file.remove() }
        }
    }

    @Test func `without a daemon root uses the service's folder, and others their own`() async throws {
        try await withMachine { machine in
            let own = machine.folder.path("home") + "/.local/state/trilateral"
            for (user, hasService, path) in [
                (0, true, "/var/lib/trilateral"), (0, false, own), (1000, true, own), (1000, false, own),
            ] as [(UInt32, Bool, String)] {
                let locator = machine.locator(user: user, hasService: hasService)
                #expect(locator.standardFolder == path)
            }
            let given = ["STATE_DIRECTORY": "/x:/y"]
            #expect(machine.locator(given, user: 0, hasService: true).standardFolder == "/x")
        }
    }

    @Test(
        arguments: [
            (["RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/run/user/7"], 7, "/run/a"),
            (["XDG_RUNTIME_DIR": "/run/user/7"], 7, "/run/user/7/trilateral"),
            (["XDG_RUNTIME_DIR": "/run/user/0"], 0, "/run/trilateral"),
            (["XDG_RUNTIME_DIR": "user"], 7, "/tmp/trilateral-7"),
            ([:], 7, "/tmp/trilateral-7"),
        ] as [([String: String], UInt32, String?)]
    )
    func `a daemon says that it runs in the runtime folder of systemd, or of its user`(
        environment: [String: String],
        user: UInt32,
        folder: String?
    ) {
        #expect(DaemonLocator(environment, user: user, hasService: false).ownFolder == folder)
    }
}

/// Daemons of a user without a session, as on a machine that is reached with su or over a serial line.
struct SessionlessDaemonTests {
    private func withMachine(_ body: (TemporaryFolder, DaemonLocator) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder.path("tmp"),
                withIntermediateDirectories: true
            )
            try body(folder, locator([:], in: folder))
        }
    }

    /// Of a user who is not root, whose daemons the whole machine would find.
    private func locator(_ environment: [String: String], in folder: TemporaryFolder) -> DaemonLocator {
        DaemonLocator(environment, user: 4711, hasService: false, root: folder.path)
    }

    private func isOwned(_ path: String) -> Bool { chown(path, 4711, 4711) == 0 }

    @Test(.enabled(if: geteuid() == 0))
    func `a demo without XDG_RUNTIME_DIR is found, also by a verb that has it`() async throws {
        try await withMachine { folder, locator in
            let place = try #require(locator.ownFolder)
            #expect(place == folder.path("tmp/trilateral-4711"))
            let daemon = RunningDaemon(processID: 1, stateFolder: folder.path("state"), owner: 0)
            let file = RunningDaemonFile(in: place, daemon)
            file.update { _ in }
            #expect(isOwned(place))
            for environment in [[:], ["XDG_RUNTIME_DIR": folder.path("xdg")]] {
                guard case .one(let found) = self.locator(environment, in: folder).finding else {
                    Issue.record("not found with \(environment)")
                    continue
                }
                #expect(found.stateFolder == folder.path("state"))
            }
            file.remove()
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `the session's folder counts without its variable`() async throws
    {
        try await withMachine { folder, _ in
            let session = folder.path("run/user/4711")
            try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
            #expect(locator([:], in: folder).ownFolder == folder.path("tmp/trilateral-4711"), "it is root's")
            #expect(isOwned(session))
            #expect(locator([:], in: folder).ownFolder == session + "/trilateral")
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a folder that somebody else made in /tmp counts for nothing`()
        async throws
    {
        try await withMachine { folder, locator in
            let place = folder.path("tmp/trilateral-4711")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            #expect(locator.ownFolder == nil)
            let other = folder.path("other")
            try FileManager.default.moveItem(atPath: place, toPath: other)
            #expect(isOwned(other))
            #expect(symlink(other, place) == 0)
            #expect(locator.ownFolder == nil)
        }
    }
}

/// What the systemd unit says of the service.
struct ServiceUnitTests {
    private let unit = """
        [Unit]
        User=nobody
        [Service]
        ExecStart=/usr/local/bin/trilateral run --config "/etc/t/a b.yaml"
        DynamicUser=yes
        StateDirectory=trilateral other:alias
        ProtectSystem=strict
        ProtectHome=yes
        #Environment=TRILATERAL_MQTT_HOST=never
        """

    @Test func `user, folders and program come from the unit, and its drop-ins change them`() {
        let plain = ServiceUnit([unit])
        #expect(plain.user == nil && plain.isDynamic && plain.isStrict && plain.hidesHomes)
        #expect(plain.writableFolders == ["/var/lib/trilateral", "/var/lib/other"])
        #expect(plain.configurationFile == "/etc/t/a b.yaml")
        #expect(plain.passwordFile == nil && plain.variables.isEmpty)
        let changed = ServiceUnit([
            unit,
            """
            [Service]
            DynamicUser=no
            User=panel
            SupplementaryGroups=ssl-cert \\
                video
            LoadCredential=mqtt-password:/etc/trilateral/mqtt-password
            Environment=TRILATERAL_MQTT_PASSWORD_FILE=%d/mqtt-password "TRILATERAL_DEVICE_NAME=The panel" TZ=UTC
            ExecStart=
            ExecStart=/usr/bin/trilateral run
            """,
        ])
        #expect(changed.user == "panel" && !changed.isDynamic)
        #expect(changed.supplementaryGroups == ["ssl-cert", "video"])
        #expect(changed.passwordFile == "/etc/trilateral/mqtt-password")
        #expect(changed.variables["TRILATERAL_DEVICE_NAME"] == "The panel" && changed.variables.count == 2)
        #expect(changed.configurationFile == "/etc/trilateral/trilateral.yaml")
    }

    @Test(arguments: [("8192", 8192), ("512:1024", 1024), ("infinity", nil)] as [(String, Int?)])
    func `how many files the service may open comes from the unit`(value: String, files: Int?) {
        #expect(ServiceUnit([unit]).openFiles == nil)
        #expect(ServiceUnit([unit, "[Service]\nLimitNOFILE=\(value)"]).openFiles == files)
    }

    @Test func `check tells that a service may open files for fewer devices than are listed`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.path("t.yaml")
            let nodes = ["anna", "bert", "cleo"].map { "  - {node: \($0), heard_as: [\"phone:\($0)\"]}\n" }
            try ("devices:\n" + nodes.joined()).write(toFile: file, atomically: true, encoding: .utf8)
            func problems(_ files: Int) -> [String] {
                let unit = ServiceUnit([unit, "[Service]\nLimitNOFILE=\(files)"])
                return ConfigurationCheck(file: file, environment: [:], unit: unit).problems
                    .filter { $0.path == "devices" }.map(\.message)
            }
            #expect(
                problems(270) == [
                    "3 devices are listed, and this program may open files for 2: "
                        + "raise LimitNOFILE= of the service, or `ulimit -n`, or list fewer"
                ]
            )
            #expect(problems(300).isEmpty)
        }
    }

    @Test func `the unit of the first folder counts, with the drop-ins of all`() async throws {
        try await withTemporaryFolder { folder in
            let folders = ["etc", "lib"].map { folder.path($0) }
            #expect(ServiceUnit.installed(in: folders) == nil)
            for name in ["etc/trilateral.service.d", "lib/trilateral.service.d"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(name),
                    withIntermediateDirectories: true
                )
            }
            try folder.write("[Service]\nUser=a\n", to: "lib/trilateral.service")
            try folder.write("[Service]\nGroup=b\n", to: "lib/trilateral.service.d/10.conf")
            try folder.write("[Service]\nGroup=c\n", to: "etc/trilateral.service.d/10.conf")
            let unit = ServiceUnit.installed(in: folders)
            #expect(unit?.user == "a" && unit?.group == "c")
        }
    }
}

/// What the user of the service may do with files.
struct ServiceAccessTests {
    @Test func `owner, group and mode decide, of the folders too`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("x", to: "file")
            #expect(chmod(folder.path, 0o711) == 0 && chmod(folder.path("file"), 0o640) == 0)
            let unit = ServiceUnit(["[Service]\nUser=nobody\n"])
            let (mine, group) = (UInt32(geteuid()), UInt32(getegid()))
            func problem(_ user: UInt32, _ groups: Set<UInt32> = []) -> String? {
                ServiceAccess(unit, user: user, groups: groups).problem(reading: folder.path("file"))
            }
            #expect(problem(mine) == nil)
            #expect(problem(54321, [group]) == nil, "a key of group ssl-cert, for a service in that group")
            #expect(problem(54321)?.contains("may not be read by it") == true)
            #expect(problem(54321)?.contains("640") == true)
            #expect(chmod(folder.path, 0o700) == 0)
            #expect(problem(54321, [group])?.contains("\(folder.path) is closed") == true)
            let missing = ServiceAccess(unit, user: mine).problem(reading: folder.path("nothing"))
            #expect(missing == "does not exist")
            let log = ServiceAccess(unit, user: 54321).problem(writing: folder.path("log"))
            #expect(log?.contains("cannot be made") == true || log?.contains("cannot be reached") == true)
            #expect(ServiceAccess(unit, user: mine).problem(writing: folder.path("log")) == nil)
        }
    }

    @Test func `the folders of the unit may be written, and homes are hidden`() {
        let access = ServiceAccess(
            ServiceUnit([
                "[Service]\nDynamicUser=yes\nLogsDirectory=trilateral\nProtectSystem=strict\nProtectHome=yes\n"
            ]),
            user: 54321
        )
        #expect(access.problem(writing: "/var/log/trilateral/trilateral.log") == nil)
        #expect(access.problem(writing: "/var/log/private/trilateral/trilateral.log") == nil)
        #expect(access.problem(writing: "/var/log/trilateral.log")?.contains("read-only") == true)
        #expect(access.problem(reading: "/home/anna/key.pem")?.contains("ProtectHome") == true)
    }
}
