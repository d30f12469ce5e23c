import Profiles
import JSON

/// A managed property as its profile has it; what depends on a thing's present value is resolved for each thing.
struct KindProperty: Sendable {
    /// With the control as far as it does not depend on a value.
    let plan: ThingProperty
    /// Whether control or type follow the present value.
    let followsValue: Bool
    let switching: SwitchValues

    init(_ property: ProfileProperty) {
        let actions = property.actions.map { ThingProperty.Action(name: $0.name, value: $0.value) }
        let named = property.control.flatMap { ThingProperty.Control(rawValue: $0.rawValue) }
        let typeOfActions = Self.type(of: actions)
        var control = named ?? Self.control(of: actions)
        // Nothing can be chosen of nothing.
        if actions.isEmpty, control == .select || control == .button { control = .readonlyText }
        // Its name says that it belongs to the place, as a beacon's number does.
        if DataKey.isFixed(property.name) { control = .readonlyText }
        let type: ThingProperty.ValueType? =
            switch named {
            case .decimalInput?: .decimal
            case .dimmer? where Self.hasWholeSteps(property): .integer
            default: typeOfActions ?? control.flatMap { Self.type(of: $0) }
            }
        followsValue = control == nil || type == nil
        var plan = ThingProperty(
            name: property.name,
            control: control ?? .readonlyText,
            type: type ?? .unknown
        )
        plan.actions = actions
        plan.roles = property.roles
        (plan.minimum, plan.maximum) = Self.range(of: property, control)
        plan.step = property.step
        plan.unit = property.unit
        plan.isOptional = property.isOptional
        isGeneric = control == nil
        self.plan = plan
        switching = SwitchValues(actions, keepsNumbers: isGeneric)
    }

    /// Whether even the control follows the present value.
    let isGeneric: Bool

    /// The property of a thing with this data; `nil` for an optional one that it does not have.
    func resolved(in data: JSONObject) -> ThingProperty? {
        guard isThere(in: data) else { return nil }
        var property = plan
        if followsValue {
            let type = Self.type(of: data[plan.name])
            if plan.type == .unknown { property.type = type }
            if isGeneric { property.control = Self.control(of: type) }
        }
        if DataKey.isReported(plan.name, in: data) { property.control = .readonlyText }
        return property
    }

    /// Whether a thing with this data has it.
    func isThere(in data: JSONObject) -> Bool {
        guard plan.isOptional else { return true }
        return data[plan.name].map { !$0.isNull } ?? false
    }

    /// Whether a thing with this data lets it be set.
    func isSettable(in data: JSONObject) -> Bool {
        guard isThere(in: data) else { return false }
        let control = isGeneric ? Self.control(of: Self.type(of: data[plan.name])) : plan.control
        return control != .readonlyText && !DataKey.isReported(plan.name, in: data)
    }

    // MARK: The generic control

    /// The control of a property without its own; `nil` if only a value can tell.
    private static func control(of actions: [ThingProperty.Action]) -> ThingProperty.Control? {
        guard !actions.isEmpty else { return nil }
        let values = Set(actions.map(\.value))
        let isSwitch = actions.count == 2 && (values == [0, 1] || values == [false, true])
        return isSwitch ? .switch : .select
    }

    private static func control(of type: ThingProperty.ValueType) -> ThingProperty.Control {
        switch type {
        case .boolean: .switch
        case .integer: .integerInput
        case .decimal: .decimalInput
        case .text: .textInput
        case .unknown: .readonlyText
        }
    }

    private static func type(of control: ThingProperty.Control) -> ThingProperty.ValueType? {
        switch control {
        case .switch: .boolean
        case .slider, .dimmer, .decimalInput: .decimal
        case .integerInput: .integer
        case .colourPicker, .textInput: .text
        case .select, .button, .readonlyText: nil
        }
    }

    private static func type(of value: JSONValue?) -> ThingProperty.ValueType {
        switch value {
        case .bool?: .boolean
        case .number(let number)?: number == number.rounded() ? .integer : .decimal
        case .numeral?: .integer
        case .string?: .text
        case .null?, .array?, .object?, nil: .unknown
        }
    }

    private static func type(of actions: [ThingProperty.Action]) -> ThingProperty.ValueType? {
        let types = Set(actions.map { type(of: $0.value) })
        if types == [.integer, .decimal] { return .decimal }
        return types.count == 1 ? types.first : nil
    }

    private static func hasWholeSteps(_ property: ProfileProperty) -> Bool {
        let (low, high) = range(of: property, .dimmer)
        return [low, high, property.step].allSatisfy { $0.map { $0 == $0.rounded() } ?? false }
    }

    /// - Source: contrib/contract/profiles.md, "Fields of a property".
    private static func range(
        of property: ProfileProperty,
        _ control: ThingProperty.Control?
    ) -> (Double?, Double?) {
        guard control == .slider || control == .dimmer else { return (property.minimum, property.maximum) }
        let most = property.maximum ?? (property.name == "brightness" ? 1 : 100)
        // A range that is not one is no range of the usual kind either.
        return (property.minimum ?? min(0, most), most)
    }
}
