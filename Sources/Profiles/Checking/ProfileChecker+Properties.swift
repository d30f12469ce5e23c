import JSON

// Managed properties and their actions.
extension ProfileChecker {
    private static let propertyKeys = KnownKeys([
        "name", "control", "notify", "schedule", "actions", "roles", "min", "max", "step", "unit", "optional",
    ])
    private static let actionKeys = KnownKeys(["name", "value"])

    mutating func properties(in type: ProfileFields) -> [ProfileProperty] {
        let elements = list("managedProperties", in: type, atMost: ProfileLimits.properties)
        findings[current].properties += type["managedProperties"]?.list?.count ?? 0
        var properties: [ProfileProperty] = []
        var places = FirstPlaces(elements.count)
        let path = type.path("managedProperties")
        for (index, element) in elements.enumerated() {
            guard let fields = object(element, .element(path, index)) else { continue }
            if let property = property(fields), isFirst(property.name, of: fields, &places) {
                properties.append(property)
            }
        }
        return properties
    }

    private mutating func property(_ fields: ProfileFields) -> ProfileProperty? {
        checkKeys(of: fields, Self.propertyKeys)
        let name = propertyName(in: fields)
        var property = ProfileProperty(name: name ?? "")
        let inherited = control(of: &property, in: fields)
        property.notifies = boolean("notify", in: fields) ?? false
        property.isScheduled = boolean("schedule", in: fields) ?? false
        property.isOptional = boolean("optional", in: fields) ?? false
        property.actions = actions(in: fields)
        property.roles = texts("roles", in: fields).map(\.text)
        limits(of: &property, in: fields, inherited: inherited)
        return name == nil ? nil : property
    }

    private mutating func propertyName(in fields: ProfileFields) -> String? {
        guard needs("name", in: fields), let name = text("name", in: fields), let value = fields["name"]
        else { return nil }
        let isLegal =
            name.utf8.first?.isASCIILetter == true && name.utf8.count <= 64
            && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F }
        guard isLegal else {
            invalid(value, fields.path("name"), "a letter, then up to 63 letters, digits, - or _")
            return nil
        }
        return name
    }

    // MARK: Control and limits

    /// Sets the control and gives the limits that come with it.
    private mutating func control(
        of property: inout ProfileProperty,
        in fields: ProfileFields
    ) -> ValueLimits {
        guard let name = text("control", in: fields), let value = fields["control"] else {
            return ValueLimits()
        }
        if let own = names.control(name, in: current) {
            (property.control, property.controlName) = (own.builtIn, own.name)
            return own.limits
        }
        if let builtIn = PropertyControl(rawValue: name) {
            (property.control, property.controlName) = (builtIn, name)
        } else if name == "generic" {
            // As if nothing stood here.
        } else if BuiltInClasses.thingControls[name] != nil {
            invalid(
                value,
                fields.path("control"),
                "a control for properties; this one is for whole things (deviceControl)"
            )
        } else {
            let legal = names.controlNames + PropertyControl.allCases.map(\.rawValue)
            unknownControl(name, value, fields.path("control"), among: legal)
        }
        return ValueLimits()
    }

    private mutating func limits(
        of property: inout ProfileProperty,
        in fields: ProfileFields,
        inherited: ValueLimits
    ) {
        let own = limits(in: fields)
        let usual = property.usualRange
        property.minimum = own.minimum ?? inherited.minimum ?? usual?.lowerBound
        property.maximum = own.maximum ?? inherited.maximum ?? usual?.upperBound
        property.step = own.step ?? inherited.step
        property.unit = own.unit ?? inherited.unit
        guard own.minimum != nil || own.maximum != nil else { return }
        checkRange(property.minimum, property.maximum, in: fields)
    }

    /// The numbers of a property or of a control's `extras`.
    mutating func limits(in fields: ProfileFields) -> ValueLimits {
        var limits = ValueLimits(
            minimum: number("min", in: fields),
            maximum: number("max", in: fields),
            step: number("step", in: fields),
            unit: text("unit", in: fields)
        )
        if let step = limits.step, step < 0.001, let value = fields["step"] {
            outOfRange(value, fields.path("step"), "at least 0.001")
            limits.step = nil
        }
        return limits
    }

    /// - Parameters: What counts in the end, though it may stand elsewhere.
    mutating func checkRange(_ minimum: Double?, _ maximum: Double?, in fields: ProfileFields) {
        guard let minimum, let maximum, minimum >= maximum else { return }
        if let value = fields["min"] {
            outOfRange(value, fields.path("min"), "less than max, which is \(Numeral(maximum).text)")
        } else if let value = fields["max"] {
            outOfRange(value, fields.path("max"), "more than min, which is \(Numeral(minimum).text)")
        }
    }

    // MARK: Actions

    private mutating func actions(in property: ProfileFields) -> [ProfileAction] {
        let elements = list("actions", in: property, atMost: ProfileLimits.actions)
        var actions: [ProfileAction] = []
        var places = FirstPlaces(elements.count)
        var kind: ValueKind?
        let path = property.path("actions")
        for (index, element) in elements.enumerated() {
            guard let fields = object(element, .element(path, index)) else { continue }
            checkKeys(of: fields, Self.actionKeys)
            let name = actionName(in: fields, places: &places)
            let value = actionValue(in: fields, kind: &kind)
            if let name, let value { actions.append(ProfileAction(name: name, value: value)) }
        }
        return actions
    }

    private mutating func actionName(in fields: ProfileFields, places: inout FirstPlaces) -> String? {
        guard needs("name", in: fields), let name = text("name", in: fields), let value = fields["name"]
        else { return nil }
        guard !name.isEmpty, name.utf8.count <= 100 || name.unicodeScalars.count <= 100 else {
            invalid(value, fields.path("name"), "a text of 1 to 100 characters")
            return nil
        }
        return isFirst(name, of: fields, &places) ? name : nil
    }

    /// The types that the actions of one property agree on.
    private enum ValueKind: String {
        case boolean = "a boolean"
        case number = "a number"
        case text = "a text"
    }

    private mutating func actionValue(in fields: ProfileFields, kind: inout ValueKind?) -> JSONValue? {
        guard needs("value", in: fields), let value = fields["value"] else { return nil }
        let own: ValueKind
        switch value.content {
        case .bool: own = .boolean
        case .number: own = .number
        case .string: own = .text
        default:
            wrongType(value, fields.path("value"), "a boolean, a number or a text")
            return nil
        }
        if let kind, own != kind {
            wrongType(value, fields.path("value"), "\(kind.rawValue) like the value of the first action")
            return nil
        }
        kind = own
        return value.json
    }
}

extension ProfileProperty {
    /// The range that needs no saying.
    /// - Source: contrib/contract/profiles.md, "Fields of a property".
    var usualRange: ClosedRange<Double>? {
        switch control {
        case .slider, .dimmer: name == "brightness" ? 0...1 : 0...100
        case .decimalInput, nil: name == "brightness" ? 0...1 : nil
        default: nil
        }
    }
}
