import Controller
import Flare
import HomeAssistant
import JSON
import SeededRandom
import Testing

struct PayloadTests {
    @Test(arguments: 0..<30)
    func `Home Assistant accepts every payload of any place`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let state = RandomPlace.state(&random)
        let choice = DiscoverySettings.Things.allCases.randomElement(using: &random) ?? .all
        let (hasMap, hasLocation) = (Bool.random(using: &random), Bool.random(using: &random))
        var desk = Desk(
            House.configuration {
                $0.settings.things = seed % 3 == 0 ? choice : .all
                $0.hasMap = hasMap
                $0.hasLocation = hasLocation
            }
        )
        desk.announcer.setLinks(["flare", "bluetooth", "gps"])
        desk.announce(state)
        #expect(desk.device() != nil)
        for (topic, payload) in desk.held {
            #expect(PayloadCheck(payload).problems == [], "\(topic)")
            #expect(payload.bytes.count < 16_384)
        }
        for topic in desk.held.keys {
            let levels = topic.split(separator: "/")
            #expect(levels.count == 4 && levels.first == "homeassistant" && levels.last == "config")
            #expect(levels[2].utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) })
        }
    }

    @Test func `the payload check finds errors`() {
        func problems(_ component: JSONObject, _ device: JSONObject = [:]) -> Int {
            let named: JSONObject = ["identifiers": ["i"], "name": "n"]
            let block: JSONValue = .object(named.merging(device) { $1 })
            let plain: JSONObject = ["unique_id": "u", "name": "n", "default_entity_id": "light.a"]
            let whole = plain.merging(component) { $1 }
            return PayloadCheck([
                "device": block, "origin": ["name": "o"], "components": ["light": .object(whole)],
            ]).problems.count
        }
        let light: JSONObject = [
            "platform": "light", "schema": "json", "command_topic": "a", "supported_color_modes": ["rgb"],
        ]
        #expect(problems(light) == 0)
        #expect(problems(light.merging(["object_id": "x"]) { $1 }) == 1)
        #expect(problems(light.merging(["color_mode": true]) { $1 }) == 1)
        #expect(problems(light.merging(["state_topic": "a/+"]) { $1 }) == 1)
        #expect(problems(light.merging(["supported_color_modes": ["rgb", "onoff"]]) { $1 }) == 1)
        #expect(problems(light.merging(["command_topic": .null]) { $1 }) == 1)
        #expect(problems(light, ["via_hub": "x"]) == 1)
        #expect(problems(["platform": "lamp"]) == 1)
    }

    @Test func `two nodes share no topic, identifier or unique id`() {
        var topics: Set<String> = [], identifiers: Set<String> = []
        var count = 0
        // The second node has the name of a thing of the first.
        for (node, installation) in [("n1", "00000001"), ("n1-lamp", "00000002")] {
            var desk = Desk(House.configuration(node) { $0.installation = installation })
            desk.announce(House.state)
            for (topic, payload) in desk.held {
                count += 1
                topics.insert(topic)
                for identifier in payload["device"]?["identifiers"]?.array?.compactMap(\.string) ?? [] {
                    identifiers.insert(identifier)
                    #expect(identifier.hasPrefix("trilateral_\(installation)"))
                }
                for component in payload["components"]?.object?.values.map({ $0 }) ?? [] {
                    #expect(component["unique_id"]?.string?.hasPrefix("\(installation)_") == true)
                }
            }
        }
        // The daemon's own device has two payloads.
        #expect(topics.count == count && identifiers.count == count - 2)
    }

    @Test func `entities that exceed the limits are omitted with a warning`() {
        var state = House.state
        state.things[House.lamp]?.data["options"] = .array((0..<5000).map { .string("colour \($0)") })
        state.things[House.television]?.actions = (0..<500).map { "channel\($0)" }
        for index in 0..<200 {
            var lamp = FlareThing(id: FlareID(high: 9, low: UInt32(index)))
            lamp.zone = House.hall
            lamp.name = String(repeating: "x", count: 40) + "\(index)"
            lamp.data = ["on": true]
            state.things[lamp.id] = lamp
            _ = state.slugs.assign(to: ObjectReference(.thing, lamp.id), name: lamp.name)
        }
        var desk = Desk()
        desk.announce(state)
        let remarks = desk.announcer.drainWarnings()
        #expect(remarks.contains { $0.contains("the thing lamp ") && $0.contains("select_palette") })
        #expect(remarks.contains { $0.contains("the thing tv-set ") && $0.contains("button_channel") })
        #expect(!remarks.contains { $0.contains("daemon") })
        desk.announce(state)
        #expect(desk.announcer.drainWarnings().isEmpty, "once is enough")
        #expect(desk.component("light", of: "lamp") != nil)
        #expect(desk.component("select_palette", of: "lamp") == nil)
        #expect(desk.component("button_channel10", of: "tv-set") != nil)
        #expect(desk.component("light_hall_lights") != nil)
        #expect(desk.held.values.allSatisfy { $0.bytes.count < 16_384 })
    }
}
