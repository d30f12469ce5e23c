import Flare
import JSON
import MQTT
import TestSupport
import Testing

/// Animation frames on `B/frame`.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct FrameTests {
    private static let keys = ["frames.enabled": "true", "device.allow_set": "true"]

    /// The places that the frames so far have shown, along x.
    private func places(_ visitor: Visitor) async -> [Double] {
        await visitor.objects(on: "frame").compactMap { $0["position"]?["x"]?.number }
    }

    @Test func `a move is shown as frames that end where the device is`() async throws {
        try await withHome(Self.keys) { _, visitor in
            try await visitor.ask("lifecycle/level/set", "FULL")
            try await visitor.ask("device/set", #"{"position":{"x":1,"y":1,"z":1}}"#)
            #expect(await eventually { await places(visitor).last == 1 })
            await visitor.forget()
            try await visitor.ask("device/set", #"{"position":{"x":4,"y":1,"z":1}}"#)
            #expect(await eventually { await places(visitor).last == 4 })
            let shown = await places(visitor)
            // Fewer on a busy machine.
            #expect((2...30).contains(shown.count))
            #expect(shown == shown.sorted())
            #expect(
                await visitor.messages(on: "frame").allSatisfy { $0.qos == .atMostOnce && !$0.isRetained }
            )
        }
    }

    @Test func `a turn goes the short way round`() async throws {
        try await withHome(Self.keys) { _, visitor in
            try await visitor.ask("lifecycle/level/set", "FULL")
            try await visitor.ask("device/set", #"{"angle":350}"#)
            #expect(await eventually { await visitor.objects(on: "frame").last?["angle"] == 350 })
            await visitor.forget()
            try await visitor.ask("device/set", #"{"angle":20}"#)
            #expect(await eventually { await visitor.objects(on: "frame").last?["angle"] == 20 })
            let angles = await visitor.objects(on: "frame").compactMap { $0["angle"]?.number }
            #expect(angles.allSatisfy { $0 >= 350 || $0 <= 20 })
        }
    }

    @Test func `frames are for displays that somebody sees`() async throws {
        try await withHome(Self.keys) { _, visitor in
            visitor.say("display/wall/presence", "hidden")
            try await visitor.awaits("lifecycle") { $0["state"] == "limited" }
            try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":1.5,"z":1}}"#)
            try await visitor.awaits("nearby") { $0["slug"] == "table-lamp" }
            #expect(await visitor.said(on: "frame") == [])
            visitor.say("display/wall/presence", "visible")
            try await visitor.awaits("lifecycle") { $0["state"] == "active" }
            try await visitor.ask("device/set", #"{"position":{"x":1.2,"y":1.5,"z":1}}"#)
            #expect(await eventually { await places(visitor).last == 1.2 })
            #expect(await places(visitor).allSatisfy { (1.2..<1.5).contains($0) })
        }
    }

    @Test func `there are no frames unless they are switched on, and the broker keeps none`() async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            try await visitor.ask("device/set", #"{"position":{"x":4,"y":1,"z":1}}"#)
            try await visitor.awaits("device/position") { $0["x"] == 4 }
            #expect(await visitor.said(on: "frame") == [])
            #expect(await visitor.json("info")?["features"]?.array?.contains("frames") == false)
            await home.stop()
            try await visitor.whileStarting { try await home.start(Self.keys) }
            try await visitor.ask("lifecycle/level/set", "FULL")
            #expect(await visitor.json("info")?["features"]?.array?.contains("frames") == true)
            try await visitor.ask("device/set", #"{"position":{"x":1,"y":1,"z":1}}"#)
            #expect(await eventually { await places(visitor).last == 1 })
            let kept = try await retainedMessages(port: SharedMosquitto.broker.port)
            #expect(kept["\(home.root)/frame"] == nil)
        }
    }
}
