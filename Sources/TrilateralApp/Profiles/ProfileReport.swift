import HomeAssistant
import JSON
import Profiles
import Things

/// Profiles and their properties as tables, and as JSON.
enum ProfileReport {
    static func fullName(of profile: Profile) -> String {
        profile.model.map { "\(profile.name)/\($0)" } ?? profile.name
    }

    static func table(of profiles: [Profile]) -> TextTable {
        TextTable(
            header: ["PROFILE", "MODEL", "SOURCE", "PROPERTIES"],
            rows: profiles.map { [$0.name, $0.model ?? "", source(of: $0), String($0.properties.count)] }
        )
    }

    static func table(of profile: Profile) -> TextTable {
        TextTable(
            header: [
                "PROPERTY", "ACCESS", "TYPE", "MIN", "MAX", "STEP", "UNIT", "WORDS", "ACTIONS", "CONTROL",
                "PLATFORM", "ROLES", "FLAGS",
            ],
            rows: rows(of: profile).map { row in
                let property = row.property
                let limits = [property.minimum, property.maximum, property.step]
                let actions = property.actions.map { action in
                    let value = plain(action.value)
                    return action.name == value ? value : "\(action.name)=\(value)"
                }
                return [property.name, row.access, row.type ?? ""]
                    + limits.map { $0.map { JSONValue.number($0).text } ?? "" } + [property.unit ?? ""]
                    + [property.legalWords, actions].map { $0.joined(separator: ",") }
                    + [property.control.rawValue, row.platform ?? ""]
                    + [property.roles, row.flags].map { $0.joined(separator: ",") }
            }
        )
    }

    static func summary(of profile: Profile) -> JSONValue {
        [
            "name": .string(profile.name), "model": profile.model.map { .string($0) } ?? .null,
            "source": .string(source(of: profile)), "properties": JSONValue(profile.properties.count),
        ]
    }

    static func json(of profile: Profile) -> JSONValue {
        var members = summary(of: profile).object ?? [:]
        members["properties"] = .array(
            rows(of: profile).map { row in
                var members: JSONObject = [
                    "name": .string(row.property.name), "type": row.type.map { .string($0) } ?? .null,
                    "control": .string(row.property.control.rawValue), "access": .string(row.access),
                    "platform": row.platform.map { .string($0) } ?? .null,
                    "roles": .array(row.property.roles.map { .string($0) }),
                    "actions": .array(
                        row.property.actions.map { ["name": .string($0.name), "value": $0.value] }
                    ),
                    "flags": .array(row.flags.map { .string($0) }),
                ]
                members["min"] = row.property.minimum.map { .number($0) }
                members["max"] = row.property.maximum.map { .number($0) }
                members["step"] = row.property.step.map { .number($0) }
                members["unit"] = row.property.unit.map { .string($0) }
                return .object(members)
            }
        )
        return .object(members)
    }

    private struct Row {
        let property: ThingProperty
        let platform: String?
        let flags: [String]

        var type: String? { property.type == .unknown ? nil : property.type.rawValue }
        var access: String { property.isReadOnly ? "r" : "rw" }
    }

    private static func rows(of profile: Profile) -> [Row] {
        let kind = ThingKind(profile)
        let platforms = ThingEntities.platforms(of: kind)
        return zip(kind.allProperties, profile.properties).map { property, written in
            let flags = [
                ("notify", written.notifies), ("schedule", written.isScheduled),
                ("optional", written.isOptional),
            ]
            return Row(
                property: property,
                platform: platforms[property.name],
                flags: flags.filter(\.1).map(\.0)
            )
        }
    }

    private static func source(of profile: Profile) -> String {
        switch profile.origin {
        case .builtIn: "built-in"
        case .file(let file, let position): "\(file):\(position.line)"
        }
    }

    private static func plain(_ value: JSONValue) -> String { value.string ?? value.text }
}
