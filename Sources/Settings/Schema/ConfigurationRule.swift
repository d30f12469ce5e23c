import FlareClient
import JSON
import MQTT

/// What several keys must agree on.
package struct ConfigurationRule: Sendable {
    package struct Issue: Sendable {
        package var message: String
        /// The entry of the list that it is about, from 1; `nil` for the whole key.
        package var entry: Int?

        package init(message: String, entry: Int? = nil) { (self.message, self.entry) = (message, entry) }
    }

    /// The key to which the issues belong.
    let path: String
    /// The rule is skipped if one of these keys is invalid by itself.
    let needed: [String]
    let issues: @Sendable (TrilateralConfiguration) -> [Issue]

    /// A rule for the entries of a list; invalid entries are not passed.
    package init(
        list path: String,
        needed: [String] = [],
        issues: @escaping @Sendable (TrilateralConfiguration) -> [Issue]
    ) {
        self.path = path
        self.needed = needed
        self.issues = issues
    }

    /// - Parameter paths: The keys concerned; the message is reported for the first.
    package init(paths: [String], message: @escaping @Sendable (TrilateralConfiguration) -> String?) {
        path = paths.first ?? ""
        needed = paths
        issues = { message($0).map { [Issue(message: $0)] } ?? [] }
    }

    /// The rules of the sections that no capability brings.
    static let basics: [ConfigurationRule] = [
        .init(paths: ["mqtt.tls.certificate_file", "mqtt.tls.key_file"]) {
            $0.mqtt.tls.certificateFile != nil && $0.mqtt.tls.keyFile == nil
                ? "needs mqtt.tls.key_file as well" : nil
        },
        .init(paths: ["mqtt.tls.key_file", "mqtt.tls.certificate_file"]) {
            $0.mqtt.tls.keyFile != nil && $0.mqtt.tls.certificateFile == nil
                ? "needs mqtt.tls.certificate_file as well" : nil
        },
        withoutTLS("ca_file") { $0.caFile },
        withoutTLS("certificate_file") { $0.certificateFile },
        withoutTLS("key_file") { $0.keyFile },
        withoutTLS("alpn") { $0.alpn },
        .init(paths: ["mqtt.password_file", "mqtt.password"]) {
            $0.passwordFile != nil && $0.mqtt.password != nil
                ? "set either this or TRILATERAL_MQTT_PASSWORD, not both" : nil
        },
        .init(paths: ["mqtt.password_file", "mqtt.username"]) {
            $0.passwordFile != nil && $0.mqtt.username == nil ? "needs mqtt.username as well" : nil
        },
        .init(paths: ["mqtt.password", "mqtt.username", "mqtt.password_file"]) {
            $0.mqtt.password != nil && $0.passwordFile == nil && $0.mqtt.username == nil
                ? "needs mqtt.username as well" : nil
        },
        .init(paths: ["flare.mode", "flare.remote.url"]) {
            $0.flare.mode == .remote && $0.flare.remote.url == nil && $0.flare.remote.serial == nil
                ? "remote needs flare.remote.url or flare.remote.serial as well" : nil
        },
        .init(paths: ["flare.remote.serial", "flare.remote.url"]) {
            $0.flare.remote.serial != nil && $0.flare.remote.url != nil
                ? "set either this or flare.remote.url, not both" : nil
        },
        .init(paths: ["flare.remote.token_file", "flare.remote.url", "flare.remote.serial"]) {
            guard $0.flare.remote.tokenFile != nil, $0.flare.remote.url == nil else { return nil }
            return $0.flare.remote.serial == nil
                ? "has no effect without flare.remote.url"
                : "is for flare.remote.url; a station's password is its token (trilateral station edit)"
        },
        .init(paths: ["flare.remote.certificate_file", "flare.remote.key_file"]) {
            $0.flare.remote.tls.certificateFile != nil && $0.flare.remote.tls.keyFile == nil
                ? "needs flare.remote.key_file as well" : nil
        },
        .init(paths: ["flare.remote.key_file", "flare.remote.certificate_file"]) {
            $0.flare.remote.tls.keyFile != nil && $0.flare.remote.tls.certificateFile == nil
                ? "needs flare.remote.certificate_file as well" : nil
        },
        remoteWithoutTLS("ca_file") { $0.tls.caFile },
        remoteWithoutTLS("certificate_file") { $0.tls.certificateFile },
        .init(paths: ["mqtt.reconnect_max_seconds", "mqtt.reconnect_min_seconds"]) {
            let (least, most) = ($0.mqtt.reconnectMinimumSeconds, $0.mqtt.reconnectMaximumSeconds)
            guard most < least else { return nil }
            let values = (JSONValue.number(most), JSONValue.number(least))
            return "must be at least mqtt.reconnect_min_seconds (is \(values.0), and that is \(values.1))"
        },
    ]

    private static func remoteWithoutTLS(
        _ name: String,
        _ value: @escaping @Sendable (TrilateralConfiguration.Remote) -> String?
    ) -> ConfigurationRule {
        // The URL of a registered station is not in the configuration.
        ConfigurationRule(paths: ["flare.remote.\(name)", "flare.remote.url", "flare.remote.serial"]) {
            value($0.flare.remote) != nil && $0.flare.remote.serial == nil
                && $0.flare.remote.url?.hasPrefix("https://") != true
                ? "has no effect unless flare.remote.url begins with https://" : nil
        }
    }

    private static func withoutTLS(
        _ name: String,
        _ value: @escaping @Sendable (MQTTTLS) -> String?
    ) -> ConfigurationRule {
        ConfigurationRule(paths: ["mqtt.tls.\(name)", "mqtt.tls.enabled"]) {
            value($0.mqtt.tls) != nil && !$0.mqtt.tls.isEnabled
                ? "has no effect while mqtt.tls.enabled is false" : nil
        }
    }
}
