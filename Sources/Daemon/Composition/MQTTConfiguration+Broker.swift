package import MQTT
package import Settings

extension MQTTConfiguration {
    /// The connection of the configuration's `mqtt` section, without a will.
    ///
    /// - Parameter clientID: The client id if the section has none.
    package init(_ broker: TrilateralConfiguration.Broker, clientID: String = "") {
        self.init()
        host = broker.host
        port = broker.port
        protocolVersion =
            switch broker.version {
            case .automatic: .automatic
            case .version5: .v5
            case .version311: .v311
            }
        self.clientID = broker.clientID ?? clientID
        username = broker.username
        password = broker.password.map { MQTTPassword($0.reveal()) }
        keepAliveSeconds = broker.keepaliveSeconds
        reconnectMinimumSeconds = broker.reconnectMinSeconds
        reconnectMaximumSeconds = broker.reconnectMaxSeconds
        maximumQueued = broker.maxQueued
        guard broker.tls.isEnabled else { return }
        var tls = MQTTTLS()
        tls.caFile = broker.tls.caFile
        tls.certificateFile = broker.tls.certificateFile
        tls.keyFile = broker.tls.keyFile
        tls.alpn = broker.tls.alpn
        tls.verifyHostname = broker.tls.verifyHostname
        self.tls = tls
    }
}
