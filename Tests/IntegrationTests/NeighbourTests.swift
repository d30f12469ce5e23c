import Flare
import Foundation
import TestSupport
import Testing

/// What another program on our topics, or a signal, may do to us.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct NeighbourTests {
    @Test func `who is said to be offline by somebody else tells everything again`() async throws {
        try await withHome { _, visitor in
            try await visitor.awaits("status", "online")
            visitor.say("environment", "overwritten", isRetained: true)
            visitor.say("status", "offline", isRetained: true)
            #expect(await eventually { await visitor.said(on: "status").suffix(2) == ["offline", "online"] })
            try await visitor.awaits("environment") { $0["id"] != nil && $0["id"] != .null }
        }
    }

    @Test func `every hang-up has the configuration read again, not the first one only`() async throws {
        try await withHome { home, visitor in
            var epochs = [try await visitor.awaits("info")["epoch"]]
            for _ in 0..<3 {
                await home.signal(SIGHUP)
                let before = epochs
                try await visitor.awaits("info") { info in !before.contains(info["epoch"]) }
                try await visitor.awaits("status", "online")
                epochs.append(try await visitor.awaits("info")["epoch"])
            }
            #expect(Set(epochs.compactMap { $0?.string }).count == 4)
        }
    }

    @Test func `a daemon that cannot have its port is never heard on the broker`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("status", "online")
            let taken = try LoopbackSocket.listening()
            let told = await visitor.said(on: "status")
            try await withEmptyHome { other, _ in
                try await other.start(
                    ["flare.server.listen": "127.0.0.1:\(taken.port)", "mqtt.node": home.node])
                #expect(await other.end() == 69)
            }
            #expect(await visitor.said(on: "status") == told)
        }
    }
}
