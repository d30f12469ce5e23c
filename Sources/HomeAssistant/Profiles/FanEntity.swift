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
            "state_topic": context.data, "state_value_template": .string(state),
            "command_topic": context.command(main),
        ]
        if let speed {
            let range = PropertyRange(speed)
            members["percentage_state_topic"] = context.data
            members["percentage_value_template"] = .string(percentage(of: speed, range))
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
                members["percentage_command_template"] = .string(
                    ValueTemplate.joining(main, speed, command, isOff: "value <= \(zero)")
                )
            } else {
                members["percentage_command_topic"] = context.command(speed)
                members["percentage_command_template"] = .string("{{ \(command) }}")
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

    /// Its whole speeds; Home Assistant's begin at 1, as 0 is none.
    private func steps(_ range: PropertyRange) -> ClosedRange<Int>? {
        guard let steps = range.steps, steps.minimum >= 0, steps.maximum >= 1 else { return nil }
        return max(1, steps.minimum)...steps.maximum
    }

    private func percentage(of speed: ThingProperty, _ range: PropertyRange) -> String {
        let value = ValueTemplate.member(speed.name)
        return steps(range) == nil
            ? ValueTemplate.percentage(value, of: range)
            : ValueTemplate.number(value, from: 0, to: range.maximum, isWhole: true)
    }

    /// Off also at a speed of 0.
    private var state: String {
        guard let speed, PropertyRange(speed).minimum == 0 else { return main.flagTemplate() }
        let value = ValueTemplate.member(speed.name)
        let (on, off) = (main.switchValues.on ?? true, main.switchValues.off ?? false)
        let power = ValueTemplate.member(main.name)
        return
            "{{ ('OFF' if \(power) == \(ValueTemplate.literal(off)) or \(power) == \(ValueTemplate.literal(on)) and "
            + "\(value) is number and \(value) == 0 else 'ON' if \(power) == \(ValueTemplate.literal(on)) else 'None') "
            + "if value_json is defined else 'None' }}"
    }
}
