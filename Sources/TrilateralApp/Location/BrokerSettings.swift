import ArgumentParser
import Foundation
import MQTT
import OperatingSystem
import Settings
import Text

/// The configuration of a verb that talks to a broker, with the daemon whose it is.
struct BrokerSettings {
    let loaded: LoadedConfiguration
    /// The daemon of this machine that is asked; `nil` if none was found, or another broker was named.
    let daemon: RunningDaemon?

    /// The password that systemd hands to the service, which is in none of the configuration's files.
    ///
    /// - Returns: `nil` if the configuration needs none, has one, or is not the service's.
    /// - Throws: ``VerbError`` if this user must not read it.
    func servicePassword() throws(VerbError) -> Secret? {
        let mqtt = loaded.values.mqtt
        guard mqtt.username != nil, mqtt.password == nil, isOfService,
            let file = ServiceUnit.installed()?.passwordFile
        else { return nil }
        switch Secret.load(file) {
        case .success(let found): return found.secret
        case .failure(let error):
            let isForbidden = error.message.hasSuffix(systemMessage(EACCES)) && geteuid() != 0
            let advice = isForbidden ? ". Run it with sudo, or name" : "; correct that, or name"
            throw VerbError(
                "the service's password for the broker: \(file) \(error.message)\(advice) a user of your "
                    + "own with TRILATERAL_MQTT_USERNAME and TRILATERAL_MQTT_PASSWORD_FILE.",
                .noPermission
            )
        }
    }

    /// Whether the user name at the broker, and the broker, are those of the service.
    private var isOfService: Bool {
        switch (loaded.origin("mqtt.username"), loaded.origin("mqtt.host")) {
        case (.variable, _), (_, .variable): false
        case (.running, _): daemon?.configurationFile == ServiceUnit.standardConfiguration
        case (.file(let name, _, _), _): name == ServiceUnit.standardConfiguration
        default: false
        }
    }
}
