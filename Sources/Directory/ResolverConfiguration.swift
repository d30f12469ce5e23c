package import Resolution

/// The settings of a resolver.
package struct ResolverConfiguration: Sendable {
    /// An address to listen on.
    package struct Listener: Sendable, Hashable {
        package let host: String
        package let port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
    }

    package var listeners: [Listener] = []
    /// Which address of a station counts.
    package var rule = AddressRule.auto
    /// Whether updates are answered.
    package var acknowledges = false
    /// Networks whose unsigned updates count.
    package var updateFrom = standardUpdateFrom.compactMap { NetworkRange($0) }
    /// Networks that may ask.
    package var requestFrom = standardRequestFrom.compactMap { NetworkRange($0) }
    /// Names and updates of one peer.
    package var perSecond = 10.0
    /// 32 bytes for each serial that takes signed updates only.
    package var keys: [StationSerial: [UInt8]] = [:]
    /// Then the longest silent one is closed.
    package var maximumConnections = 1024

    package init() {}

    /// This machine alone may tell, until more is configured.
    package static let standardUpdateFrom = ["127.0.0.0/8", "::1/128"]
    package static let standardRequestFrom = ["0.0.0.0/0", "::/0"]
}

/// What a resolver counts, for the health message.
package struct ResolverCounters: Sendable, Hashable {
    /// Connections that were taken, names that were asked for, and those of them that nobody knew.
    package var connections = 0
    package var names = 0
    package var unknown = 0
    /// Updates that counted, those of them with another address, and what was refused.
    package var updates = 0
    package var changes = 0
    package var refused = 0

    package init() {}
}
