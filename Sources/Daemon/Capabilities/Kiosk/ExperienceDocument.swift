package import JSON
package import Profiles

/// What the profile files say of things, screens, menu, controls and colours, as `GET /api/experience` shows it.
///
/// Everything is joined and resolved, the built-in profiles are in it, and `sdkConfig` is not. The member `language` is
/// added when it is sent, because it changes at run time.
package struct ExperienceDocument {
    private let library: ProfileLibrary
    private let modules: Set<String>
    private let languages: [String]

    /// - Parameters:
    ///   - modules: The classes of own screens and controls.
    ///   - languages: The tags of the lifecycle's languages.
    package init(_ library: ProfileLibrary, modules: Set<String>, languages: [String]) {
        (self.library, self.modules, self.languages) = (library, modules, languages)
    }

    package var members: JSONObject {
        let strings = library.strings.tables.mapValues {
            JSONValue.object(JSONObject($0.mapValues { .string($0) }))
        }
        var members: JSONObject = [
            "languages": .array(languages.map { .string($0) }),
            "modules": .array(modules.sorted().map { .string($0) }),
            "devices": .array(library.profiles.map(Self.json)),
            "strings": .object(JSONObject(strings)),
        ]
        members["version"] = library.application.version.map { .string($0) }
        members["name"] = library.application.name.map { .string($0) }
        members["applicationIdentifier"] = library.application.identifier.map { .string($0) }
        members["userExperience"] = library.experience.map(Self.json)
        return members
    }

    private static func json(_ profile: Profile) -> JSONValue {
        var members: JSONObject = [
            "oemModel": .string(profile.name),
            "deviceControl": .string(profile.deviceControl),
            "managedProperties": .array(profile.properties.map(json)),
        ]
        members["model"] = profile.model.map { .string($0) }
        members["name"] = profile.title.map { .string($0) }
        members["icon"] = profile.icon.map { .string($0) }
        members["detailScreen"] = profile.detailScreen.map { .string($0) }
        members["scheduleScreen"] = profile.scheduleScreen.map { .string($0) }
        return .object(members)
    }

    private static func json(_ property: ProfileProperty) -> JSONValue {
        var members: JSONObject = [
            "name": .string(property.name),
            "control": property.controlName.map { .string($0) } ?? .null,
            "roles": .array(property.roles.map { .string($0) }),
            "actions": .array(property.actions.map { ["name": .string($0.name), "value": $0.value] }),
            "optional": .bool(property.isOptional),
            "notify": .bool(property.notifies),
            "schedule": .bool(property.isScheduled),
        ]
        members["min"] = property.minimum.map { .number($0) }
        members["max"] = property.maximum.map { .number($0) }
        members["step"] = property.step.map { .number($0) }
        members["unit"] = property.unit.map { .string($0) }
        return .object(members)
    }

    private static func json(_ experience: Experience) -> JSONValue {
        [
            "signInScreen": .string(experience.signInScreen),
            "homeScreen": .string(experience.homeScreen),
            "drawerMenu": .array(experience.drawerMenu.map { .string($0) }),
            "defaultConfig": .object(experience.defaults),
            "colors": .array(
                experience.colours.map {
                    ["name": .string($0.name), "value": .string(longForm(of: $0.value))]
                }
            ),
            "screens": .array(experience.screens.map { json($0, parameters: "config") }),
            "controls": .array(experience.controls.map { json($0, parameters: "extras") }),
        ]
    }

    private static func json(_ part: Experience.Part, parameters: String) -> JSONValue {
        var members: JSONObject = [
            "name": .string(part.name), "class": .string(part.className),
            parameters: .object(part.parameters),
        ]
        members["title"] = part.title.map { .string($0) }
        members["icon"] = part.icon.map { .string($0) }
        return .object(members)
    }

    /// `#RRGGBB` of a colour that may be `#RGB`.
    private static func longForm(of colour: String) -> String {
        let digits = colour.dropFirst()
        guard colour.hasPrefix("#"), digits.count == 3 else { return colour.lowercased() }
        return "#" + digits.map { "\($0)\($0)" }.joined().lowercased()
    }
}
