import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What earlier runs, environments before and other daemons have left.
extension DiscoveryTests {
    @Test func `what an earlier run has announced and is gone is taken away`() async throws {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            await home.stop()
            try await home.start(verb: "serve")
            try await home.rest("DELETE", Place.path(ofThing: Place.fridge, in: Place.kitchen))
            await home.stop()
            try await visitor.whileStarting { try await home.start(prefix(home)) }
            try await visitor.awaits(tail(home, "fridge"), "")
            await home.stop()
            // Another node: on the broker this is somebody else, who takes the old devices with him.
            try await home.start(["mqtt.node": "renamed-\(home.node)"].merging(prefix(home)) { $1 })
            let left = ["table-lamp", "television", "kitchen-light"]
            let renamed = "renamed-\(home.node)"
            let tails = ownTails(renamed) + left.map { "ha/device/trilateral_\(renamed)_\($0)/config" }
            let wanted = Set(tails.map { "\(home.root)/\($0)" })
            #expect(await eventually { await announced(visitor) == wanted })
            await home.stop()
            try await home.start(["discovery.enabled": "false"].merging(prefix(home)) { $1 })
            #expect(await eventually { await announced(visitor).isEmpty })
        }
    }

    @Test
    func `when the environment is left, its zones' lights are taken away before their topics are cleared`()
        async throws
    {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            try await visitor.awaits("zones/kitchen/lights")
            #expect(try await visitor.ask("environment/set", "next").outcome == "ok")
            try await visitor.awaits("zones/kitchen/lights", "")
            let cleared = await visitor.heard.filter(\.payload.isEmpty).map(\.topic)
            for zone in ["kitchen", "living-room"] {
                let config = cleared.firstIndex(of: "\(home.root)/\(tail(home, zone: zone))") ?? .max
                #expect(config < cleared.firstIndex(of: "\(home.root)/zones/\(zone)/lights") ?? -1, "\(zone)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `what a second daemon of our node has announced is replaced when it has gone`(isMet: Bool)
        async throws
    {
        try await withAnnouncedHome { home, visitor in
            try await awaits(home, visitor, Self.slugs)
            let lamp = tail(home, "table-lamp")
            func id(_ device: JSONValue) -> String? { device["components"]?["light"]?["unique_id"]?.string }
            let ours = id(try await visitor.awaits(lamp))
            try await withTemporaryFolder { folder in
                let second = try Home(in: folder, port: SharedMosquitto.broker.port)
                try await second.take()
                try await second.start(["mqtt.node": home.node].merging(prefix(home)) { $1 })
                try await visitor.awaits(lamp) { id($0) != ours }
                try await visitor.awaits("alert/duplicate-node")
                if isMet {
                    // Home Assistant comes, and may know either's entities by the other's ids.
                    await visitor.forget()
                    visitor.say("ha/status", "online")
                    #expect(await eventually { await visitor.objects(on: lamp).count >= 2 })
                }
                await visitor.forget()
                await second.stop()
                try await visitor.awaits(lamp) { id($0) == ours }
                #expect(await visitor.said(on: lamp).contains("") == isMet)
                try await awaits(home, visitor, Self.slugs)
                for tail in ["things/fridge/data", "zones/kitchen/lights", "status", "nearby"] {
                    #expect(await eventually { await visitor.text(tail) != nil }, "\(tail)")
                }
            }
        }
    }

    @Test
    func `what a second daemon of our node has announced is replaced when it goes while the broker is away`()
        async throws
    {
        var options = MosquittoOptions()
        options.hasStore = true
        try await withMosquitto(options) { broker in
            try await withAnnouncedHome(port: broker.port) { home, visitor in
                try await awaits(home, visitor, Self.slugs)
                let lamp = tail(home, "table-lamp")
                try await withTemporaryFolder { folder in
                    let second = Home(in: folder, port: broker.port)
                    try await second.take()
                    try await second.start(["mqtt.node": home.node].merging(prefix(home)) { $1 })
                    try await visitor.awaits("alert/duplicate-node")
                    await visitor.forget()
                    visitor.say("ha/status", "online")
                    #expect(await eventually { await visitor.objects(on: lamp).count >= 2 })
                    await broker.stop()
                    #expect(await home.logs("the link to the broker"))
                    await second.kill()
                    await visitor.forget()
                    try await broker.start()
                    // First ours, as after each connect; then nothing, so that Home Assistant forgets the other's.
                    try await visitor.awaits(lamp, "")
                    try await awaits(home, visitor, Self.slugs)
                }
            }
        }
    }

    @Test func `the lights of a zone are driven as one`() async throws {
        try await withAnnouncedHome { _, visitor in
            try await visitor.awaits("zones/living-room/lights") { $0["state"] == "ON" && $0["on"] == 1 }
            let answer = try await visitor.ask(
                "zones/living-room/set",
                #"{"state":"ON","brightness":255,"tx":5}"#
            )
            #expect(answer.outcome == "ok" && answer["target"] == ["kind": "zone", "slug": "living-room"])
            try await visitor.awaits("zones/living-room/lights") { $0["on"] == 2 && $0["brightness"] == 255 }
            try await visitor.awaits("things/television") { $0["state"] == "ON" }
            #expect(try await visitor.ask("zones/living-room/set", #"{"state":"OFF"}"#).outcome == "ok")
            try await visitor.awaits("zones/living-room/lights") { $0["state"] == "OFF" }
            #expect(try await visitor.ask("zones/cellar/set", #"{"state":"OFF"}"#).outcome == "unknown_thing")
            #expect(
                try await visitor.ask("zones/kitchen/set", #"{"warmth":1}"#).outcome == "unknown_attribute"
            )
        }
    }
}
