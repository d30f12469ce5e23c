import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// Verbs that ask a person something: how they end, and how they leave the terminal.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct TerminalTests {
    private static let controlC = "\u{03}"
    private static let controlD = "\u{04}"

    private func withUsers(_ body: (TemporaryFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                ["user", "add", "bob", "--state", folder.path("state")],
                in: folder
            )
            #expect(end.status == 0, "\(end)")
            try await body(folder)
        }
    }

    private static func place(_ home: Home) throws -> [String: String] {
        [
            "mqtt.host": "127.0.0.1", "mqtt.port": "\(try SharedMosquitto.broker.port)",
            "mqtt.node": home.node,
        ]
    }

    @Test(
        arguments: [(controlC, 130), (controlD, 64), ("", 143), ("geheim-genug\n", 0)] as [(String, Int32)]
    )
    func `a password prompt ends with the right code, and the terminal shows again what is typed`(
        keys: String,
        code: Int32
    ) async throws {
        try await withUsers { folder in
            let words = ["user", "password", "bob", "--state", folder.path("state")]
            try await Program.onTerminal(words, in: folder) { terminal, child in
                #expect(await terminal.shows("New password: "), "\(terminal.text)")
                #expect(!terminal.echoes)
                if keys.isEmpty { child.signal(SIGTERM) } else { terminal.type(keys) }
                if code == 0 {
                    #expect(await terminal.shows("Again: "), "\(terminal.text)")
                    terminal.type(keys)
                }
                #expect(await child.end() == code, "\(terminal.text)")
                #expect(terminal.echoes && !terminal.text.contains("geheim"))
            }
        }
    }

    @Test(arguments: [(controlC, 130), (controlD, 1), ("n\n", 1), ("yes\n", 0)] as [(String, Int32)])
    func `a question about what is to be cleared ends with the right code`(keys: String, code: Int32)
        async throws
    {
        try await withTemporaryFolder { folder in
            let port = try SharedMosquitto.broker.port
            let node = "forget-\(UUID().uuidString.prefix(8).lowercased())"
            let topic = "trilateral/\(node)/status"
            try await ChildProcess.run(
                try #require(ChildProcess.find("mosquitto_pub")),
                ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-m", "offline", "-r"]
            )
            let words = ["forget", "--node", node, "--mqtt", "127.0.0.1:\(port)"]
            try await Program.onTerminal(words, in: folder) { terminal, child in
                #expect(await terminal.shows("Clear all of it? [y/N] "), "\(terminal.text)")
                terminal.type(keys)
                #expect(await child.end() == code, "\(terminal.text)")
                #expect(terminal.echoes)
            }
        }
    }

    @Test(arguments: [controlC, controlD, "q\n"])
    func `a survey ends at its prompt by Ctrl-C, the end of input and q`(keys: String) async throws {
        try await withHome { home, _ in
            try home.folder.write("name,x,y\nLight,8.5,2\nDoor,8.5,5\n", to: "spots.csv")
            let words = ["survey", home.folder.path("spots.csv"), "--seconds", "1"]
            try await Program.onTerminal(words, in: home.folder, keys: Self.place(home)) { terminal, child in
                #expect(await terminal.shows("1 of 2: go to Light"), "\(terminal.text)")
                terminal.type(keys)
                #expect(await child.end() == 65, "\(terminal.text)")
                #expect(terminal.text.contains("nothing was measured"))
                #expect(terminal.echoes)
            }
        }
    }

    @Test func `a survey ends by itself after its last spot`() async throws {
        try await withHome { home, visitor in
            try home.folder.write("name,x,y\nLight,8.5,2\n", to: "spots.csv")
            let words = ["survey", home.folder.path("spots.csv"), "--seconds", "2"]
            let packet = #"{"uuid":"\#(Place.beaconUUID)","major":2,"minor":2,"rssi":-50,"power":-59}"#
            let packets = "[" + Array(repeating: packet, count: 10).joined(separator: ",") + "]"
            let walking = Task {
                while !Task.isCancelled {
                    visitor.say("sensors/beacons/raw", packets)
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { walking.cancel() }
            try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
            try await Program.onTerminal(words, in: home.folder, keys: Self.place(home)) { terminal, child in
                #expect(await terminal.shows("1 of 1: go to Light"), "\(terminal.text)")
                terminal.type("\n")
                #expect(await child.end() == 0, "\(terminal.text)")
                #expect(terminal.text.contains("1 spot: median"))
            }
        }
    }

    @Test(arguments: [(controlC, 130), ("y\n", 0)] as [(String, Int32)])
    func `a calibration asks after its last beacon, and can be ended there`(keys: String, code: Int32)
        async throws
    {
        try await withHome { home, visitor in
            let server = try #require(await home.serverURL())
            let packet = #"{"uuid":"\#(Place.beaconUUID)","major":2,"minor":2,"rssi":-67,"power":-59}"#
            let packets = "[" + Array(repeating: packet, count: 10).joined(separator: ",") + "]"
            let walking = Task {
                while !Task.isCancelled {
                    visitor.say("sensors/beacons/raw", packets)
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { walking.cancel() }
            let words = [
                "calibrate", "beacons", "Kitchen light", "--server", server, "--environment", "flat",
                "--seconds", "3",
            ]
            try await Program.onTerminal(words, in: home.folder, keys: Self.place(home)) { terminal, child in
                #expect(await terminal.shows("1 of 1: hold it"), "\(terminal.text)")
                terminal.type("\n")
                #expect(
                    await terminal.shows("Store them as data.power of 1 things? [y/N] "),
                    "\(terminal.text)"
                )
                terminal.type(keys)
                #expect(await child.end() == code, "\(terminal.text)")
                #expect(terminal.echoes)
            }
        }
    }

    @Test func `Ctrl-C ends watch, which gives the screen back`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("device")
            try await Program.onTerminal(["watch"], in: home.folder, keys: Self.place(home)) {
                terminal,
                child in
                #expect(await terminal.shows("\u{1B}[?1049h"), "\(terminal.text)")
                terminal.type(Self.controlC)
                #expect(await child.end() == 0, "\(terminal.text)")
                #expect(terminal.text.contains("\u{1B}[?1049l") && terminal.echoes)
            }
        }
    }
}
