import HomeAssistant
import Messages
import Settings

extension Capability {
    /// Home Assistant discovery.
    ///
    /// The bridge itself announces, because it knows what the broker holds.
    static let discovery = Capability(
        name: "discovery",
        access: { configuration in
            let prefix = configuration.discovery.prefix
            return [
                .init(access: .read, filter: "\(prefix)/status"),
                .init(access: .write, filter: "\(prefix)/device/+/config"),
            ]
        },
        build: { _ in nil }
    )
}
