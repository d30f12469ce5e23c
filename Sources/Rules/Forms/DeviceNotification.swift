import JSON
import Things

/// A notification of Ayla's because of a device's connection.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' SDKs, `AylaDeviceNotification`.
enum DeviceNotification {
    private static let known = [
        "notificationType", "threshold", "thing", "deviceNickname", "active", "notificationApps", "name",
        "description", "message", "id", "url", "key", "deviceKey",
    ]

    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        var parts = reading.head(of: rule, title: ["name"], flag: "active")
        let thing = reading.part { (reading) throws(Refusal) in
            try reading.thing(["thing", "deviceNickname"], in: rule)
        }
        reading.part { _ throws(Refusal) in
            let trigger = DeviceTrigger(
                thing ?? .thing(""),
                try rule.word("notificationType", as: DeviceTrigger.Event.self),
                threshold: try rule.optionalWhole("threshold", RuleLimits.threshold)
            )
            parts.triggers = [.device(trigger)]
        }
        NotificationApps.add(
            "notificationApps",
            wrapper: "notificationApp",
            in: rule,
            to: &parts,
            &reading
        )
        return parts
    }
}
