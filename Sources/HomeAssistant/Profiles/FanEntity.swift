import Flare
import Things

/// A fan with on and off, and a speed or named levels.
/// - Source: Home Assistant 2026.11.0, `mqtt/fan.py`.
struct FanEntity: CompoundEntity {
    static let platform = ComponentName.Platform.fan

    let main: ThingProperty
    private let speed: ThingProperty?
    private let mode: ThingProperty?

    init?(_ pool: inout PropertyPool) {
        var rest = pool
        guard let power = rest.take("on_off", where: \.isSwitch) else { return nil }
        main = power
        speed = rest.take("fan_speed", where: \.isNumber)
        mode = rest.take("fan_mode", where: \.hasNamedValues)
        guard speed != nil || mode != nil else { return nil }
        pool = rest
    }

    var carried: [ThingProperty] { [main] + [speed, mode].compactMap(\.self) }

    func offers(_: ThingProperty.Action, of property: ThingProperty, _: EntityContext) -> Bool {
        property.name != speed?.name
    }

    func members(_ context: EntityContext) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "state_topic": context.data, "state_value_template": .string(main.flagTemplate()),
            "command_topic": context.command(main),
        ]
        if let speed {
            let value = ValueTemplate.member(speed.name)
            let range = PropertyRange(speed)
            members["percentage_state_topic"] = context.data
            members["percentage_command_topic"] = context.command(speed)
            // Home Assistant's speeds begin at 1; 0 is no speed.
            if let steps = range.steps, steps.minimum >= 0 {
                members["speed_range_min"] = JSONValue(max(1, steps.minimum))
                members["speed_range_max"] = JSONValue(steps.maximum)
                members["percentage_value_template"] = .string(
                    ValueTemplate.number(value, from: 0, to: range.maximum, isWhole: true)
                )
            } else {
                members["percentage_value_template"] = .string(ValueTemplate.percentage(value, of: range))
                members["percentage_command_template"] = .string(
                    ValueTemplate.fromPercentage("value", to: range, isWhole: speed.isWhole)
                )
            }
        }
        if let mode {
            let options = context.options(mode.actions)
            members["preset_modes"] = .array(options.map { .string($0.name) })
            members["preset_mode_state_topic"] = context.data
            members["preset_mode_value_template"] = .string(
                ValueTemplate.naming(ValueTemplate.member(mode.name), options)
            )
            members["preset_mode_command_topic"] = context.command(mode)
            members["preset_mode_command_template"] = .string(ValueTemplate.valuing(options))
        }
        return members
    }
}
