import Controller
import Flare
import HomeAssistant
import JSON
import Messages
import Profiles
import SeededRandom
import Testing
import Things

/// Profiles that come, go and change, and values that do.
struct ChangedProfileTests {
    private static let topic = "homeassistant/device/trilateral_n1_it/config"
    private static let facet: Set<StateChange> = [.object(ObjectReference(.thing, SampleProfiles.id))]
    private static let profiles = [
        SampleProfiles.thermostat, SampleProfiles.blind, SampleProfiles.socket, SampleProfiles.valve,
    ]

    private func keys(_ desk: Desk) -> [String] {
        desk.device("it")?["components"]?.object?.keys.sorted() ?? []
    }

    @Test func `a thing without a profile gets one, another one and none, and no entity is left behind`() {
        let data: JSONObject = ["profile": "nobody's", "position": 40, "setpoint": 21]
        var state = SampleProfiles.house(Self.profiles, data)
        var desk = Desk()
        desk.announce(state)
        let plain = keys(desk)
        #expect(plain == ["number_position", "number_setpoint"])
        for (index, (profile, expected)) in [
            ("blind", ["cover"]), ("thermostat", ["climate"]), ("nobody's", plain),
        ].enumerated() {
            let before = keys(desk)
            state.things[SampleProfiles.id]?.data["profile"] = .string(profile)
            desk.forget()
            #expect(desk.change(state, Self.facet, at: Int64(index) * 10_000).first == Self.topic)
            // What goes is named by its platform alone, then it is left out.
            let first = desk.device("it")?["components"]?.object ?? [:]
            for key in before where !expected.contains(key) {
                #expect(first[key]?.object?.count == 1, "\(key)")
            }
            desk.tell(at: Int64(index) * 10_000 + 5000)
            #expect(keys(desk) == expected)
        }
    }

    @Test func `an optional value that comes or goes brings or takes its entity`() {
        var state = SampleProfiles.house([SampleProfiles.socket], ["on": true])
        var desk = Desk()
        desk.announce(state)
        #expect(keys(desk) == ["switch"])
        state.things[SampleProfiles.id]?.data["power"] = 3.5
        desk.change(state, Self.facet)
        #expect(keys(desk) == ["sensor_power", "switch"])
        state.things[SampleProfiles.id]?.data["power"] = .null
        desk.change(state, Self.facet, at: 10_000)
        desk.tell(at: 20_000)
        #expect(keys(desk) == ["switch"])
    }

    @Test(
        arguments: [
            ("target_temp", 22), ("target_temp", 22.5), ("room_temp", 21), ("heating", 1), ("other", 2.5),
        ] as [(String, JSONValue)]
    )
    func `a changed value announces nothing, also where only the value tells the type`(
        key: String,
        value: JSONValue
    ) {
        var valve = SampleProfiles.valve
        valve.properties.append(SampleProfiles.property("other"))
        var state = SampleProfiles.house(
            [valve],
            ["target_temp": 21, "room_temp": 20.5, "heating": 0, "other": 2]
        )
        var desk = Desk()
        desk.announce(state)
        state.things[SampleProfiles.id]?.data[key] = value
        #expect(desk.change(state, Self.facet) == [])
        var fresh = Desk()
        fresh.announce(state)
        #expect(fresh.device("it") == desk.device("it"))
    }

    @Test func `a light of another profile changes what is nearby and its zone's light`() {
        let dimmer = SampleProfiles.profile(
            "dimmer",
            [
                SampleProfiles.property("relay", .switch, roles: ["on_off"]),
                SampleProfiles.property("dim", .dimmer),
            ]
        )
        var state = SampleProfiles.house(
            [dimmer, SampleProfiles.socket],
            ["profile": "dimmer", "relay": true, "dim": 40]
        )
        state.nearbyID = SampleProfiles.id
        var desk = Desk()
        desk.announce(state)
        #expect(keys(desk) == ["light"])
        #expect(desk.component("light", of: "it")?["supported_color_modes"] == ["brightness"])
        #expect(desk.component("light_nearby")?["supported_color_modes"] == ["rgb"])
        #expect(desk.component("light_hall_lights")?["group"]?.array?.count == 3)
        state.things[SampleProfiles.id]?.data["profile"] = "socket"
        desk.change(state, Self.facet)
        desk.tell(at: 5000)
        #expect(keys(desk) == ["switch"])
        #expect(desk.component("light_hall_lights")?["group"]?.array?.count == 2)
    }

    @Test(
        arguments: ["light", "dimmer", "color-light"],
        [[:], ["on": true, "brightness": 0.4, "color": "red"]] as [JSONObject]
    )
    func `a light and its zone show a colour mode that was announced, also before the first values`(
        profile: String,
        values: JSONObject
    ) {
        var data = values
        data["profile"] = .string(profile)
        var state = SampleProfiles.house(ProfileLibrary.builtIn.profiles, data)
        for id in [House.lamp, House.strip] { state.things[id]?.zone = nil }
        var desk = Desk()
        desk.announce(state)
        var lights = ZoneLights()
        for id in state.things.keys.sorted() { _ = lights.update(id, in: state) }
        for (component, message) in [
            (desk.component("light", of: "it"), state.thingJSON(SampleProfiles.id)),
            (desk.component("light_hall_lights"), lights.json(of: House.hall)),
        ] {
            let modes = component?["supported_color_modes"]?.array ?? []
            #expect(modes.count == 1)
            if let mode = message?["color_mode"] { #expect(modes.contains(mode)) }
        }
    }

    @Test func `a thing that a later run finds with another profile loses its old entities`() {
        var desk = Desk()
        desk.announce(SampleProfiles.house(Self.profiles, ["profile": "blind", "position": 40]))
        var later = Desk(House.configuration(), remembered: desk.announcer.drainAnnounced())
        later.announce(SampleProfiles.house(Self.profiles, ["profile": "thermostat", "setpoint": 20]))
        let sent = later.sent.filter { $0.topic == Self.topic }
        #expect(sent.first?.payload.contains(#""cover":{"platform":"cover"}"#) == true)
        #expect(keys(later) == ["climate"] || keys(later) == ["climate", "cover"])
        later.tell(at: 5000)
        #expect(keys(later) == ["climate"])
    }

    @Test
    func `after any changes of profiles and values the broker has the same payloads as after a fresh start`()
    {
        var random = SplitMix64(seed: 77)
        for _ in 0..<12 {
            let profiles = (0..<5).map { RandomProfile.profile(&random, named: "p\($0)") }
            var state = SampleProfiles.house(profiles, RandomProfile.data(&random, for: profiles[0]))
            var desk = Desk()
            desk.announce(state)
            for _ in 0..<15 {
                let profile = profiles.randomElement(using: &random)
                if Int.random(in: 0..<4, using: &random) == 0, let profile {
                    state.things[SampleProfiles.id]?.data = RandomProfile.data(&random, for: profile)
                } else {
                    let keys = state.things[SampleProfiles.id]?.data.keys.sorted() ?? []
                    let key = keys.randomElement(using: &random) ?? "on"
                    if key == "profile" { continue }
                    state.things[SampleProfiles.id]?.data[key] = RandomProfile.value(&random)
                }
                desk.change(state, Self.facet)
            }
            for now in [100_000, 200_000] as [Int64] { desk.tell(at: now) }
            var fresh = Desk()
            fresh.announce(state)
            #expect(Self.withoutIDs(desk.device("it")) == Self.withoutIDs(fresh.device("it")))
        }
    }

    /// What comes back proposes no entity id.
    private static func withoutIDs(_ device: JSONValue?) -> JSONObject? {
        guard var members = device?.object else { return nil }
        members["components"] = .object(
            (members["components"]?.object ?? [:]).mapValues { component in
                .object((component.object ?? [:]).filter { $0.key != "default_entity_id" })
            }
        )
        return members
    }
}
