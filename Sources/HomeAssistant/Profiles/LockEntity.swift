import JSON
import Things

/// A lock.
/// - Source: Home Assistant 2026.11.0, `mqtt/lock.py`.
struct LockEntity: CompoundEntity {
    static let platform = ComponentName.Platform.lock

    let main: ThingProperty

    init?(_ pool: inout PropertyPool) {
        guard let lock = pool.take("lock", where: \.isSwitch) else { return nil }
        main = lock
    }

    var carried: [ThingProperty] { [main] }

    func offers(_: ThingProperty.Action, of _: ThingProperty, _: EntityContext) -> Bool { true }

    func members(_ context: EntityContext) -> JSONObject {
        [
            "state_topic": context.data, "command_topic": context.command(main),
            "value_template": main.flagTemplate(on: "LOCKED", off: "UNLOCKED"),
            "payload_lock": "ON", "payload_unlock": "OFF",
        ]
    }
}
