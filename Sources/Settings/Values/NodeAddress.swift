import Bridge
import MQTT

/// Where on which broker a daemon has its topics.
package struct NodeAddress: Hashable {
    package let host: String
    package let port: Int
    package let base: String
    package let node: String

    package init(_ configuration: TrilateralConfiguration, _ traits: HostInfo) {
        host = configuration.mqtt.host
        port = configuration.mqtt.port
        base = configuration.bridge.base
        node = configuration.node ?? traits.node
    }
}
