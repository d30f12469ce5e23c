import Flare
import JSON
import MQTT
import TestSupport
import Testing

/// A second panel with the same things.
extension DiscoveryTests {
    @Test func `a second panel that announces the same things is an alert on both until one stops`()
        async throws
    {
        let port = try LoopbackSocket.freePort()
        try await withAnnouncedHome(["flare.server.listen": "127.0.0.1:\(port)"]) { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            try await withEmptyHome { second, other in
                let keys = [
                    "flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)",
                    "device.name": "Other",
                ].merging(prefix(home)) { $1 }
                try await second.start(keys)
                let alert = try await visitor.awaits("alert/doubled-things")
                #expect(
                    alert["message"]?.string?.contains("\(second.root) announces the same things") == true
                )
                try await other.awaits("alert/doubled-things") {
                    $0["message"]?.string?.contains("\(home.root) announces") == true
                }
                await second.stop()
                try await second.start(keys.merging(["discovery.things": "none"]) { $1 })
                try await visitor.awaits("alert/doubled-things", "")
                try await other.awaits("alert/doubled-things", "")
            }
        }
    }

    @Test func `what Home Assistant read of the nearby thing goes if discovery is switched off meanwhile`()
        async throws
    {
        try await withAnnouncedHome { home, visitor in
            try await visitor.awaits("nearby/light")
            try await visitor.awaits("nearby/distance")
            await home.stop()
            try await home.start(["discovery.enabled": "false"].merging(prefix(home)) { $1 })
            try await visitor.awaits("nearby/light", "")
            try await visitor.awaits("nearby/distance", "")
        }
    }
}
