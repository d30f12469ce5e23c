import JSON
import Things

/// The entity of a single property.
struct PropertyEntity {
    let property: ThingProperty
    let platform: ComponentName.Platform

    /// `nil` for a property that no entity shows: a button is one for each of its actions.
    init?(_ property: ThingProperty) {
        self.property = property
        switch property.control {
        case .switch: platform = .switch
        case .slider, .decimalInput, .integerInput, .dimmer: platform = .number
        case .textInput: platform = .text
        case .select where property.isChoice: platform = .select
        case .button: return nil
        // A choice without values, or a colour without a light, can only be shown.
        case .select, .colourPicker, .readonlyText: platform = Self.isFlag(property) ? .binarySensor : .sensor
        }
    }

    /// The members of its component, without the name.
    func members(_ context: EntityContext) -> JSONObject {
        var members = about(context)
        members["state_topic"] = context.data
        switch platform {
        case .number, .select, .switch, .text: members["command_topic"] = context.command(property)
        default: break
        }
        return members
    }

    private var value: String { property.member }

    private func about(_ context: EntityContext) -> JSONObject {
        switch platform {
        case .switch:
            var members: JSONObject = ["value_template": property.flagTemplate()]
            members["device_class"] = DeviceClass.of(property.roles, among: DeviceClass.switch)
            return members
        case .select:
            let options = context.options(property.actions)
            return [
                "options": .array(options.map { .string($0.name) }),
                "value_template": ValueTemplate.naming(value, options),
                "command_template": ValueTemplate.valuing(options),
            ]
        case .text:
            return [
                "value_template": ValueTemplate.field(value),
                "command_template": ValueTemplate.quoted,
            ]
        case .number: return number
        case .binarySensor: return flag
        default: return sensor(context)
        }
    }

    // MARK: Numbers

    private var number: JSONObject {
        // The range may be unknown: wide enough for any plausible number.
        let (low, high) = (property.minimum ?? -1e15, property.maximum ?? 1e15)
        var members = quantity(hasStateClass: false)
        members["min"] = .number(low)
        members["max"] = .number(max(low, high))
        let step = property.step ?? step(in: high - low)
        members["step"] = .number(property.isWhole ? max(1, step.rounded()) : max(0.001, step))
        members["mode"] = property.control == .slider || property.control == .dimmer ? "slider" : "box"
        members["value_template"] = ValueTemplate.number(value, from: low, to: max(low, high))
        return members
    }

    private func step(in width: Double) -> Double {
        switch property.control {
        case .integerInput: 1
        case .decimalInput: 0.001
        default: width > 10 ? 1 : width > 1 ? 0.1 : 0.01
        }
    }

    /// Unit and device class; the class is left out if it does not allow the unit.
    private func quantity(hasStateClass: Bool) -> JSONObject {
        var members: JSONObject = [:]
        let quantity = Quantity.of(property.roles)
        let unit = quantity.map { $0.unit(property.unit) } ?? Quantity.unit(property.unit)
        members["unit_of_measurement"] = unit.map { .string($0) }
        if hasStateClass { members["state_class"] = "measurement" }
        if let quantity, unit.map(quantity.units.contains) ?? true {
            members["device_class"] = .string(quantity.deviceClass)
            if unit == nil, let usual = quantity.units.first, !usual.isEmpty {
                members["unit_of_measurement"] = .string(usual)
            }
            if hasStateClass { members["state_class"] = .string(quantity.stateClass) }
        }
        return members
    }

    // MARK: Reported values

    private func sensor(_ context: EntityContext) -> JSONObject {
        var members: JSONObject = [:]
        if property.isReadOnly, !property.actions.isEmpty {
            let options = context.options(property.actions)
            members["device_class"] = "enum"
            members["options"] = .array(options.map { .string($0.name) })
            members["value_template"] = ValueTemplate.naming(value, options)
        } else if Self.isMeasured(property) {
            members = quantity(hasStateClass: true)
            members["value_template"] = ValueTemplate.number(value)
        } else {
            members["value_template"] = ValueTemplate.text(value)
        }
        members["entity_category"] = category
        return members
    }

    private var flag: JSONObject {
        var members: JSONObject = [
            "value_template": ValueTemplate.either(value, (true, "ON"), (false, "OFF"))
        ]
        let deviceClass = DeviceClass.of(property.roles, among: DeviceClass.binarySensor)
        members["device_class"] = deviceClass
        // To Home Assistant, such a sensor is on when it is unlocked.
        if deviceClass == "lock" { members.merge(["payload_on": "OFF", "payload_off": "ON"]) { $1 } }
        members["entity_category"] = category
        return members
    }

    private var category: JSONValue? {
        property.roles.contains("battery") || property.roles.contains("signal_strength") ? "diagnostic" : nil
    }

    /// Whether a reported value is a number, or must become one.
    ///
    /// What has a unit stays a number while a text stands in its place: Home Assistant fails to turn a sensor that
    /// shows a text into one for numbers.
    private static func isMeasured(_ property: ThingProperty) -> Bool {
        switch property.type {
        case .integer, .decimal: true
        case .unknown, .text: Quantity.unit(property.unit) != nil || Quantity.of(property.roles) != nil
        case .boolean: false
        }
    }

    /// Whether a reported value is a boolean: by its type, else by a role that says so.
    private static func isFlag(_ property: ThingProperty) -> Bool {
        switch property.type {
        case .boolean: return true
        case .integer, .decimal, .unknown:
            return property.actions.isEmpty && Quantity.unit(property.unit) == nil
                && Quantity.of(property.roles) == nil
                && DeviceClass.of(property.roles, among: DeviceClass.binarySensor) != nil
        case .text: return false
        }
    }
}

extension ThingProperty {
    /// The expression for its value.
    var member: String { ValueTemplate.member(name) }

    /// An expression for whether a switch is off.
    var isOff: String { "\(member) == \(ValueTemplate.literal(switchValues.off ?? false))" }

    /// The template that gives one word for on, another for off.
    func flagTemplate(on: String = "ON", off: String = "OFF") -> JSONValue {
        ValueTemplate.either(member, (switchValues.on ?? true, on), (switchValues.off ?? false, off))
    }

    /// The template that gives its whole steps, or a percentage of a range without them.
    func positionTemplate(missing: String = "None") -> JSONValue {
        let range = PropertyRange(self)
        guard range.steps != nil else { return ValueTemplate.percentage(member, of: range, missing: missing) }
        return ValueTemplate.number(
            member,
            from: range.minimum,
            to: range.maximum,
            isWhole: true,
            missing: missing
        )
    }

    /// The template that gives the number that a percentage stands for.
    func percentageCommand(_ percentage: String) -> JSONValue {
        "{{ \(ValueTemplate.share(percentage, of: PropertyRange(self), isWhole: isWhole)) }}"
    }
}
