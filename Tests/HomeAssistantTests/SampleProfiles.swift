import Controller
import Flare
import HomeAssistant
import JSON
import Messages
import Profiles
import Things

/// Profiles written by hand, and places of things that have them.
enum SampleProfiles {
    static func property(
        _ name: String,
        _ control: PropertyControl? = nil,
        roles: [String] = [],
        actions: [(String, JSONValue)] = [],
        _ change: (inout ProfileProperty) -> Void = { _ in }
    ) -> ProfileProperty {
        var property = ProfileProperty(name: name)
        property.control = control
        property.roles = roles
        property.actions = actions.map { ProfileAction(name: $0.0, value: $0.1) }
        change(&property)
        return property
    }

    static func profile(
        _ name: String,
        _ properties: [ProfileProperty],
        _ change: (inout Profile) -> Void = { _ in }
    ) -> Profile {
        var profile = Profile(name: name, model: nil, origin: .builtIn)
        profile.properties = properties
        change(&profile)
        return profile
    }

    static func catalog(_ profiles: [Profile], _ strings: [(String, String, String)] = []) -> ThingCatalog {
        var library = ProfileLibrary()
        library.profiles = profiles
        for (language, key, text) in strings { library.strings.add(text, for: key, in: language) }
        return ThingCatalog(library)
    }

    /// The house with one more thing, of the short name `it`.
    static func house(
        _ profiles: [Profile],
        _ data: JSONObject,
        strings: [(String, String, String)] = []
    ) -> ControllerState {
        var state = House.state(catalog(profiles, strings))
        var thing = FlareThing(id: id)
        thing.name = "It"
        thing.zone = House.hall
        thing.data = data
        if let name = profiles.first?.name, data["profile"] == nil, data["oemModel"] == nil {
            thing.data["profile"] = .string(name)
        }
        state.things[id] = thing
        _ = state.slugs.assign(to: ObjectReference(.thing, id), name: thing.name)
        return state
    }

    static let id = FlareID(high: 5, low: 0)

    static let thermostat = profile(
        "thermostat",
        [
            property("setpoint", .decimalInput, roles: ["temperature_setpoint"]) {
                $0.minimum = 5
                $0.maximum = 35
                $0.step = 0.5
                $0.unit = "°C"
            },
            property("temperature", .readonlyText, roles: ["temperature"]) {
                $0.unit = "°C"
                $0.isOptional = true
            },
            property(
                "mode",
                roles: ["hvac_mode"],
                actions: [
                    ("off", "off"), ("heat", "heat"), ("cool", "cool"), ("auto", "auto"), ("eco", "eco"),
                ]
            ) { $0.isOptional = true },
            property("activity", .readonlyText, roles: ["hvac_action"]) { $0.isOptional = true },
        ]
    ) {
        $0.title = "Thermostat"
        $0.icon = "mdi:thermostat"
    }

    static let blind = profile(
        "blind",
        [
            property(
                "position",
                .slider,
                roles: ["cover_position", "blind"],
                actions: [("open", 100), ("close", 0)]
            ),
            property("tilt", .slider, roles: ["cover_tilt"]) { $0.isOptional = true },
            property("movement", .readonlyText, roles: ["cover_state"]) { $0.isOptional = true },
        ]
    )

    static let socket = profile(
        "socket",
        [
            property("on", .switch, roles: ["on_off", "outlet"]),
            property("power", .readonlyText, roles: ["power"]) { $0.isOptional = true },
            property("energy", .readonlyText, roles: ["energy"]) {
                $0.isOptional = true
                $0.unit = "kWh"
            },
        ]
    )

    static let fan = profile(
        "fan",
        [
            property("on", .switch, roles: ["on_off"]),
            property("speed", .slider, roles: ["fan_speed"]) { $0.unit = "%" },
            property(
                "mode",
                roles: ["fan_mode"],
                actions: [("fan_auto", 0), ("fan_low", 1), ("fan_high", 2)]
            ),
        ]
    )

    static let coffee = profile(
        "coffee-machine",
        [
            property("on", .switch, roles: ["on_off"]),
            property("strength", actions: [("mild", 1), ("strong", 3)]),
            property("brew", .button, actions: [("espresso", 1), ("lungo", 2)]),
            property("water", .readonlyText) { $0.unit = "%" },
        ]
    )

    /// The first device of an AMAP file as it is printed.
    static let valve = profile(
        "valve-1",
        [
            property("target_temp", .decimalInput), property("room_temp", .readonlyText),
            property("heating", actions: [("heat_off", 0), ("heat_on", 1)]),
        ]
    )
}
