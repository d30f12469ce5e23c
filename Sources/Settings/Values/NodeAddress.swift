/// Where on which broker a daemon has its topics.
package struct NodeAddress: Hashable {
    package let host: String
    package let port: Int
    package let base: String
    package let node: String

    package init(_ broker: TrilateralConfiguration.Broker, _ traits: HostInfo) {
        host = broker.host
        port = broker.port
        base = broker.base
        node = broker.node ?? traits.node
    }
}
