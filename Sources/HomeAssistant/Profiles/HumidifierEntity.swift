import JSON
import Things

/// A humidifier with on and off and a humidity to reach.
/// - Source: Home Assistant 2026.11.0, `mqtt/humidifier.py`.
struct HumidifierEntity: CompoundEntity {
    static let platform = ComponentName.Platform.humidifier

    let main: ThingProperty
    private let target: ThingProperty
    private let measured: ThingProperty?

    init?(_ pool: inout PropertyPool) {
        guard pool.first("on_off", where: \.isSwitch) != nil,
            let target = pool.take("humidity_setpoint", where: { $0.isNumber && Self.range(of: $0) != nil }),
            let power = pool.take("on_off", where: \.isSwitch)
        else { return nil }
        main = power
        self.target = target
        measured = pool.take("humidity", where: \.hasNumbers)
    }

    var carried: [ThingProperty] { [main, target] + [measured].compactMap(\.self) }

    func offers(_: ThingProperty.Action, of property: ThingProperty, _: EntityContext) -> Bool {
        property.name == main.name
    }

    func members(_ context: EntityContext) -> JSONObject {
        let range = Self.range(of: target) ?? 0...100
        var members: JSONObject = [
            "state_topic": context.data, "state_value_template": main.flagTemplate(),
            "command_topic": context.command(main),
            "target_humidity_command_topic": context.command(target),
            "min_humidity": .number(range.lowerBound), "max_humidity": .number(range.upperBound),
        ]
        let (low, high) = (range.lowerBound, range.upperBound)
        let state = ValueTemplate.number(target.member, from: low, to: high)
        members.merge(context.reading("target_humidity_state", state)) { $1 }
        members["device_class"] = DeviceClass.of(main.roles + target.roles, among: DeviceClass.humidifier)
        if let measured { members.merge(context.currentHumidity(measured)) { $1 } }
        return members
    }

    /// Its range within 0 to 100 %; `nil` if there is none.
    private static func range(of property: ThingProperty) -> ClosedRange<Double>? {
        let range = PropertyRange(property)
        let (low, high) = (max(0, range.minimum), min(100, range.maximum))
        return low < high ? low...high : nil
    }
}
