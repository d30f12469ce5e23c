import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// The example for makers, contrib/edge, as a thing of a running daemon.
@Suite(.enabled(if: Mosquitto.isExpected && LampExample.canBuild), .timeLimit(.minutes(3)))
struct EdgeLampTests {
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    @Test func `the example is claimed, loses the broker, comes back and uploads what it kept`() async throws
    {
        try await EdgeSite.open { site in
            let password = try await site.expect("v-1")
            try await withLamp(site, password) { lamp in
                // It asks again until the broker lets it.
                let isOnboarded = await eventually {
                    site.folder.read("lamp-log").contains("onboarded as th.")
                }
                try #require(isOnboarded, "\(site.folder.read("lamp-log"))")
                try await site.own("v-1", password)
                try await site.visit(as: "driver") { driver in
                    try await driver.awaits("things/v-1/data") {
                        $0["on"] == true && $0["temperature"] != nil
                    }
                    try await driver.awaits("things/v-1/availability", "online")
                    #expect(try await driver.ask("things/v-1/set", #"{"state":"OFF"}"#).outcome == "ok")
                    try await driver.awaits("things/v-1") { $0["state"] == "OFF" }
                    let answer = try await driver.ask("things/v-1/set", #"{"temperature":20}"#)
                    #expect(answer.outcome == "not_settable")

                    await site.broker.kill()
                    let (lost, end) = (Self.now, ContinuousClock.now + .seconds(3))
                    // It measures once a second.
                    #expect(await eventually { ContinuousClock.now > end })
                    let back = Self.now
                    try await site.broker.start()
                    let owner = try await site.ofOwner()
                    let query: JSONValue = ["query": ["clause": ["type": "all"]]]
                    let hasKept = try await eventually {
                        let answer = try await site.ask(
                            "POST",
                            "targets/VENDOR_THING_ID:v-1/states/query",
                            query,
                            authorization: owner
                        )
                        return (answer.body["results"]?.array ?? []).contains { state in
                            let time = Int64(state["_created"]?.number ?? 0)
                            return lost < time && time < back
                        }
                    }
                    #expect(hasKept)
                    try await driver.awaits("things/v-1/availability", "online")

                    await lamp.destroy()
                    try await driver.awaits("things/v-1/availability", "offline")
                    let refused = try await driver.ask("things/v-1/set", #"{"state":"ON"}"#)
                    #expect(refused.outcome == "thing_offline")
                }
            }
        }
    }

    /// Builds the example, and runs the body while it runs.
    private func withLamp(
        _ site: EdgeSite,
        _ password: String,
        _ body: (ChildProcess) async throws -> Void
    ) async throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "contrib/edge")
        let folder = site.folder
        for name in ["lamp.c", "Makefile"] {
            try folder.write(String(contentsOf: example.appending(path: name), encoding: .utf8), to: name)
        }
        let make = try #require(ChildProcess.find("make"), "the make program is missing")
        try await ChildProcess.run(make, ["-C", folder.path])
        let settings = [
            "LAMP_VENDOR=v-1", "LAMP_SECRET=\(password)", "LAMP_BASE=\(site.home.root)",
            "LAMP_BROKER=127.0.0.1", "LAMP_PORT=\(site.broker.port)", "LAMP_SECONDS=1",
        ]
        let lamp = try ChildProcess(
            "/usr/bin/env",
            settings + [folder.path("lamp")],
            output: folder.path("lamp-log")
        )
        do {
            try await body(lamp)
            await lamp.destroy()
        } catch {
            await lamp.destroy()
            throw error
        }
    }
}

private enum LampExample {
    /// Whether the example can be built here; in CI it must be.
    static var canBuild: Bool {
        let isCI = getenv("CI").map { String(cString: $0) } == "true"
        let header = ["/usr/include", "/usr/local/include"].contains {
            access("\($0)/mosquitto.h", F_OK) == 0
        }
        return isCI || header && ["make", "cc"].allSatisfy { ChildProcess.find($0) != nil }
    }
}
