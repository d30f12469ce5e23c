import JSON

/// Identifies a component of a device: its platform, and its name within the device.
struct ComponentName: Sendable, Hashable {
    /// The platforms of Home Assistant in use.
    enum Platform: String, Sendable, Hashable, CaseIterable {
        case binarySensor = "binary_sensor"
        case button
        case climate
        case cover
        case deviceTracker = "device_tracker"
        case event
        case fan
        case humidifier
        case image
        case light
        case lock
        case number
        case select
        case sensor
        case `switch`
        case text
        case valve
    }

    let platform: Platform
    /// `[a-z0-9_]`; empty for the main entity of the device.
    let name: String

    init(_ platform: Platform, _ name: String = "") {
        self.platform = platform
        self.name = String(name.map { $0 == "-" ? "_" : $0 })
    }

    /// The component of this name.
    func with(_ members: JSONObject, _ more: JSONObject = [:]) -> Component {
        Component(name: self, members: members.merging(more) { $1 })
    }

    /// The key in `components`: `light_nearby`, `light`.
    var key: String { name.isEmpty ? platform.rawValue : "\(platform.rawValue)_\(name)" }

    /// The name in the stored list of an earlier run: `light.nearby`, `light.`.
    var text: String { "\(platform.rawValue).\(name)" }

    init?(text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let platform = Platform(rawValue: String(parts[0])) else { return nil }
        self.init(platform, String(parts[1]))
    }
}

/// A component of a discovery payload.
struct Component: Sendable, Hashable {
    let name: ComponentName
    /// Members other than the platform and those derived from the name.
    var members: JSONObject
}
