import Daemon
import Databases
import Foundation
import JSON
import MQTT
import OperatingSystem
import Settings
import TestSupport
import Testing
import TrilateralApp

/// Set-ups that are broken: each is named by its check, with what to do.
struct BrokenSetupTests {
    private func expectProblem(
        _ verdicts: [DoctorVerdict],
        by check: String,
        _ words: String,
        advice: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = verdicts.first { $0.level == .problem }
        #expect(found?.check == check, sourceLocation: sourceLocation)
        #expect(found?.text.contains(words) == true, "\(verdicts)", sourceLocation: sourceLocation)
        #expect(found?.advice?.contains(advice) == true, "\(verdicts)", sourceLocation: sourceLocation)
        #expect(!DoctorReport(verdicts).isWell, sourceLocation: sourceLocation)
    }

    @Test func `a state folder of another user than the daemon's is a problem of rights`() {
        var facts = FolderFacts()
        facts.path = "/var/lib/trilateral"
        facts.folder = .init(facts.path, owner: 0, permissions: 0o700, isFolder: true)
        facts.daemonOwner = 990
        facts.name = { $0 == 990 ? "trilateral" : "root" }
        expectProblem(facts.verdicts, by: "rights", "is root's", advice: "chown -R trilateral")
    }

    @Test func `a database that root made in the folder of another user is a problem of rights`() {
        var facts = FolderFacts()
        facts.path = "/s"
        facts.folder = .init("/s", owner: 990, permissions: 0o700, isFolder: true)
        facts.files = [.init("/s/flare.db", owner: 0, permissions: 0o600)]
        expectProblem(facts.verdicts, by: "rights", "/s/flare.db is 0's", advice: "chown -R 990 /s")
    }

    @Test func `a configuration that everybody can change is a problem of rights`() {
        var facts = FolderFacts()
        facts.configuration = .init("/etc/t.yaml", owner: 0, permissions: 0o666)
        expectProblem(facts.verdicts, by: "rights", "can change /etc/t.yaml", advice: "chmod o-w")
    }

    @Test func `a full disk, one without inodes and a read-only one are problems of the disk`() {
        var facts = DiskFacts()
        facts.path = "/s"
        facts.space = FileSystemSpace(
            freeBytes: 4096,
            totalBytes: 1 << 33,
            freeFiles: 10_000,
            totalFiles: 20_000
        )
        expectProblem(facts.verdicts, by: "disk", "4 kB are left", advice: "make room")
        facts.space = FileSystemSpace(
            freeBytes: 1 << 32,
            totalBytes: 1 << 33,
            freeFiles: 0,
            totalFiles: 20_000
        )
        expectProblem(facts.verdicts, by: "disk", "0 files (inodes)", advice: "df -i")
        facts.space?.isReadOnly = true
        expectProblem(facts.verdicts, by: "disk", "read-only", advice: "mount it")
        // A file system without a limit of files has none to run out of.
        facts.space = FileSystemSpace(freeBytes: 1 << 32, totalBytes: 1 << 33, freeFiles: 0, totalFiles: 0)
        #expect(facts.verdicts.map(\.level) == [.ok])
    }

    @Test func `a blocked radio is a problem of rfkill, and who blocks it decides what to do`() throws {
        let scratch = try ScratchFolder()
        for (name, values) in [
            ("rfkill0", ["type": "wlan", "name": "phy0", "soft": "1", "hard": "0"]),
            ("rfkill1", ["type": "bluetooth", "name": "hci0", "soft": "1", "hard": "0"]),
        ] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(name)",
                withIntermediateDirectories: true
            )
            for (attribute, value) in values {
                _ = try scratch.write("\(name)/\(attribute)", value + "\n")
            }
        }
        var facts = RFKillFacts.gathered(isWanted: true, folder: scratch.path)
        expectProblem(facts.verdicts, by: "rfkill", "hci0 is blocked", advice: "rfkill unblock bluetooth")
        facts.radios = [.init("hci0", hard: true)]
        expectProblem(facts.verdicts, by: "rfkill", "a switch of this machine blocks hci0", advice: "switch")
        #expect(RFKillFacts.gathered(isWanted: false, folder: scratch.path).verdicts == [])
    }

    @Test func `a missing adapter, and one that the daemon may not use, are problems of Bluetooth`() {
        var facts = BluetoothFacts()
        facts.choice = "hci3"
        facts.others = ["hci0 (00:11:22:33:44:55)"]
        expectProblem(facts.verdicts, by: "bluetooth", "no adapter hci3; there are: hci0", advice: "adapter")
        facts.adapters = [("hci0", true)]
        facts.capabilities = 0
        expectProblem(facts.verdicts, by: "bluetooth", "lacks the capability CAP_NET_RAW", advice: "Ambient")
        facts.capabilities = 1 << 12 | 1 << 13
        #expect(facts.verdicts.map(\.level) == [.ok])
    }

    @Test func `no adapter is a warning where none is named: others may hear the beacons`() {
        var facts = BluetoothFacts()
        facts.isNamed = false
        #expect(facts.verdicts.map(\.level) == [.warning])
        #expect(facts.verdicts.first?.text.contains("has no adapter") == true)
        facts.problem = "Address family not supported by protocol"
        #expect(facts.verdicts.map(\.level) == [.warning])
        facts.isNamed = true
        expectProblem(facts.verdicts, by: "bluetooth", "Address family", advice: "adapter: none")
    }

    @Test(
        arguments: [
            (.unreachable(address: "b:1", reason: "refused"), "cannot reach", "start the broker"),
            (.notAuthorised(user: "anna", address: "b:1", code: 5), "refuses user \"anna\"", "mqtt.username"),
            (.tls(address: "b:1", reason: "expired"), "no TLS", "certificate"),
        ] as [(MQTTError, String, String)]
    )
    func `a broker that cannot be used is a problem of the broker`(
        error: MQTTError,
        words: String,
        advice: String
    ) {
        var facts = BrokerFacts()
        facts.link = .failed(error)
        expectProblem(facts.verdicts, by: "broker", words, advice: advice)
    }

    @Test func `a broker without retained messages or rights is a problem, lesser limits are warnings`() {
        var facts = BrokerFacts()
        facts.link = .up(MQTTSession(version: .v5, hasRetained: false), milliseconds: 1)
        expectProblem(facts.verdicts, by: "broker", "no retained messages", advice: "retain_available")
        facts.link = .up(MQTTSession(version: .v5, refusedFilters: ["t/n/alert/+"]), milliseconds: 1)
        expectProblem(facts.verdicts, by: "broker", "t/n/alert/+", advice: "trilateral acl")
        facts.link = .up(
            MQTTSession(version: .v5, maximumQoS: .atMostOnce, maximumPacketSize: 4096),
            milliseconds: 1
        )
        #expect(facts.verdicts.map(\.level) == [.ok, .warning, .warning])
        #expect(facts.verdicts.last?.text.contains("4096 bytes") == true)
    }

    @Test(arguments: [("set_tcp_nodelay true\n", true), ("#set_tcp_nodelay true\nlistener 1883\n", false)])
    func `a mosquitto that holds small messages back is a hint`(text: String, isGood: Bool) {
        var facts = BrokerFacts()
        facts.link = .up(MQTTSession(version: .v5), milliseconds: 1)
        facts.mosquitto = text
        #expect(facts.verdicts.map(\.level) == (isGood ? [.ok] : [.ok, .hint]))
    }

    @Test func `the command line of a mosquitto says which configuration it has`() throws {
        let scratch = try ScratchFolder()
        let more = scratch.path + "/more.d"
        try FileManager.default.createDirectory(atPath: more, withIntermediateDirectories: true)
        _ = try scratch.write("more.d/b.conf", "set_tcp_nodelay true\n")
        _ = try scratch.write("more.d/README", "max_qos 1\n")
        let main = try scratch.write("m.conf", "listener 1883\ninclude_dir \(more)\n")
        let read = LocalMosquitto.configuration(arguments: ["mosquitto", "-c", "m.conf"], in: scratch.path)
        #expect(read?.contains("listener 1883") == true && read?.contains("set_tcp_nodelay true") == true)
        #expect(read?.contains("max_qos") == false)
        #expect(
            LocalMosquitto.configuration(arguments: ["/usr/sbin/mosquitto", "-v", "-c", main], in: nil)
                == read
        )
        // Of a folder that is not known nothing is said.
        #expect(LocalMosquitto.configuration(arguments: ["mosquitto", "-c", "m.conf"], in: nil) == nil)
        // Without a file there are its defaults.
        #expect(LocalMosquitto.configuration(arguments: ["mosquitto", "-p", "1884"], in: scratch.path) == "")
    }

    @Test func `a Flare server that does not answer is a problem of the server`() {
        var facts = ServerFacts()
        facts.finding = .failed("the Flare server at far:1234 cannot be reached")
        expectProblem(facts.verdicts, by: "server", "far:1234", advice: "flare.remote.url")
    }

    @Test func `a clock in 1970 is a problem, and one that nothing keeps right a warning`() {
        var facts = ClockFacts()
        facts.year = 1970
        expectProblem(facts.verdicts, by: "clock", "1970", advice: "timedatectl")
        (facts.year, facts.isSynchronised) = (2026, false)
        #expect(facts.verdicts.map(\.level) == [.warning])
    }

    @Test func `a port of another program is a problem of the ports, the daemon's own is none`() throws {
        let listener = try LoopbackSocket.listening()
        let address = HostAndPort(host: "127.0.0.1", port: listener.port)
        let finding = ListeningPort.finding(host: address.host, port: address.port)
        #expect(finding == .taken)
        let sockets = ListeningPort.sockets(on: address.port)
        #expect(ProcessTable.sockets(of: getpid())?.isDisjoint(with: sockets) == false)
        var facts = PortFacts()
        facts.listeners = [.init("web.listen", address, finding, isOurs: false, other: "nginx (process 7)")]
        expectProblem(facts.verdicts, by: "ports", "nginx (process 7) listens on", advice: "web.listen")
        facts.isRunning = true
        facts.listeners = [.init("web.listen", address, finding, isOurs: true)]
        #expect(facts.verdicts.map(\.level) == [.ok])
        withExtendedLifetime(listener) {}
    }

    @Test func `an address of no interface cannot be listened on`() {
        // Source: RFC 5737, addresses for documentation.
        guard case .impossible(let reason) = ListeningPort.finding(host: "192.0.2.1", port: 18_080) else {
            Issue.record("it could be listened on")
            return
        }
        var facts = PortFacts()
        let address = HostAndPort(host: "192.0.2.1", port: 18_080)
        facts.listeners = [.init("web.listen", address, .impossible(reason))]
        expectProblem(facts.verdicts, by: "ports", "nobody can listen", advice: "an address of this machine")
    }

    @Test func `a configuration with mistakes is a problem of the configuration, line by line`() {
        var facts = ConfigurationFacts()
        facts.file = "t.yaml"
        facts.problems = (1...30).map { "t.yaml:\($0):1: mqtt.port: must be 1 to 65535" }
        expectProblem(facts.verdicts, by: "configuration", "t.yaml:1:1", advice: "trilateral check")
        #expect(facts.verdicts.count == 21 && facts.verdicts.last?.text.hasPrefix("10 more") == true)
    }

    @Test func `a service that does not run is a problem of the daemon`() {
        var facts = DaemonFacts()
        facts.isServiceInstalled = true
        expectProblem(facts.verdicts, by: "daemon", "no daemon runs", advice: "systemctl status trilateral")
        facts.daemon = .init(processID: 1, node: "n", stateFolder: "/s", isOutdated: true)
        #expect(facts.verdicts.map(\.level) == [.warning])
        facts.daemon = .init(processID: 7, node: "n", stateFolder: "/s", isStopped: true)
        expectProblem(facts.verdicts, by: "daemon", "is stopped", advice: "kill -CONT 7")
    }

    @Test func `what to do about a damaged or missing database depends on its backups`() {
        var facts = DatabaseFacts()
        facts.found = [(.flare, .damaged("Page 4", nil))]
        expectProblem(facts.verdicts, by: "databases", "is damaged: Page 4", advice: "has no backup of it")
        let backup = Backup(path: "/b/trilateral-1", made: 0, program: "1.0.0", files: [])
        facts.found = [(.flare, .damaged("Page 4", backup))]
        expectProblem(facts.verdicts, by: "databases", "is damaged", advice: "restore /b/trilateral-1")
        facts.found = [(.flare, .closed), (.daemon, .closed)]
        #expect(facts.verdicts.map(\.text) == ["this user may not look at flare.db, trilateral.db"])
        facts.found = [(.flare, .missing(backup))]
        #expect(facts.verdicts.map(\.level) == [.warning])
        #expect(facts.verdicts.first?.advice?.contains("puts it back") == true)
    }

    @Test func `a damaged place is a problem of the place, as import would say it`() {
        var facts = PlaceFacts()
        let zone: JSONValue = ["name": "Hall", "perimeter": "none"]
        let model: JSONValue = ["environments": [["name": "Flat", "zones": [zone]]]]
        facts.finding = .stored(model.bytes, profiles: nil)
        expectProblem(facts.verdicts, by: "place", "perimeter", advice: "trilateral export")
        #expect(
            facts.verdicts.allSatisfy { !$0.text.hasPrefix("error: ") && !$0.text.hasPrefix("warning: ") }
        )
        facts.finding = .stored(Array(#"{"environments":[]}"#.utf8), profiles: nil)
        #expect(facts.verdicts.map(\.level) == [.warning])
    }

    @Test func `what is wrong in the stored place has the names of its objects`() throws {
        let thing: JSONValue = ["name": "Lamp", "data": ["minor": 1]]
        let zone: JSONValue = ["name": "Hall", "data": ["major": 1], "things": [thing, thing]]
        let model: JSONValue = ["environments": [["name": "Flat", "zones": [zone]]]]
        let path = "environments[0].zones[0]"
        #expect(
            ModelNames.inserted(in: "\(path).things[1].data.minor: is 1, as that of \(path)", of: model)
                == "\"Lamp\".data.minor: is 1, as that of \"Hall\""
        )
        let missing = "environments[7].name: is missing"
        #expect(ModelNames.inserted(in: missing, of: model) == missing)
        var facts = PlaceFacts()
        facts.finding = .stored(model.bytes, profiles: nil)
        let texts = facts.verdicts.map(\.text)
        #expect(texts.contains { $0.contains("\"Lamp\".data.minor") }, "\(texts)")
        #expect(!texts.contains { $0.contains("environments[") }, "\(texts)")
    }

    @Test func `an alert of the daemon is a problem if it is an error`() {
        var facts = AlertFacts()
        facts.isRunning = true
        facts.retained = [
            "status": "online",
            "alert/state-folder": [
                "severity": "error", "message": "the disk is full", "since": "2026-01-01",
            ],
            "alert/compass": ["severity": "warning", "message": "there is none"],
        ]
        expectProblem(facts.verdicts, by: "alerts", "state-folder: the disk is full", advice: "state-folder")
        // The manual is elsewhere on each machine.
        #expect(facts.verdicts.allSatisfy { $0.advice?.contains("contrib/") == false })
        #expect(facts.verdicts.map(\.level) == [.warning, .problem])
        facts.retained = ["status": "offline"]
        expectProblem(facts.verdicts, by: "alerts", "not online", advice: "journalctl")
    }

    @Test func `a time zone that cannot be read, and a locale that is missing, are named`() {
        var zone = TimeZoneFacts()
        zone.problem = "TZ: there is no time zone \"Europe/Berln\""
        expectProblem(zone.verdicts, by: "time zone", "Berln", advice: "timedatectl set-timezone")
        zone = TimeZoneFacts.gathered(["TZ": "Europe/Berln", "TZDIR": "/nonexistent"])
        expectProblem(zone.verdicts, by: "time zone", "Berln", advice: "correct the variable TZ")
        var locale = LocaleFacts()
        (locale.name, locale.isInstalled) = ("xx_XX.UTF-8", false)
        #expect(locale.verdicts.map(\.level) == [.warning])
        (locale.name, locale.isInstalled) = ("C", true)
        #expect(locale.verdicts.map(\.level) == [.hint])
        locale.name = "de_DE.UTF-8"
        #expect(locale.verdicts.map(\.level) == [.ok])
    }
}
