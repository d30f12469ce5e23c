import JSON
import Things

/// A thermostat: a temperature to reach, with what is measured and how it is run.
/// - Source: Home Assistant 2026.11.0, `mqtt/climate.py`.
struct ClimateEntity: CompoundEntity {
    static let platform = ComponentName.Platform.climate

    let main: ThingProperty
    private let measured: ThingProperty?
    private let mode: ThingProperty?
    /// What switches it on and off; `nil` if a mode does.
    private let power: ThingProperty?
    private let activity: ThingProperty?
    private let fanMode: ThingProperty?
    private let humidity: ThingProperty?

    init?(_ pool: inout PropertyPool) {
        let setpoint = pool.take("temperature_setpoint") { $0.isNumber && Self.scale(of: $0) != nil }
        guard let setpoint else { return nil }
        main = setpoint
        let scale = Self.scale(of: setpoint)
        measured = pool.take("temperature") { $0.hasNumbers && Self.scale(of: $0) == scale }
        let mode = pool.take("hvac_mode") { $0.hasNamedValues && !Self.modes(of: $0).isEmpty }
        self.mode = mode
        let canSwitchOff = mode.map { Self.modes(of: $0).contains { $0.name == "off" } } ?? false
        let canJoin = mode.map { EntityContext.canJoin($0) } ?? true
        power =
            canSwitchOff || !canJoin
            ? nil : pool.take("on_off") { $0.isSwitch && (mode == nil || EntityContext.canJoin($0)) }
        activity = pool.take("hvac_action", where: \.isReadOnly)
        fanMode = pool.take("fan_mode", where: \.hasNamedValues)
        // A humidity to reach is the matter of a humidifier.
        let canBeHumidifier = pool.first("humidity_setpoint", where: \.isNumber) != nil
        humidity = canBeHumidifier ? nil : pool.take("humidity", where: \.hasNumbers)
    }

    var carried: [ThingProperty] {
        [main] + [measured, mode, power, activity, fanMode, humidity].compactMap(\.self)
    }

    func offers(_ action: ThingProperty.Action, of property: ThingProperty, _: EntityContext) -> Bool {
        switch property.name {
        case mode?.name: Self.modeNames.contains(action.name)
        case power?.name, fanMode?.name: true
        default: false
        }
    }

    func members(_ context: EntityContext) -> JSONObject {
        var members: JSONObject = [
            "temperature_command_topic": context.command(main),
            "temperature_unit": Self.scale(of: main) ?? "C",
            "temp_step": .number(main.step ?? (main.isWhole ? 1 : 0.5)),
        ]
        if main.minimum.map({ low in main.maximum.map { low < $0 } ?? true }) ?? true {
            members["min_temp"] = main.minimum.map { .number($0) }
            members["max_temp"] = main.maximum.map { .number($0) }
        }
        if main.isWhole { members["temperature_command_template"] = ValueTemplate.whole }
        let parts = [
            context.reading("temperature_state", ValueTemplate.number(main.member)),
            measured.map { context.reading("current_temperature", ValueTemplate.number($0.member)) },
            humidity.map { context.currentHumidity($0) },
            activity.map { context.reading("action", Self.template(of: $0)) },
            fanMode.map { context.choice("fan_mode", of: $0, context.options($0.actions)) },
            modes(context), switching(context),
        ]
        for case let part? in parts { members.merge(part) { $1 } }
        return members
    }

    private func modes(_ context: EntityContext) -> JSONObject {
        let modes = mode.map { Self.modes(of: $0) } ?? []
        var members = mode.map { context.choice("mode", of: $0, modes) } ?? ["mode_state_topic": context.data]
        if let mode, let power {
            // One topic takes both, so that a mode also switches on.
            let name = ValueTemplate.name(of: mode.member, modes)
            let value = ValueTemplate.value(of: "value", modes)
            members["modes"] = .array((["off"] + modes.map(\.name)).map { .string($0) })
            members["mode_state_template"] = ValueTemplate.of("('off' if \(power.isOff) else \(name))")
            members["mode_command_topic"] = context.setTopic
            members["mode_command_template"] = ValueTemplate.joining(
                power,
                mode,
                value,
                isOff: "value == 'off'"
            )
        } else if let power {
            members["modes"] = ["off", "heat"]
            members["mode_state_template"] = power.flagTemplate(on: "heat", off: "off")
            members["mode_command_topic"] = context.command(power)
            members["mode_command_template"] = "{{ 'OFF' if value == 'off' else 'ON' }}"
        } else if mode == nil {
            // It cannot be switched, so it always heats; without a state it would be shown as off.
            members["modes"] = ["heat"]
            members["mode_state_template"] = ValueTemplate.of("'heat'")
        }
        return members
    }

    /// What Home Assistant sends to switch it on and off.
    ///
    /// It offers both in any case, and fails without a mode for them.
    private func switching(_ context: EntityContext) -> JSONObject {
        if let power { return ["power_command_topic": context.command(power)] }
        let modes = mode.map { Self.modes(of: $0) } ?? []
        let off = modes.first { $0.name == "off" }
        let usual = ["heat_cool", "heat", "cool"].lazy.compactMap { name in modes.first { $0.name == name } }
            .first
        let on = usual ?? modes.first { $0.name != "off" }
        // What cannot be switched answers that it cannot.
        guard let mode, let off, let on else {
            return ["power_command_topic": context.command(named: mode?.name ?? "hvac_power")]
        }
        return [
            "power_command_topic": context.command(mode),
            "payload_on": .string(on.value.text), "payload_off": .string(off.value.text),
        ]
    }

    /// Home Assistant's modes of a property, each once.
    private static func modes(of property: ThingProperty) -> [(name: String, value: JSONValue)] {
        property.actions.filter { modeNames.contains($0.name) }.map { ($0.name, $0.value) }
    }

    private static let modeNames: Set<String> = [
        "off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only",
    ]
    private static let activityNames = [
        "off", "idle", "heating", "preheating", "cooling", "drying", "fan", "defrosting",
    ]

    /// What it does at present: a word, a value that an action names, or whether it heats.
    private static func template(of activity: ThingProperty) -> JSONValue {
        let named = activity.actions.filter { activityNames.contains($0.name) }.map { ($0.name, $0.value) }
        if !named.isEmpty { return ValueTemplate.naming(activity.member, named) }
        switch activity.type {
        case .boolean, .integer, .decimal:
            return ValueTemplate.either(activity.member, (true, "heating"), (false, "idle"))
        case .text, .unknown:
            return ValueTemplate.of(
                ValueTemplate.word(activity.member, of: activityNames, missing: "'None'")
            )
        }
    }

    /// `C` or `F`; `nil` for a unit that Home Assistant's thermostats do not have.
    private static func scale(of property: ThingProperty) -> JSONValue? {
        switch Quantity.unit(property.unit) {
        case nil, "°C", "C": "C"
        case "°F", "F": "F"
        default: nil
        }
    }
}
