import Text

// Device types.
extension ProfileChecker {
    private static let typeKeys = KnownKeys([
        "class", "oemModel", "model", "name", "icon", "detailScreen", "scheduleScreen", "deviceControl",
        "ssidRegex", "managedProperties",
    ])

    mutating func deviceType(_ value: PlacedValue, path: ValuePath, needsClass: Bool) {
        guard let fields = object(value, path) else { return }
        checkKeys(of: fields, Self.typeKeys)
        if needsClass { _ = needs("class", in: fields) }
        let className = className(in: fields, known: BuiltInClasses.devices)
        let name = neededText("oemModel", in: fields)
        let model = text("model", in: fields)
        var profile = Profile(
            name: name ?? "",
            model: model,
            origin: .file(findings[current].file, value.position)
        )
        profile.className = className
        profile.title = text("name", in: fields)
        profile.icon = icon(in: fields)
        profile.detailScreen = screen("detailScreen", in: fields)
        profile.scheduleScreen = screen("scheduleScreen", in: fields)
        profile.ssidExpression = ssidExpression(in: fields)
        profile.properties = properties(in: fields)
        deviceControl(of: &profile, in: fields)

        guard let name, let named = fields["oemModel"] else { return }
        let pair = TypeName(name: name, model: model)
        if let first = typePlaces[pair] {
            duplicate(name, at: named.position, fields.path("oemModel"), first: first)
        } else {
            typePlaces[pair] = place(named.position)
            profiles.append(profile)
        }
    }

    // MARK: Names

    /// What is behind the last dot of `class`.
    mutating func className(in fields: ProfileFields, known: [String]) -> String? {
        guard let text = text("class", in: fields), let value = fields["class"] else { return nil }
        let tail = text.utf8.lastIndex(of: UInt8(ascii: ".")).map { text[text.index(after: $0)...] }
        let name = String(tail ?? text[...])
        guard Self.isClassName(name) else {
            invalid(
                value,
                fields.path("class"),
                "a class: behind its last dot up to 64 letters, digits or _, with no digit first"
            )
            return nil
        }
        if !known.contains(name) {
            let hint = hint(for: name, among: known)
            report(
                .unknownClass,
                .warning,
                at: value.position,
                "\(fields.path("class")): no class \(QuotedValue.of(name)); the generic one is used\(hint)"
            )
        }
        return name
    }

    /// A class is also the name of a file.
    private static func isClassName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
        return !first.isASCIIDigit
            && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }

    /// A picture's file, or a name of one; it never leaves its folder.
    mutating func icon(in fields: ProfileFields) -> String? {
        guard let text = text("icon", in: fields), let value = fields["icon"] else { return nil }
        let slashes = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
        let parts = text.utf8.split(omittingEmptySubsequences: false) { slashes.contains($0) }
        let isPlain =
            (parts.count == 1 || parts.first?.isEmpty == false)
            && !parts.contains { $0.elementsEqual("..".utf8) }
            && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        guard isPlain else {
            invalid(value, fields.path("icon"), "mdi:… or the name of a picture, without a folder above it")
            return nil
        }
        return text
    }

    /// A screen that a device type names.
    private mutating func screen(_ key: String, in fields: ProfileFields) -> String? {
        guard let name = text(key, in: fields), let value = fields[key] else { return nil }
        if let screens = names.screens, !names.screenSet.contains(name) {
            unknownScreen(name, value, fields.path(key), among: screens)
        }
        return name
    }

    mutating func unknownScreen(
        _ name: String,
        _ value: PlacedValue,
        _ path: ValuePath,
        among screens: [String]
    ) {
        let hint = hint(for: name, among: screens)
        report(.unknownScreen, at: value.position, "\(path): no screen \(QuotedValue.of(name))\(hint)")
    }

    private mutating func ssidExpression(in fields: ProfileFields) -> SSIDExpression? {
        guard let pattern = text("ssidRegex", in: fields), let value = fields["ssidRegex"] else { return nil }
        // An empty one would fit every name; what is meant is that there is none.
        guard !pattern.isEmpty else { return nil }
        do throws(SSIDExpressionError) {
            return try SSIDExpression(pattern)
        } catch {
            report(
                .invalidValue,
                at: value.position,
                "\(fields.path("ssidRegex")) must be a regular expression: \(error) "
                    + "(is \(QuotedValue.of(pattern)))"
            )
            return nil
        }
    }

    // MARK: The control of the whole thing

    private mutating func deviceControl(of profile: inout Profile, in fields: ProfileFields) {
        guard let name = text("deviceControl", in: fields), let value = fields["deviceControl"] else {
            return
        }
        let path = fields.path("deviceControl")
        let className: String
        let own = names.control(name, in: current)
        if let own {
            className = own.className
        } else if let builtIn = BuiltInClasses.thingControls[name] {
            className = builtIn
        } else if PropertyControl(rawValue: name) != nil {
            return invalid(
                value,
                path,
                "one of generic, light, thermostat, cover or a name of \"controls\": others are for properties"
            )
        } else {
            let legal = names.controlNames + BuiltInClasses.thingControls.keys.sorted()
            return unknownControl(name, value, path, among: legal)
        }
        if let role = Self.missingRole(of: className, profile.properties) {
            return report(
                .missingRole,
                .warning,
                at: value.position,
                "\(path): no property has the role \"\(role)\"; the generic control is used"
            )
        }
        (profile.deviceControl, profile.deviceControlClass) = (own?.name ?? name, className)
    }

    mutating func unknownControl(
        _ name: String,
        _ value: PlacedValue,
        _ path: ValuePath,
        among legal: [String]
    ) {
        let hint = hint(for: name, among: legal)
        report(.unknownControl, at: value.position, "\(path): no control \(QuotedValue.of(name))\(hint)")
    }

    /// The role without which a built-in control has nothing to show.
    private static func missingRole(of className: String, _ properties: [ProfileProperty]) -> String? {
        func hasRole(_ role: String) -> Bool { properties.contains { $0.roles.contains(role) } }
        switch className {
        case "Thermostat", "ACDeviceControl":
            return hasRole("temperature_setpoint") ? nil : "temperature_setpoint"
        case "Cover":
            return hasRole("cover_position") ? nil : "cover_position"
        case "Light":
            let parts = ["on_off", "brightness", "color"]
            let isLight = properties.contains {
                $0.control == .dimmer || $0.control == .colourPicker || $0.name == "on"
                    || parts.contains($0.name) || $0.roles.contains(where: parts.contains)
            }
            return isLight ? nil : "on_off"
        default: return nil
        }
    }
}
