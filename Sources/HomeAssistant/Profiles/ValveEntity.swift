import JSON
import Things

/// A valve with a position.
/// - Source: Home Assistant 2026.11.0, `mqtt/valve.py`.
struct ValveEntity: CompoundEntity {
    static let platform = ComponentName.Platform.valve

    let main: ThingProperty

    init?(_ pool: inout PropertyPool) {
        guard let position = pool.take("valve_position", where: \.isNumber) else { return nil }
        main = position
    }

    var carried: [ThingProperty] { [main] }

    /// Home Assistant opens and closes a valve by its position.
    func offers(_ action: ThingProperty.Action, of _: ThingProperty, _: EntityContext) -> Bool {
        let range = PropertyRange(main)
        return action.name == "open" && action.value.number == range.maximum
            || action.name == "close" && action.value.number == range.minimum
    }

    func members(_ context: EntityContext) -> JSONObject {
        var members: JSONObject = [
            "reports_position": true, "state_topic": context.data, "command_topic": context.command(main),
        ]
        members["device_class"] = DeviceClass.of(main.roles, among: DeviceClass.valve)
        members["value_template"] = main.positionTemplate()
        if let steps = PropertyRange(main).steps {
            members["position_open"] = JSONValue(steps.maximum)
            members["position_closed"] = JSONValue(steps.minimum)
        } else {
            members["command_template"] = main.percentageCommand("position")
        }
        return members
    }
}
