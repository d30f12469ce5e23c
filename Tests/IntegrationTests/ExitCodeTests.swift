import Foundation
import TestSupport
import Testing

/// The same cause ends every verb with the same code.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct ExitCodeTests {
    private func status(
        _ words: String,
        in folder: TemporaryFolder,
        keys: [String: String] = [:]
    ) async throws -> Int32? {
        let end = try await Program.run(
            words.split(separator: " ").map { $0 == "SPOTS" ? folder.path("spots.csv") : String($0) },
            in: folder,
            keys: keys
        )
        #expect(!end.output.isEmpty, "\(words)")
        return end.status
    }

    private static let drives = [
        "get state", "get alerts", "set nearby ON", "action nearby on", "list", "list zones", "survey SPOTS",
    ]

    @Test(arguments: drives + ["list nodes", "watch", "forget --yes"])
    func `nobody at the broker's address is 69`(words: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("name,x,y\nsofa,1,2\n", to: "spots.csv")
            let timeout = words.hasPrefix("survey") ? "" : " --timeout 0.5"
            let code = try await status(words + timeout, in: folder, keys: ["mqtt.port": "1"])
            #expect(code == 69)
        }
    }

    @Test(arguments: drives + ["list nodes", "watch", "forget --yes"])
    func `a broker that refuses the password is 77`(words: String) async throws {
        var options = MosquittoOptions()
        options.users = ["walker": "right"]
        try await withMosquitto(options) { broker in
            try await withTemporaryFolder { folder in
                try folder.write("name,x,y\nsofa,1,2\n", to: "spots.csv")
                let keys = [
                    "mqtt.host": "127.0.0.1", "mqtt.port": "\(broker.port)", "mqtt.username": "walker",
                    "mqtt.password": "wrong",
                ]
                for node in words == "list nodes" ? [""] : ["", " --node nobody"] {
                    let code = try await status(words + node, in: folder, keys: keys)
                    #expect(code == 77, "\(words)\(node)")
                }
            }
        }
    }

    @Test(arguments: drives, ["", " --node nobody"])
    func `no daemon is 69`(words: String, node: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("name,x,y\nsofa,1,2\n", to: "spots.csv")
            let port = try SharedMosquitto.broker.port
            let base = " --mqtt 127.0.0.1:\(port) --base nobody-\(UInt32.random(in: .min ... .max))"
            let timeout = words.hasPrefix("survey") ? "" : " --timeout 0.6"
            let code = try await status(words + base + node + timeout, in: folder)
            #expect(code == 69)
        }
    }

    @Test(
        arguments: drives + [
            "run", "check", "list nodes", "watch", "calibrate compass", "calibrate beacons",
        ]
    )
    func `a wrong configuration is 78`(words: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("name,x,y\nsofa,1,2\n", to: "spots.csv")
            let code = try await status(words, in: folder, keys: ["mqtt.port": "no number"])
            #expect(code == 78)
        }
    }

    @Test func `a recording that the configuration names and is not there is 78, for run and check alike`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let keys = [
                "sensors.replay.file": folder.path("nothing.trace"), "flare.server.listen": "127.0.0.1:0",
            ]
            for words in ["run --state \(folder.path("state"))", "check"] {
                let code = try await status(words, in: folder, keys: keys)
                #expect(code == 78, "\(words)")
            }
        }
    }

    @Test(arguments: [
        "replay nothing", "import nothing", "survey nothing", "estimate nothing nothing --device-z 1",
    ])
    func `a file that is not there is 66`(words: String) async throws {
        try await withTemporaryFolder { folder in
            let code = try await status(words, in: folder)
            #expect(code == 66)
        }
    }

    @Test func `a recording and a model that are not there are told before a database is opened`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let state = folder.path("state")
            for words in ["replay nothing", "import nothing"] {
                let code = try await status("\(words) --state \(state)", in: folder)
                #expect(code == 66, "\(words)")
                let files = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
                #expect(!files.contains("flare.db"), "\(words): \(files)")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a state folder that another user has closed is 77, and one's own is 73`() async throws {
        try await withTemporaryFolder { folder in
            let state = folder.path("state")
            #expect(try await status("user add bob --state \(state)", in: folder) == 0)
            try folder.write(#"{"environments":[{"name":"Attic"}]}"#, to: "attic.json")
            #expect(chmod(folder.path, 0o755) == 0 && chmod(folder.path("attic.json"), 0o644) == 0)
            let nobody = "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\""
            for owner in [0, 1, 65534] as [UInt32] {
                #expect(chown(state, owner, owner) == 0 && chmod(state, owner == 65534 ? 0 : 0o700) == 0)
                for words in ["user list", "export -", "import \(folder.path("attic.json"))", "station list"]
                {
                    let end = try await Program.run(
                        words.split(separator: " ").map(String.init) + ["--state", state],
                        in: folder,
                        shell: nobody
                    )
                    #expect(end.status == (owner == 65534 ? 73 : 77), "\(owner) \(words): \(end.output)")
                    let advice = owner == 65534 ? "change its owner and permissions" : "run it with sudo"
                    #expect(end.output.contains(advice), "\(owner) \(words): \(end.output)")
                }
            }
        }
    }

    @Test func `only the adapter, and none configured, is a matter of the configuration`() async throws {
        try await withTemporaryFolder { folder in
            let code = try await status("record --bluetooth heard.jsonl", in: folder)
            #expect(code == 78)
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a full disk is 74`() async throws {
        try await withTemporaryFolder { folder in
            let state = folder.path("state")
            try await OwnDisk.with("size=1m", at: state) {
                #expect(try await status("user add first --state \(state)", in: folder) == 0)
                try OwnDisk.fill(state + "/filler")
                for words in ["user add bob", "group add staff"] {
                    // What the file has room for is still taken.
                    var code: Int32? = 0
                    for number in 0..<200 where code == 0 {
                        code = try await status("\(words)\(number) --state \(state)", in: folder)
                    }
                    #expect(code == 74, "\(words)")
                }
            }
        }
    }

    @Test(arguments: ["dance", "get", "set nearby =1", "list dogs", "check --loud", "watch --timeout 0"])
    func `a wrong command line is 64`(words: String) async throws {
        try await withTemporaryFolder { folder in
            let code = try await status(words, in: folder)
            #expect(code == 64)
        }
    }
}
