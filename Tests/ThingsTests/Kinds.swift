import JSON
import Profiles
import Things

/// Profiles for the tests of this target.
enum Kinds {
    static func property(
        _ name: String,
        _ control: PropertyControl? = nil,
        actions: [(String, JSONValue)] = [],
        roles: [String] = [],
        range: ClosedRange<Double>? = nil,
        isOptional: Bool = false
    ) -> ProfileProperty {
        var property = ProfileProperty(name: name)
        property.control = control
        property.actions = actions.map { ProfileAction(name: $0.0, value: $0.1) }
        property.roles = roles
        property.minimum = range?.lowerBound
        property.maximum = range?.upperBound
        property.isOptional = isOptional
        return property
    }

    static func profile(
        _ name: String,
        model: String? = nil,
        deviceControl: String = "generic",
        _ properties: [ProfileProperty]
    ) -> Profile {
        var profile = Profile(name: name, model: model, origin: .builtIn)
        profile.deviceControl = deviceControl
        profile.properties = properties
        return profile
    }

    static func kind(deviceControl: String = "generic", _ properties: [ProfileProperty]) -> ThingKind {
        ThingKind(profile("test", deviceControl: deviceControl, properties))
    }

    static func catalog(_ profiles: [Profile], assignments: [String: String] = [:]) -> ThingCatalog {
        var library = ProfileLibrary()
        library.profiles = profiles
        return ThingCatalog(library, assignments: assignments)
    }

    /// As a light without a profile, but for its properties.
    static let plainLight = kind([
        property("on", .switch, roles: ["on_off"]), property("brightness", .dimmer, range: 0...1),
        property("color", .colourPicker),
    ])

    /// A light whose properties have other names and values.
    static let foreignLight = kind([
        property("relay", actions: [("turn_off", 0), ("turn_on", 1)], roles: ["on_off"]),
        property("dim", .dimmer), property("tint", .colourPicker),
        property("brightness", .slider), property("speed", .integerInput, range: 1...9),
    ])

    /// A light that is off at a brightness of 0.
    static let dimmerOnly = kind([property("dim", .dimmer)])

    static let valve = kind([
        property("target_temp", .decimalInput, range: 5...30), property("room_temp", .readonlyText),
        property("heating", actions: [("heat_off", 0), ("heat_on", 1)]),
    ])
}
