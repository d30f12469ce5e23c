import Flare
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct DemoTests {
    @Test func `the demo brings a broker, walks past lamps, and takes all with it`() async throws {
        try await withTemporaryFolder { folder in
            // Somebody else's broker is not for us to walk on.
            if (try? LoopbackSocket.connected(to: 1883)) != nil {
                try await withMosquitto { try await walk(in: folder, broker: $0.port) }
            } else {
                try await walk(in: folder, broker: nil)
            }
        }
    }

    private func walk(in folder: TemporaryFolder, broker: Int?) async throws {
        let options = broker.map { ["--mqtt", "127.0.0.1:\($0)"] } ?? []
        let demo = try Program.start(
            ["demo", "--node", "demo", "--state", folder.path("state")] + options,
            in: folder,
            output: folder.path("screen")
        )
        do {
            try await follow(demo, folder)
        } catch {
            await demo.destroy()
            throw HomeFailure(error: error, log: folder.read("screen"))
        }
    }

    private func follow(_ demo: ChildProcess, _ folder: TemporaryFolder) async throws {
        #expect(await eventually { folder.read("screen").contains("Now:") })
        let screen = folder.read("screen")
        let address = try #require(screen.firstMatch(of: /broker +(\S+):(\d+)/))
        let port = try #require(Int(address.2))
        for hint in ["trilateral/demo/#", "mosquitto_sub", "mosquitto_pub", "/environments"] {
            #expect(screen.contains(hint), "\(hint)")
        }
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
            demo.signal(SIGINT)
            let status = await demo.end(within: .seconds(5))
            await demo.destroy()
            #expect(status == 0)
            // A private broker may be gone before the goodbye is through.
            if !screen.contains("private") { try await visitor.awaits("status", "offline") }
        }
        if screen.contains("private") {
            #expect(
                await eventually { (try? LoopbackSocket.connected(to: port)) == nil },
                "its broker has ended"
            )
        }
    }
}
