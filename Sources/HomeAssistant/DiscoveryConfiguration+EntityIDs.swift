/// The ids that are proposed to Home Assistant for new entities.
extension DiscoveryConfiguration {
    /// The entity id proposed for a new entity.
    ///
    /// - Parameter zones: The slugs of zones whose entities could have the id of a thing's.
    func entityID(of component: ComponentName, on device: DeviceName, beside zones: Set<String> = [])
        -> String
    {
        var parts: [String]
        switch device {
        case .own, .diagnostics, .zone: parts = [name(of: .own)]
        case .rule(let slug): parts = [name(of: .own), "rule_\(slug)"]
        case .thing: parts = [name(of: device)]
        }
        if !component.name.isEmpty { parts.append(component.name) }
        if case .thing(let slug) = device, Self.isTaken(component, slug, zones) { parts.append("thing") }
        let id = parts.joined(separator: "_").map { $0 == "-" ? "_" : $0 }
        return "\(component.platform.rawValue).\(String(id))"
    }

    /// Whether the daemon's own device has the id that a thing's entity would get: a thing can be called "Nearby".
    private static func isTaken(_ component: ComponentName, _ slug: String, _ zones: Set<String>) -> Bool {
        let name = ComponentName(
            component.platform,
            component.name.isEmpty ? slug : "\(slug)_\(component.name)"
        )
        if OwnDevice.fixedNames.contains(name.text) { return true }
        switch name.platform {
        case .sensor: return name.name.hasPrefix("screen_")
        case .binarySensor:
            return name.name.hasPrefix("display_")
                || zones.contains { name == ComponentName(.binarySensor, "\($0)_occupancy") }
        case .light: return zones.contains { name == ComponentName(.light, "\($0)_lights") }
        // Those of rules.
        case .switch, .event, .button: return name.name.hasPrefix("rule_")
        default: return false
        }
    }
}

extension OwnDevice {
    /// The entities of the daemon's own device that it may have at some time, save those of displays and zones, as
    /// ``ComponentName/text``.
    static let fixedNames: Set<String> = [
        "select.environment", "light.nearby", "sensor.nearby", "sensor.distance", "sensor.zone", "event.zone",
        "event.nearby", "sensor.station_address", "device_tracker.location", "sensor.lifecycle",
        "event.lifecycle", "sensor.displays_count", "sensor.visible_count", "binary_sensor.problem",
        "binary_sensor.broker", "binary_sensor.flare", "binary_sensor.bluetooth", "binary_sensor.compass",
        "binary_sensor.gps", "binary_sensor.station", "binary_sensor.resolver", "button.next",
        "button.previous", "button.refresh", "button.reload", "button.restart", "switch.gps",
        "switch.beacons", "switch.cmx", "switch.compass", "image.map", "event.refused", "event.bridge",
        "sensor.x", "sensor.y", "sensor.accuracy", "sensor.angle", "sensor.uptime", "sensor.sent",
        "sensor.received", "sensor.dropped",
    ]
}
