import JSON
import Things

/// A shutter, blind, curtain or gate with a position.
/// - Source: Home Assistant 2026.11.0, `mqtt/cover.py`.
struct CoverEntity: CompoundEntity {
    static let platform = ComponentName.Platform.cover

    let main: ThingProperty
    private let movement: ThingProperty?
    private let tilt: ThingProperty?

    init?(_ pool: inout PropertyPool) {
        guard let position = pool.take("cover_position", where: \.isNumber) else { return nil }
        main = position
        movement = pool.take("cover_state", where: \.isReadOnly)
        tilt = pool.take("cover_tilt", where: \.isNumber)
    }

    var carried: [ThingProperty] { [main] + [movement, tilt].compactMap(\.self) }

    func offers(_ action: ThingProperty.Action, of property: ThingProperty, _ context: EntityContext) -> Bool
    {
        guard property.name == main.name else { return false }
        return action.name == "open" || action.name == "close"
            || action.name == "stop" && stop(context) != nil
    }

    func borrowed(_ context: EntityContext) -> [String] {
        guard let stop = stop(context) else { return [] }
        return [action("open", context), action("close", context), stop].compactMap(\.self)
    }

    func members(_ context: EntityContext) -> JSONObject {
        var members = commands(context)
        members["device_class"] = DeviceClass.of(main.roles, among: DeviceClass.cover)
        members["set_position_topic"] = context.command(main)
        members["position_topic"] = context.data
        members["position_template"] = main.positionTemplate(missing: "")
        if let steps = PropertyRange(main).steps {
            members["position_open"] = JSONValue(steps.maximum)
            members["position_closed"] = JSONValue(steps.minimum)
        } else {
            members["set_position_template"] = main.percentageCommand("position")
        }
        if let movement {
            members["state_topic"] = context.data
            members["value_template"] = state(movement)
        }
        if let tilt { members.merge(self.tilt(tilt, context)) { $1 } }
        return members
    }

    /// What does not move is open or closed by its position.
    ///
    /// Home Assistant's `stopped` means the same, but by the position before: it reads state and position of one
    /// message in no order.
    private func state(_ movement: ThingProperty) -> JSONValue {
        let percent = ValueTemplate.percent(main.member, of: PropertyRange(main))
        let isOpen = "('closed' if \(percent) <= 0 else 'open')"
        let resting = "(\(isOpen) if \(main.member) is number else 'None')"
        let names = movement.actions.filter { Self.states.contains($0.name) }
        return names.isEmpty
            ? ValueTemplate.of(ValueTemplate.word(movement.member, of: Self.states, missing: resting))
            : ValueTemplate.naming(
                movement.member,
                names.map { ($0.name, $0.value) },
                otherwise: resting
            )
    }

    private static let states = ["open", "opening", "closed", "closing"]

    private func tilt(_ tilt: ThingProperty, _ context: EntityContext) -> JSONObject {
        var members: JSONObject = [
            "tilt_command_topic": context.command(tilt), "tilt_status_topic": context.data,
            "tilt_status_template": tilt.positionTemplate(missing: ""),
        ]
        if let steps = PropertyRange(tilt).steps {
            for key in ["tilt_min", "tilt_closed_value"] { members[key] = JSONValue(steps.minimum) }
            for key in ["tilt_max", "tilt_opened_value"] { members[key] = JSONValue(steps.maximum) }
        } else {
            members["tilt_command_template"] = tilt.percentageCommand("tilt_position")
        }
        return members
    }

    // MARK: Open, close and stop

    /// Home Assistant sends all three to one topic: that of actions if something can stop, else the position's.
    private func commands(_ context: EntityContext) -> JSONObject {
        if let stop = stop(context), let open = action("open", context), let close = action("close", context)
        {
            return [
                "command_topic": context.actionTopic, "payload_open": EntityContext.payload(open),
                "payload_close": EntityContext.payload(close), "payload_stop": EntityContext.payload(stop),
            ]
        }
        let range = PropertyRange(main)
        let open = main.action(named: "open")?.value ?? .number(range.maximum)
        let close = main.action(named: "close")?.value ?? .number(range.minimum)
        return [
            "command_topic": context.command(main), "payload_open": .string(open.text),
            "payload_close": .string(close.text), "payload_stop": .null,
        ]
    }

    private func stop(_ context: EntityContext) -> String? {
        guard action("open", context) != nil, action("close", context) != nil else { return nil }
        return action("stop", context)
    }

    /// An action of the position, else of anything else of the thing.
    private func action(_ name: String, _ context: EntityContext) -> String? {
        let found = context.actions.filter { $0.name == name }
        return (found.first { $0.property == main.name } ?? found.first)?.listed
    }
}
