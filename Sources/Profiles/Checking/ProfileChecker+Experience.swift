import JSON
import Text

// Screens, controls, menu and colours.
extension ProfileChecker {
    private static let experienceKeys = KnownKeys([
        "signInScreen", "homeScreen", "screens", "controls", "drawerMenu", "defaultConfig", "colors",
    ])
    private static let screenKeys = KnownKeys(["name", "class", "title", "icon", "config", "extras"])
    private static let colourKeys = KnownKeys(["name", "value"])

    mutating func experience(_ section: ProfileFields) -> Experience? {
        checkKeys(of: section, Self.experienceKeys)
        // Others name the colours and the screens.
        let colours = colours(in: section)
        let own = Dictionary(colours.map { ($0.name, $0.value) }) { first, _ in first }
        takenColours = own.filter { name, value in names.colours[name].map { $0 != value } ?? false }
        names.add(colours)
        let screens = parts("screens", in: section, atMost: ProfileLimits.screens)
        let screenNames = screens.map(\.name)
        names.addScreens(screenNames, areGiven: section["screens"] != nil)
        let controls = parts("controls", in: section, atMost: ProfileLimits.controls)

        let signIn = neededScreen("signInScreen", in: section, among: screenNames)
        let home = neededScreen("homeScreen", in: section, among: screenNames)
        let known = Set(screenNames)
        let path = section.path("drawerMenu")
        var menu: [String] = []
        for (index, entry) in texts("drawerMenu", in: section).enumerated() {
            menu.append(entry.text)
            if !known.contains(entry.text) {
                unknownScreen(entry.text, entry.value, .element(path, index), among: screenNames)
            }
        }
        let defaults = object("defaultConfig", in: section)
        if let defaults { checkScreenConfig(defaults) }

        guard let signIn, let home else { return nil }
        var experience = Experience(signInScreen: signIn, homeScreen: home)
        experience.screens = screens
        experience.controls = controls
        experience.drawerMenu = menu
        experience.defaults = defaults.map { Self.json($0) } ?? [:]
        experience.colours = colours
        return experience
    }

    private mutating func neededScreen(
        _ key: String,
        in fields: ProfileFields,
        among screens: [String]
    ) -> String? {
        guard let name = neededText(key, in: fields), let value = fields[key] else { return nil }
        if !screens.contains(name) { unknownScreen(name, value, fields.path(key), among: screens) }
        return name
    }

    private static func json(_ fields: ProfileFields) -> JSONObject {
        JSONObject(fields.members.map { ($0.key, $0.value.json) }) { first, _ in first }
    }

    // MARK: Screens and controls

    private mutating func parts(
        _ key: String,
        in section: ProfileFields,
        atMost limit: Int
    ) -> [Experience.Part] {
        let isScreen = key == "screens"
        let known = (isScreen ? BuiltInClasses.screens : BuiltInClasses.controls) + modules
        var parts: [Experience.Part] = []
        let elements = list(key, in: section, atMost: limit)
        var places = FirstPlaces(elements.count)
        for (index, element) in elements.enumerated() {
            let path = ValuePath.element(section.path(key), index)
            guard let fields = object(element, path) else { continue }
            checkKeys(of: fields, Self.screenKeys)
            let name = neededText("name", in: fields)
            _ = needs("class", in: fields)
            let className = className(in: fields, known: known)
            let (title, icon) = (text("title", in: fields), icon(in: fields))
            let parameters = parameters(in: fields)
            let values = parameters.map { withOwnColours(Self.json($0)) } ?? [:]
            if isScreen { checkScreen(className, parameters, in: fields) }
            if let parameters, fields["extras"] != nil { checkExtras(parameters) }
            guard let name, isFirst(name, of: fields, &places) else { continue }
            var unique: String? = name
            if !isScreen {
                let limits = controlLimits(className, parameters)
                unique = names.add(name, className ?? "", values, limits, file: current)
            }
            guard let unique else { continue }
            var part = Experience.Part(name: unique, className: className ?? "")
            (part.title, part.icon, part.parameters) = (title, icon, values)
            parts.append(part)
        }
        return parts
    }

    /// Parameters with the values of colours whose names another file has for other ones.
    private func withOwnColours(_ parameters: JSONObject) -> JSONObject {
        guard !takenColours.isEmpty else { return parameters }
        return JSONObject(
            parameters.map { key, value in
                let isColour = key.hasPrefix("bg") || key.hasSuffix("Color") || key == "windowBackground"
                let colour = isColour ? value.string.flatMap { takenColours[$0] } : nil
                return (key, colour.map { .string($0) } ?? value)
            }
        )
    }

    /// `config` or `extras`, which are two names of one thing.
    private mutating func parameters(in fields: ProfileFields) -> ProfileFields? {
        let config = object("config", in: fields)
        let extras = object("extras", in: fields)
        if fields["config"] != nil, fields["extras"] != nil,
            let second = fields.members.last(where: { $0.key == "config" || $0.key == "extras" })
        {
            report(
                .invalidValue,
                at: second.keyPosition,
                "\(fields.path) must have either \"config\" or \"extras\" (has both)"
            )
        }
        return config ?? extras
    }

    private mutating func checkScreen(
        _ className: String?,
        _ parameters: ProfileFields?,
        in fields: ProfileFields
    ) {
        guard let parameters else { return }
        checkScreenConfig(parameters, isExtras: fields["config"] == nil)
        if className == "DeviceList" {
            _ = choice("layout", of: ["list", "swipe", "grid"], in: parameters)
        }
    }

    /// The numbers of a control's parameters; those of own classes mean what their modules say.
    private mutating func controlLimits(_ className: String?, _ parameters: ProfileFields?) -> ValueLimits {
        guard let parameters, let className else { return ValueLimits() }
        guard BuiltInClasses.propertyControls[className] != nil else {
            return Self.numbers(parameters)
        }
        let limits = limits(in: parameters)
        checkRange(limits.minimum, limits.maximum, in: parameters)
        return limits
    }

    /// As ``limits(in:)``, but what is no number is nobody's mistake.
    private static func numbers(_ fields: ProfileFields) -> ValueLimits {
        func number(_ key: String) -> Double? { fields[key]?.number?.value }
        var limits = ValueLimits(
            minimum: number("min"),
            maximum: number("max"),
            step: number("step").flatMap { $0 < 0.001 ? nil : $0 },
            unit: fields["unit"]?.string
        )
        if let low = limits.minimum, let high = limits.maximum, low >= high {
            (limits.minimum, limits.maximum) = (nil, nil)
        }
        return limits
    }

    // MARK: Colours

    private mutating func colours(in section: ProfileFields) -> [Experience.Colour] {
        var colours: [Experience.Colour] = []
        let elements = list("colors", in: section, atMost: ProfileLimits.colours)
        var places = FirstPlaces(elements.count)
        for (index, element) in elements.enumerated() {
            let path = ValuePath.element(section.path("colors"), index)
            guard let fields = object(element, path) else { continue }
            checkKeys(of: fields, Self.colourKeys)
            let name = neededText("name", in: fields)
            _ = needs("value", in: fields)
            let text = text("value", in: fields)
            if let text, let value = fields["value"], !Self.isColour(text) {
                invalid(value, fields.path("value"), "#RGB or #RRGGBB")
            }
            guard let name, isFirst(name, of: fields, &places) else { continue }
            // One without a legal value is still a name that others may use.
            colours.append(Experience.Colour(name: name, value: text ?? ""))
        }
        return colours
    }

    private static func isColour(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (bytes.count == 4 || bytes.count == 7) && bytes.first == UInt8(ascii: "#")
            && bytes.dropFirst().allSatisfy {
                $0.isASCIIDigit || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// What all screens take: two colours and two booleans.
    ///
    /// - Parameter isExtras: Colours of `extras` are checked with the others there.
    private mutating func checkScreenConfig(_ fields: ProfileFields, isExtras: Bool = false) {
        for key in ["wantsTitleBar", "disableDrawerMenu"] { _ = boolean(key, in: fields) }
        for member in fields.members {
            switch member.key {
            case "windowBackgroundColor", "fontColor":
                if !isExtras { checkColour(member, in: fields, .error) }
            case "windowBackground":
                checkColour(member, in: fields, isExtras ? .warning : .error)
            default: break
            }
        }
    }

    private mutating func checkExtras(_ fields: ProfileFields) {
        for member in fields.members where member.key.hasPrefix("bg") || member.key.hasSuffix("Color") {
            checkColour(member, in: fields, .warning)
        }
    }

    private mutating func checkColour(
        _ member: PlacedValue.Member,
        in fields: ProfileFields,
        _ severity: ProfileProblem.Severity
    ) {
        let path = fields.path(member.key)
        guard case .string(let text) = member.value.content else {
            if severity == .error { return wrongType(member.value, path, "a colour: a name or #RRGGBB") }
            return report(.unknownColour, .warning, at: member.value.position, "\(path): this is no colour")
        }
        guard names.colours[text] == nil, !Self.isColour(text) else { return }
        let hint = hint(for: text, among: names.colours.keys.sorted())
        report(
            .unknownColour,
            severity,
            at: member.value.position,
            "\(path): no colour \(QuotedValue.of(text))\(hint)"
        )
    }
}
