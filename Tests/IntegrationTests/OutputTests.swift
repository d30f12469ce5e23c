import Flare
import Foundation
import TestSupport
import Testing

/// What a verb prints arrives, or the verb fails.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct OutputTests {
    /// Runs a verb whose standard output is elsewhere; what it prints on standard error is the output.
    private func run(
        _ words: String,
        to output: String,
        in folder: TemporaryFolder,
        keys: [String: String] = [:]
    ) async throws -> Program.End {
        let arguments = words.split(separator: " ").map {
            $0.hasPrefix("@") ? folder.path(String($0.dropFirst())) : String($0)
        }
        return try await Program.run(
            arguments,
            in: folder,
            keys: keys,
            shell: "exec <'\(folder.path("input"))' \(output)"
        )
    }

    private func expectFailure(_ words: String, in folder: TemporaryFolder, keys: [String: String] = [:])
        async throws
    {
        let end = try await run(words, to: ">/dev/full", in: folder, keys: keys)
        #expect(end.status == 74, "\(words): \(end)")
        #expect(end.output.contains("cannot be written: No space left on device"), "\(words): \(end)")
    }

    private static let profile =
        #"{"types":[{"type":"heater","props":[{"name":"heating","type":"integer"}]}]}"#

    /// Runs the body with a folder that has input of each kind, and a state folder with users.
    private func withInput(_ body: (TemporaryFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("FULL\n", to: "input")
            try folder.write(Self.profile, to: "profile.json")
            try folder.write("id,x,y,z,tx_power\na,0,0,1,-59\nb,4,0,1,-59\nc,0,4,1,-59\n", to: "beacons.csv")
            try folder.write("time_s,beacon_id,rssi_dbm\n0,a,-60\n1,b,-61\n", to: "scans.csv")
            try folder.write(#"{"environments":[{"name":"Flat"}]}"#, to: "place.json")
            try folder.write(
                #"{"when":[{"on":"cron","cron":"0 7 * * *"}],"then":[{"publish":1}]}"#,
                to: "rule.json"
            )
            for words in [
                "import @place.json --state @state", "user add bob --state @state",
                "grant add bob all read --state @state", "export @saved.json --state @state",
            ] {
                let end = try await run(words, to: "", in: folder)
                #expect(end.status == 0, "\(words): \(end)")
            }
            try await body(folder)
        }
    }

    @Test func `output on a full disk is 74 and a message, whatever prints it`() async throws {
        try await withInput { folder in
            for words in [
                "--help", "--version", "help set", "set --help", "--experimental-dump-help", "manual",
                "--generate-completion-script bash", "--generate-completion-script zsh",
                "--generate-completion-script fish", "lifecycle table", "lifecycle replay", "profile show",
                "profile show --json", "profile show --yaml", "profile show blind",
                "profile lint @profile.json",
                "profile convert @profile.json", "acl", "acl --people --state @state", "check",
                "check --print", "estimate @beacons.csv @scans.csv --device-z 1", "export - --state @state",
                "import --check @place.json --state @state", "tidy --state @state",
                "station list --json --state @state",
                "rule simulate @rule.json --from 2026-06-01 --until 2026-06-02 --zone UTC",
            ] {
                try await expectFailure(words, in: folder)
            }
            for words in [
                "user list", "user list --json", "user add eve", "group add staff", "group list",
                "grant add bob devices read", "grant list", "grant check bob all read", "share list",
                "token list", "session list", "contact list bob", "contact add bob Aunt --phone 1", "log",
                "log --json",
            ] {
                try await expectFailure(words + " --state @state", in: folder)
            }
        }
    }

    @Test func `a token that could not be printed is not kept`() async throws {
        try await withInput { folder in
            try await expectFailure("token add bob panel --state @state", in: folder)
            let list = try await run("token list --json --state @state", to: "", in: folder)
            #expect(list.status == 0 && list.output == "[]\n", "\(list)")
        }
    }

    @Test func `what a daemon answered and could not be printed is 74`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("device")
            try home.folder.write("", to: "input")
            let keys = [
                "mqtt.host": "127.0.0.1", "mqtt.port": "\(try SharedMosquitto.broker.port)",
                "mqtt.node": home.node,
            ]
            for words in [
                "list", "list zones --json", "list nodes", "get state", "get alerts", "set kitchen-light ON",
                "action kitchen-light on", "explain zone", "watch", "watch --json",
            ] {
                try await expectFailure(words, in: home.folder, keys: keys)
            }
        }
    }

    @Test func `a reader who stops reading ends a verb without a message`() async throws {
        try await withInput { folder in
            for words in ["manual", "--help", "profile show --yaml", "export - --state @state"] {
                // The reader has gone before the first byte.
                let end = try await run(words, to: "> >(exec true); wait $!", in: folder)
                #expect(end.status == 141 && end.output.isEmpty, "\(words): \(end)")
            }
        }
    }

    @Test func `closed standard output is an error, and no file is written over`() async throws {
        try await withInput { folder in
            for words in ["user list --state @state", "export - --state @state", "check", "--help"] {
                let end = try await run(words, to: ">&-", in: folder)
                #expect(end.status == 74 && end.output.contains("cannot be written"), "\(words): \(end)")
            }
            let list = try await run("user list --state @state", to: "", in: folder)
            #expect(list.status == 0 && list.output.contains("bob"))
        }
    }

    @Test func `a file that a verb writes is there whole or not at all`() async throws {
        guard await OwnDisk.canMount() else { return }
        try await withInput { folder in
            try await OwnDisk.with("size=64k", at: folder.path("disk")) {
                try folder.write("old", to: "disk/place.json")
                try OwnDisk.fill(folder.path("disk/filler"))
                for words in [
                    "export @disk/new.json --state @state", "export @disk/place.json --force --state @state",
                    "profile convert @profile.json --output @disk/profile.yaml",
                ] {
                    let end = try await run(words, to: "", in: folder)
                    #expect(end.status == 74, "\(words): \(end)")
                    #expect(end.output.contains("cannot be written: No space left on device"), "\(end)")
                }
                #expect(folder.read("disk/place.json") == "old")
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("disk"))
                #expect(names.sorted() == ["filler", "place.json"])
            }
        }
    }

    @Test func `an exported file keeps its mode and the link that leads to it; a device is not replaced`()
        async throws
    {
        try await withInput { folder in
            try folder.write("old", to: "place-1.json")
            chmod(folder.path("place-1.json"), 0o640)
            symlink("place-1.json", folder.path("link.json"))
            let end = try await run("export @link.json --force --state @state", to: "", in: folder)
            #expect(end.status == 0, "\(end)")
            #expect(folder.read("place-1.json").contains("Flat"))
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("place-1.json"))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.json"))
            #expect(link == "place-1.json")
            let full = try await run("export /dev/full --force --state @state", to: "", in: folder)
            #expect(full.status == 73 && full.output.contains("is no plain file"), "\(full)")
        }
    }

    @Test func `arguments count without /proc`() async throws {
        guard await OwnDisk.canMount() else { return }
        try await withTemporaryFolder { folder in
            try folder.write(
                "umount -l /proc && exec '\(Program.path)' lifecycle replay\n",
                to: "without-proc.sh"
            )
            let child = try ChildProcess(
                "/usr/bin/unshare",
                ["-m", "/bin/sh", "-c", "echo NONE | /bin/sh '\(folder.path("without-proc.sh"))'"],
                output: folder.path("output")
            )
            let status = await child.end(within: .seconds(30))
            await child.destroy()
            #expect(
                status == 0 && folder.read("output").contains("applicationDidConnect"),
                "\(folder.read("output"))"
            )
        }
    }
}
