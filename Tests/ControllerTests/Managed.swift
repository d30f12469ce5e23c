import Controller
import Flare
import JSON
import Profiles
import Things

/// The sample home with things that have profiles.
enum Managed {
    static let catalog: ThingCatalog = {
        var library = ProfileLibrary()
        library.profiles = [
            profile(
                "strip",
                [
                    property("relay", actions: [("turn_off", 0), ("turn_on", 1)], roles: ["on_off"]),
                    property("dim", .dimmer), property("tint", .colourPicker), property("speed", .slider),
                ]
            ),
            profile("spot", [property("dim", .dimmer)]),
            profile(
                "light",
                [
                    property("on", .switch, roles: ["on_off"]), property("brightness", .dimmer),
                    property("color", .colourPicker),
                ]
            ),
            profile(
                "valve",
                [
                    property("target_temp", .decimalInput), property("room_temp", .readonlyText),
                    property("heating", actions: [("heat_off", 0), ("heat_on", 1)]),
                    property("on", .switch),
                ]
            ),
        ]
        return ThingCatalog(library)
    }()

    private static func profile(_ name: String, _ properties: [ProfileProperty]) -> Profile {
        var profile = Profile(name: name, model: nil, origin: .builtIn)
        profile.properties = properties
        return profile
    }

    private static func property(
        _ name: String,
        _ control: PropertyControl? = nil,
        actions: [(String, JSONValue)] = [],
        roles: [String] = []
    ) -> ProfileProperty {
        var property = ProfileProperty(name: name)
        property.control = control
        property.actions = actions.map { ProfileAction(name: $0.0, value: $0.1) }
        property.roles = roles
        return property
    }

    static let strip: JSONObject = [
        "profile": "strip", "relay": 1, "dim": 50, "tint": "red", "minor": 1,
    ]
    static let spot: JSONObject = ["profile": "spot", "dim": 100, "minor": 2]
    static let valve: JSONObject = [
        "profile": "valve", "target_temp": 21, "room_temp": 20.5, "heating": 0,
    ]

    static var things: [FlareThing] {
        House.things.map { thing in
            var thing = thing
            switch thing.id {
            case House.lamp: thing.data = strip
            case House.floorLamp: thing.data = spot
            case House.kettle: thing.data = valve
            default: break
            }
            return thing
        }
    }

    static var configuration: ControllerConfiguration {
        var configuration = ControllerConfiguration()
        configuration.catalog = catalog
        return configuration
    }

    /// A controller at home with these things.
    static func atHome() -> Rig {
        var server = HouseServer()
        server.things = things
        return Rig.atHome(configuration, server: server)
    }

    // MARK: For random scenarios

    static let attributes: [(String, [JSONValue])] = [
        ("relay", ["ON", "turn_off", "TOGGLE", 1]), ("dim", [0, 1, 50, 100, "30%", 101]),
        ("tint", ["blue", "#f80"]), ("speed", [0, 40]), ("heating", ["ON", "TOGGLE", "heat_off"]),
        ("target_temp", [20.5, 7]), ("on", ["TOGGLE", true]),
    ]
    static let actions = ["turn_on", "turn_off", "heat_on", "relay.turn_on", "off", "darker", "nextColor"]
    /// What another client sets.
    static let values: [(String, [JSONValue])] = [
        ("profile", ["strip", "spot", "light", "valve", "nobody"]), ("relay", [0, 1]),
        ("dim", [0, 20, 99]), ("heating", [0, 1]),
    ]
}
