package import Flare
package import Settings

extension SecretMask {
    /// Finds the passwords of a configuration too.
    package init(_ configuration: TrilateralConfiguration) {
        let mqtt = configuration.mqtt
        self.init(
            passwords: [mqtt.password?.reveal(), configuration.flare.remote.token?.reveal()].compactMap(
                \.self
            ),
            publicWords: Set(
                ["trilateral", mqtt.base, mqtt.node, mqtt.username, mqtt.host].compactMap(\.self)
            )
        )
    }
}
