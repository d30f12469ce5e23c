import Bridge
import MQTT
package import Settings
package import Text
import Threading

/// The passwords that a daemon knows, as the mask of its log and its command log.
package final class KnownSecrets: Sendable {
    private struct State {
        /// Those of the configuration.
        var passwords: [String] = []
        var publicWords: Set<String> = []
        /// Those of registered stations; one that was forgotten may still be in use elsewhere.
        var stations: Set<String> = []
        /// Identity keys of devices.
        var keys: Set<String> = []
        var mask = SecretMask.forms
    }

    private let state = Locked(State())
    private let changed: @Sendable (SecretMask) -> Void

    /// - Parameter changed: Called with every new mask.
    package init(changed: @escaping @Sendable (SecretMask) -> Void = { _ in }) { self.changed = changed }

    package var mask: SecretMask { state.withLock { $0.mask } }

    /// Takes the passwords of a configuration instead of those of the last one.
    package func use(_ configuration: TrilateralConfiguration, _ capabilities: [Capability] = Capability.all)
    {
        let mqtt = configuration.mqtt
        let passwords: [String?] =
            [mqtt.password?.reveal(), configuration.flare.remote.token?.reveal()]
            + capabilities.flatMap { $0.secrets(configuration) }
        let words = [
            "trilateral", configuration.bridge.base, configuration.node, mqtt.username, mqtt.host,
        ]
        update { state in
            state.passwords = passwords.compactMap(\.self)
            state.publicWords = Set(words.compactMap(\.self))
        }
    }

    /// Takes the passwords of stations, too.
    package func add(_ stations: [RegisteredStation]) {
        let passwords = Set(stations.map { $0.password.reveal() })
        guard state.withLock({ !$0.stations.isSuperset(of: passwords) }) else { return }
        update { $0.stations.formUnion(passwords) }
    }

    /// Takes the identity keys of devices, too; one that was removed is still a person's.
    package func add(keys: [String]) {
        guard state.withLock({ !$0.keys.isSuperset(of: keys) }) else { return }
        update { $0.keys.formUnion(keys) }
    }

    private func update(_ change: (inout State) -> Void) {
        let mask = state.withLock { state in
            change(&state)
            let passwords = state.passwords + state.stations.sorted() + state.keys.sorted()
            state.mask = SecretMask(passwords: passwords, publicWords: state.publicWords)
            return state.mask
        }
        changed(mask)
    }
}
