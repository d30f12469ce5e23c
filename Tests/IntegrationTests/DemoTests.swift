import Flare
import Foundation
import JSON
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct DemoTests {
    @Test(arguments: [SIGINT, SIGHUP])
    func `the demo walks past lamps, and clears the user's broker at its end`(signal: Int32) async throws {
        try await withTemporaryFolder { folder in
            try await withMosquitto { try await walk(in: folder, broker: $0.port, signal: signal) }
        }
    }

    @Test func `a demo that is kept ends with its terminal, and leaves what it has published`() async throws {
        try await withTemporaryFolder { folder in
            try await withMosquitto {
                try await walk(in: folder, broker: $0.port, isKept: true, signal: SIGHUP)
            }
        }
    }

    @Test func `the demo brings a broker where there is none, and takes it along`() async throws {
        // Somebody else's broker is not for us to walk on.
        guard (try? LoopbackSocket.connected(to: 1883)) == nil else { return }
        try await withTemporaryFolder { try await walk(in: $0, broker: nil) }
    }

    @Test func `a broker that was named and does not answer is told, with what else can be done`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let port = try LoopbackSocket.freePort()
            let end = try await Program.run(
                ["demo", "--mqtt", "127.0.0.1:\(port)", "--state", folder.path("state")],
                in: folder
            )
            #expect(end.status == 69)
            #expect(end.output.contains("cannot reach the broker at 127.0.0.1:\(port): "), "\(end.output)")
            #expect(end.output.contains("--mqtt"))
        }
    }

    private func walk(
        in folder: TemporaryFolder,
        broker: Int?,
        isKept: Bool = false,
        signal: Int32 = SIGINT
    ) async throws {
        // The usual ports are for one demo at a time, and tests run side by side.
        let ports = ["--web", "127.0.0.1:0", "--flare", "127.0.0.1:0"]
        let options =
            (broker.map { ["--mqtt", "127.0.0.1:\($0)"] + ports } ?? []) + (isKept ? ["--keep"] : [])
        let demo = try Program.start(
            ["demo", "--node", "demo", "--state", folder.path("state")] + options,
            in: folder,
            output: folder.path("screen")
        )
        do {
            try await follow(demo, folder, isUsual: broker == nil, isKept: isKept, signal: signal)
        } catch {
            await demo.destroy()
            throw HomeFailure(error: error, log: folder.read("screen"))
        }
    }

    private func follow(
        _ demo: ChildProcess,
        _ folder: TemporaryFolder,
        isUsual: Bool,
        isKept: Bool,
        signal: Int32
    ) async throws {
        #expect(await eventually { folder.read("screen").contains("Now:") })
        let screen = folder.read("screen")
        let address = try #require(screen.firstMatch(of: /broker +(\S+):(\d+)/))
        let port = try #require(Int(address.2))
        for hint in [
            "trilateral/demo/#", "/sign-in?link=tll_", "trilateral sign-in --state", "mosquitto_sub",
            "mosquitto_pub", "/environments",
        ] {
            #expect(screen.contains(hint), "\(hint)")
        }
        // A bookmark of the page stays true, or the screen says why not.
        let isAtUsualPort =
            screen.contains("http://127.0.0.1:18080/\n") || screen.contains("(port 18080 is in use)")
        #expect(isAtUsualPort == isUsual, "\(screen)")
        try await withVisitor(to: "trilateral/demo", port: port) { visitor in
            try await visitor.awaits("status", "online")
            let lamp = try await visitor.awaits("nearby", within: .seconds(25)) {
                $0["state"] != nil && $0["color"] != nil && $0["brightness"] != nil
            }
            let began = ContinuousClock.now
            let slug = try #require(lamp["slug"]?.string)
            #expect(
                try await visitor.ask("nearby/set", #"{"color":"red","if_id":"\#(slug)"}"#).outcome == "ok"
            )
            try await visitor.awaits("things/\(slug)") { $0["color_name"] == "red" }
            // There is time to try the commands of the screen.
            let hasLeft = await eventually(within: .seconds(10)) {
                await visitor.json("nearby")?["slug"]?.string != slug
            }
            #expect(!hasLeft, "after \(ContinuousClock.now - began)")
            let kept = try await retainedMessages(port: port)
            #expect(kept.count > 50 && kept.keys.contains { $0.hasPrefix("homeassistant/") })
            #expect(kept.values.contains { $0.contains("suggested_area") } == isKept)
            demo.signal(signal)
            let status = await demo.end(within: .seconds(5))
            await demo.destroy()
            #expect(status == 0)
            if screen.contains("private") {
                #expect(
                    await eventually { (try? LoopbackSocket.connected(to: port)) == nil },
                    "its broker has ended"
                )
            } else if isKept {
                try await visitor.awaits("status", "offline")
                let left = try await retainedMessages(port: port).keys
                #expect(Set(left) == Set(kept.keys.filter { !$0.hasSuffix("/health") }))
            } else {
                #expect(try await retainedMessages(port: port) == [:])
            }
        }
    }
}
