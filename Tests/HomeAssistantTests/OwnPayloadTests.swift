import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// The payloads of the daemon's own device.
struct OwnPayloadTests {
    private static let own = "homeassistant/device/trilateral_n1/config"
    private static let diagnostics = "homeassistant/device/trilateral_n1__diagnostics/config"

    @Test(arguments: [30, 200])
    func `many zones with long names are complete in small payloads`(count: Int) {
        var desk = Desk()
        for link in [["flare", "bluetooth"], ["flare", "bluetooth", "compass", "gps"]] {
            desk.announcer.setLinks(Set(link))
        }
        let state = House.withZones(count)
        desk.announce(state)
        #expect(desk.announcer.drainWarnings() == [])
        let lights = desk.ownComponents.filter { $0.hasSuffix("_lights") }
        let occupancies = desk.ownComponents.filter { $0.hasSuffix("_occupancy") }
        #expect(lights.count == count + 2 && occupancies.count == count + 2)
        for key in ["binary_sensor_problem", "binary_sensor_flare", "binary_sensor_gps", "sensor_dropped"] {
            #expect(desk.component(key)?["unique_id"] != nil, "\(key)")
        }
        for payload in desk.ownPayloads {
            #expect(payload.bytes.count < 16_384)
            #expect(PayloadCheck(payload).problems == [])
        }
    }

    @Test func `both payloads of the own device have the same block, and no entity is there twice`() {
        let payloads = Desk.ofHouse { $0.flareURL = "http://panel.local:1234" }.ownPayloads
        #expect(payloads.count == 4)
        #expect(Set(payloads.prefix(2).map { $0["device"]?.text }).count == 1)
        let ids = payloads.flatMap { payload in
            payload["components"]?.object?.values.compactMap { $0["unique_id"]?.string } ?? []
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `a removed zone is removed at once while the next place is being loaded`() {
        var desk = Desk.ofHouse()
        var state = House.state
        state.zones = [:]
        state.things = [:]
        state.isPlaceKnown = false
        let facets = [House.hall, House.attic].map { StateChange.object(ObjectReference(.zone, $0)) }
        let told = desk.change(state, Set(facets).union([.zone, .environment]))
        #expect(Set(told) == Set(["-\(House.zoneTopic("hall"))", "-\(House.zoneTopic("attic"))"]))
        #expect(desk.device() != nil)
    }

    @Test func `adding or removing a zone changes no other zone's payload`() {
        var desk = Desk()
        desk.announce(House.withZones(30))
        desk.forget()
        var state = House.withZones(30)
        let gone = FlareID(high: 6, low: 7)
        state.zones[gone] = nil
        state.things[FlareID(high: 7, low: 7)] = nil
        let changes: Set<StateChange> = [
            .object(ObjectReference(.zone, gone)), .object(ObjectReference(.thing, FlareID(high: 7, low: 7))),
        ]
        #expect(desk.change(state, changes).count == 2)
        #expect(desk.sent.allSatisfy { $0.payload.isEmpty })
        desk.forget()
        desk.change(House.withZones(30), changes)
        desk.tell(at: 0)
        #expect(desk.sent.count == 2)
    }

    @Test func `a zone with too many lights has its light without the member list`() {
        var state = House.state
        for index in 0..<600 {
            var lamp = FlareThing(id: FlareID(high: 9, low: UInt32(index)))
            lamp.zone = House.hall
            lamp.name = String(repeating: "x", count: 40) + "\(index)"
            lamp.data = ["on": true]
            state.things[lamp.id] = lamp
            _ = state.slugs.assign(to: ObjectReference(.thing, lamp.id), name: lamp.name)
        }
        var desk = Desk()
        desk.announce(state)
        #expect(desk.component("light_hall_lights")?["state_topic"] != nil)
        #expect(desk.component("light_hall_lights")?["group"] == nil)
        #expect(desk.announcer.drainWarnings() == [])
    }

    // MARK: From the single payload of earlier versions

    private static let earlier = [
        own: "select.environment light.hall_lights light.attic_lights sensor.x sensor.uptime #1f"
    ]

    @Test
    func
        `components of an earlier version's single payload are removed before they are announced in another`()
    {
        var desk = Desk(House.configuration(), remembered: Self.earlier)
        desk.announce(House.state)
        // The old payload names them by their platform, and no other payload contains them yet.
        #expect(desk.component("light_hall_lights") == ["platform": "light"])
        #expect(desk.component("sensor_x") == ["platform": "sensor"])
        #expect(desk.held[Self.diagnostics] == nil && desk.held[House.zoneTopic("hall")] == nil)
        desk.tell(at: 1999)
        #expect(desk.component("light_hall_lights") == ["platform": "light"])
        desk.tell(at: 2000)
        #expect(desk.component("light_hall_lights")?["unique_id"] == "0badcafe_light_hall_lights")
        #expect(
            desk.component("light_hall_lights")?["default_entity_id"] == "light.trilateral_n1_hall_lights"
        )
        #expect(desk.component("sensor_x")?["unique_id"] == "0badcafe_sensor_x")
        #expect(desk.device()?["components"]?["light_hall_lights"] == nil)
        let order = desk.sent.map(\.topic)
        #expect(order.lastIndex(of: Self.own) ?? .max < order.firstIndex(of: Self.diagnostics) ?? -1)
        #expect(!desk.announcer.hasWork)
    }

    @Test func `a birth message moves components without restoring removed ones`() {
        var desk = Desk(House.configuration(), remembered: Self.earlier)
        desk.announce(House.state, isBirth: true)
        #expect(!desk.sent.contains { $0.payload.contains("n1/gone") })
        #expect(desk.component("light_hall_lights") == ["platform": "light"])
        desk.tell(at: 9000)
        #expect(desk.component("light_hall_lights")?["unique_id"] == "0badcafe_light_hall_lights")
        #expect(desk.component("sensor_uptime")?["state_topic"] != nil)
    }

    @Test func `while Home Assistant is offline components move directly`() {
        var desk = Desk(House.configuration(), remembered: Self.earlier)
        desk.announcer.setOnline(false)
        desk.announce(House.state)
        #expect(desk.component("light_hall_lights")?["unique_id"] == "0badcafe_light_hall_lights")
        desk.announcer.setOnline(true)
        desk.forget()
        desk.announce(House.state, isBirth: true, at: 5000)
        #expect(!desk.sent.contains { $0.payload.contains("n1/gone") })
    }

    @Test func `the Flare server's page is linked when others can open it`() {
        for (url, isNamed) in [
            ("http://panel.local:1234", true), ("https://10.0.0.7", true), ("http://[fd00::1]:80", true),
            ("", false), ("http://127.0.0.1:1234", false), ("http://localhost:1", false),
            ("http://[::1]:1", false), ("ftp://panel", false), ("http://user:secret@panel", false),
            ("http://:80", false),
        ] {
            let desk = Desk.ofHouse { $0.flareURL = url }
            #expect((desk.device()?["device"]?["configuration_url"] == .string(url)) == isNamed, "\(url)")
            #expect(desk.device("lamp")?["device"]?["configuration_url"] == nil)
        }
        var desk = Desk.ofHouse()
        desk.announcer.setFlareURL("http://panel.local:1234")
        #expect(Set(desk.change(House.state, [])) == Set(House.ownTopics.prefix(2)))
        let both = Desk.ofHouse {
            $0.flareURL = "http://panel.local:1234"
            $0.publicURL = "https://panel.example.org/kiosk"
        }
        #expect(both.device()?["device"]?["configuration_url"] == "https://panel.example.org/kiosk")
    }

    @Test func `with several devices a zone's occupancy is the zone's, with the names of who is in it`() {
        var state = House.state
        state.nodes["anna"] = DeviceNode(ListedNode(node: "anna", name: "Anna"))
        var desk = Desk()
        desk.announce(state)
        let sensor = desk.component("binary_sensor_hall_occupancy")
        #expect(sensor?["state_topic"] == "trilateral/n1/zones/hall")
        #expect(sensor?["json_attributes_topic"] == "trilateral/n1/zones/hall")
        #expect(
            sensor?["value_template"]
                == "{{ ('None' if value_json.occupied is not defined else 'ON' if value_json.occupied else 'OFF') if value_json is defined else 'None' }}"
        )
        #expect(sensor?["json_attributes_template"]?.string?.contains("map(attribute='name')") == true)
        #expect(
            sensor?["unique_id"] == Desk.ofHouse().component("binary_sensor_hall_occupancy")?["unique_id"]
        )
    }

    @Test func `after the last further device is gone a zone's occupancy has no names any more`() {
        // Home Assistant keeps the last attributes of an entity that has no topic for them.
        let sensor = Desk.ofHouse().component("binary_sensor_hall_occupancy")
        #expect(sensor?["json_attributes_topic"] == "trilateral/n1/zone")
        #expect(sensor?["json_attributes_template"] == "{{ '{}' }}")
    }

    @Test func `the node of a further device announces its device, and nothing of the place`() {
        let desk = Desk.ofHouse {
            $0.publishesPlace = false
            ($0.settings.things, $0.settings.rules) = (.none, false)
        }
        #expect(Set(desk.held.map(\.key)) == Set(House.ownTopics.prefix(2)))
        #expect(desk.component("light_nearby") != nil && desk.component("sensor_zone") != nil)
        #expect(desk.component("button_restart") == nil && desk.component("button_reload") == nil)
    }

    @Test func `a zone's occupancy shows whether the device is in it, in the zone's area`() {
        let desk = Desk.ofHouse()
        let sensor = desk.component("binary_sensor_hall_occupancy")
        let device = desk.held[House.zoneTopic("hall")]?["device"]
        #expect(device?["suggested_area"] == "Hall" && device?["via_device"] == "trilateral_0badcafe")
        #expect(sensor?["name"] == nil)
        #expect(sensor?["device_class"] == "occupancy")
        #expect(sensor?["state_topic"] == "trilateral/n1/zone")
        #expect(sensor?["default_entity_id"] == "binary_sensor.trilateral_n1_hall_occupancy")
        #expect(
            sensor?["value_template"]
                == "{{ ('ON' if value_json.slug is defined and value_json.slug == 'hall' else 'OFF') if value_json is defined else 'None' }}"
        )
    }
}
