import Text
import Things

/// `lifecycle.allow.control`: a kiosk may drive things only at some levels of the lifecycle.
///
/// MQTT, the command line and the Flare server's own clients always may. Selecting an environment and asking the daemon
/// for something drives nothing; setting the level counts as driving, or a kiosk could lift its own refusal. Making,
/// changing and removing what a place consists of needs its own right and no level: without a place there is none that
/// allows anything.
package struct LevelPolicy: CommandPolicy {
    package init() {}

    package func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
        // Without a device there is no lifecycle that could say no.
        guard request.actor == .kiosk, state.hasDevice, !state.lifecycle.allowsControl else { return .allow }
        switch request.kind {
        case .read, .control, .place, .ping, .administer, .edit, .remove, .found: return .allow
        case .set, .action, .move, .level: break
        }
        let levels = LifecycleLevel.allCases.filter(state.lifecycle.settings.controlLevels.contains)
        let legal =
            levels.isEmpty
            ? "it never may" : "it may in " + QuotedValue.list(levels.reversed().map(\.hmiLevel))
        return .refuse(
            Refusal(
                .levelDenied,
                "a kiosk may not drive things in level \(state.lifecycle.level.hmiLevel); \(legal) "
                    + "(lifecycle.allow.control)"
            )
        )
    }
}
