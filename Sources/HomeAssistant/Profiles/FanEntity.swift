import JSON
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

    func members(_ context: EntityContext) -> JSONObject {
        var members: JSONObject = [
            "state_topic": context.data, "state_value_template": state,
            "command_topic": context.command(main),
        ]
        if let speed {
            let range = PropertyRange(speed)
            members["percentage_state_topic"] = context.data
            members["percentage_value_template"] =
                steps(range) == nil
                ? ValueTemplate.percentage(speed.member, of: range)
                : ValueTemplate.number(speed.member, from: 0, to: range.maximum, isWhole: true)
            let command: String
            if let steps = steps(range) {
                members["speed_range_min"] = JSONValue(steps.lowerBound)
                members["speed_range_max"] = JSONValue(steps.upperBound)
                command = "value"
            } else {
                command = ValueTemplate.share("value", of: range, isWhole: speed.isWhole)
            }
            // Home Assistant sends 0 for off, and expects any other speed to switch on.
            let zero = (steps(range)?.lowerBound ?? 1) - 1
            if EntityContext.canJoin(main), EntityContext.canJoin(speed) {
                members["percentage_command_topic"] = context.setTopic
                members["percentage_command_template"] = ValueTemplate.joining(
                    main,
                    speed,
                    command,
                    isOff: "value <= \(zero)"
                )
            } else {
                members["percentage_command_topic"] = context.command(speed)
                members["percentage_command_template"] = "{{ \(command) }}"
            }
        }
        if let mode {
            let options = context.options(mode.actions)
            let choice = context.choice("preset_mode", of: mode, options, template: "value_template")
            members.merge(choice) { $1 }
        }
        return members
    }

    /// Its whole speeds; Home Assistant's begin at 1, as 0 is none.
    private func steps(_ range: PropertyRange) -> ClosedRange<Int>? {
        guard let steps = range.steps, steps.minimum >= 0, steps.maximum >= 1 else { return nil }
        return max(1, steps.minimum)...steps.maximum
    }

    /// Off also at a speed of 0.
    private var state: JSONValue {
        guard let speed, PropertyRange(speed).minimum == 0 else { return main.flagTemplate() }
        let isOn = "\(main.member) == \(ValueTemplate.literal(main.switchValues.on ?? true))"
        let isStill = "\(isOn) and \(speed.member) is number and \(speed.member) == 0"
        return ValueTemplate.of("('OFF' if \(main.isOff) or \(isStill) else 'ON' if \(isOn) else 'None')")
    }
}
