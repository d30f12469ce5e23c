import Foundation
import JSON
import TestSupport
import Testing

/// The kiosk page of a real daemon, in a real browser: what `contrib/kiosk-check` finds wrong.
@Suite(
    .enabled(if: Mosquitto.isExpected && Browser.isExpected),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(10))
)
struct KioskPageTests {
    @Test func `the page of a place without anything says so`() async throws {
        try await withEmptyHome { home, visitor in
            let keys = try keys()
            try await home.start(keys)
            try await visitor.awaits("alerts") { $0["ids"]?.array?.contains("no-environment") == true }
            try await check(home, keys, ["--expect", "empty"])
        }
    }

    @Test func `the page shows a place, drives its lamps, and outlives a restart of the daemon`() async throws
    {
        let keys = try keys()
        try await withHome(keys) { home, visitor in
            visitor.say("device/set", #"{"position":{"x":1.5,"y":1.5},"angle":20}"#)
            try await visitor.awaits("nearby") { $0["slug"] == "table-lamp" }
            let (request, done) = (home.folder.path("restart"), home.folder.path("restarted"))
            let command = "touch '\(request)'; until [ -e '\(done)' ]; do sleep 0.05; done"
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    #expect(await eventually(within: .seconds(300)) { access(request, F_OK) == 0 })
                    await home.stop()
                    // The script expects the page to report an interruption of more than 3 s.
                    try await Task.sleep(for: .seconds(4))
                    try await home.start(keys)
                    try home.folder.write("", to: "restarted")
                }
                defer { group.cancelAll() }
                try await check(home, keys, ["--restart", command])
            }
        }
    }

    @Test func `the page of a place with two hundred things with any names is whole`() async throws {
        try await withEmptyHome { home, visitor in
            let keys = try keys()
            try await home.take(Self.fullModel)
            try await visitor.whileStarting { try await home.start(keys) }
            visitor.say("device/set", #"{"position":{"x":20,"y":15},"angle":200}"#)
            try await visitor.awaits("nearby") { $0["slug"]?.string != nil }
            try await check(home, keys, ["--expect", "full"])
        }
    }

    @Test
    func `the page gets over slow and broken links, and many pages of one browser do not hinder each other`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            let keys = try keys()
            try await home.take(Self.fullModel)
            try await visitor.whileStarting { try await home.start(keys) }
            visitor.say("device/set", #"{"position":{"x":20,"y":15},"angle":200}"#)
            try await visitor.awaits("nearby") { $0["slug"]?.string != nil }
            let address = "http://\(keys["web.listen"] ?? "")"
            #expect(await home.logs(address))
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                ["-B", Interop.program("links"), address, "\(try #require(await home.processID))"],
                output: home.folder.path("links")
            )
            let status = await script.end(within: .seconds(400))
            await script.destroy()
            #expect(status == 0, "\(home.folder.read("links"))")
        }
    }

    private func keys() throws -> [String: String] {
        let port = try LoopbackSocket.freePort()
        return ["web.listen": "127.0.0.1:\(port)", "device.allow_set": "true"]
    }

    private func check(_ home: Home, _ keys: [String: String], _ options: [String]) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let address = "http://\(keys["web.listen"] ?? "")"
        #expect(await home.logs(address))
        let script = try ChildProcess(
            root.appending(path: "contrib/kiosk-check").path,
            options + ["--ready", "1000", "--step", "1000", address],
            output: home.folder.path("kiosk-check")
        )
        let status = await script.end(within: .seconds(400))
        await script.destroy()
        #expect(status == 0, "\(home.folder.read("kiosk-check"))")
    }

    /// Two hundred things in eight zones, and ten above them, with names that no page may take for anything but text.
    private static let fullModel: String = {
        let names = [
            "<img src=x onerror=alert(1)>", "\"><script>alert(2)</script>", "javascript:alert(3)",
            "Ünïcödé 中文 🔦",
            String(repeating: "very long name ", count: 12), "{{constructor}}", "Lamp & <b>bold</b>",
            "&lt;i&gt;",
        ]
        let zones = (0..<8).map { zone -> JSONValue in
            let (left, top) = (Double(zone % 4) * 10, Double(zone / 4) * 15)
            let things = (0..<25).map { index -> JSONValue in
                let number = zone * 25 + index
                let name = number < names.count ? names[number] : "Lamp \(number)"
                let place: JSONValue = [
                    "x": .number(left + 1 + Double(index % 5) * 2),
                    "y": .number(top + 1 + Double(index / 5) * 3),
                    "z": 1,
                ]
                return [
                    "name": .string(name), "description": .string("<i>\(name)</i>"), "position": place,
                    "data": [
                        "on": .bool(number.isMultiple(of: 2)), "brightness": 0.5,
                        "color": .string(["red", "#00ff80", "blue", "url(x)"][number % 4]),
                        "options": ["red", "blue", "javascript:alert(4)"],
                        "note": "<script>alert(5)</script>",
                    ],
                ]
            }
            let box: JSONValue = [
                "origin": ["x": .number(left), "y": .number(top), "z": 0],
                "size": ["width": 10, "height": 15, "depth": 3],
            ]
            return [
                "name": .string("Zone \(zone) <u>of</u> eight"), "perimeter": box, "things": .array(things),
            ]
        }
        let attic: JSONValue = [
            "name": "Attic",
            "perimeter": [
                "origin": ["x": 0, "y": 0, "z": 4], "size": ["width": 20, "height": 15, "depth": 3],
            ],
            "things": .array(
                (0..<10).map { index in
                    [
                        "name": .string("Upper lamp \(index)"),
                        "position": ["x": .number(Double(index) * 1.8 + 1), "y": 5, "z": 5],
                        "data": ["on": true],
                    ]
                }
            ),
        ]
        let hall: JSONValue = [
            "name": "Hall <script>alert(6)</script>", "description": "<img src=x onerror=alert(7)>",
            "angle": 195,
            "data": ["distance": 2],
            "perimeter": [
                "origin": ["x": 0, "y": 0, "z": 0], "size": ["width": 40, "height": 30, "depth": 3],
            ],
            "zones": .array(zones + [attic]),
        ]
        return JSONValue.object(["environments": [hall]]).text
    }()
}
