import JSON
import Things

/// A notification of Ayla's because of a device's connection.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' SDKs, `AylaDeviceNotification`.
enum DeviceNotification {
    private static let known = [
        "notificationType", "threshold", "thing", "deviceNickname", "active", "notificationApps", "name",
        "description", "message", "id", "url", "key", "deviceKey",
    ]

    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) throws(Refusal) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        var parts = RuleParts()
        parts.title = try reading.title(["name"], in: rule)
        parts.description = try RuleParts.line("description", RuleLimits.description, in: rule)
        parts.isEnabled = try rule.flag("active") ?? true
        let trigger = DeviceTrigger(
            try reading.thing(["thing", "deviceNickname"], in: rule),
            try rule.word("notificationType", as: DeviceTrigger.Event.self),
            threshold: try rule.optionalWhole("threshold", RuleLimits.threshold)
        )
        parts.triggers = [.device(trigger)]
        try NotificationApps.add(
            "notificationApps",
            wrapper: "notificationApp",
            in: rule,
            to: &parts,
            &reading
        )
        return parts
    }
}
