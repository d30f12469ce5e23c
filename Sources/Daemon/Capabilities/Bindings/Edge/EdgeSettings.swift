package import Bindings
package import Messages

/// How things at the edge find the broker, as it is told to them over HTTP.
package struct EdgeSettings: Sendable {
    /// The broker's address.
    package struct Broker: Sendable, Hashable {
        package let host: String
        package let port: Int
        package let isSecure: Bool

        /// The broker as the daemon reaches it.
        ///
        /// - Parameter ownName: The name of this machine, for things elsewhere, if the broker is on it.
        package init(host: String, port: Int, isSecure: Bool, ownName: String) {
            self.host = Self.isThisMachine(host) ? ownName : host
            (self.port, self.isSecure) = (port, isSecure)
        }

        private static func isThisMachine(_ host: String) -> Bool {
            host == "localhost" || host == "::1"
                || host.hasPrefix("127.") && host.utf8.allSatisfy { (46...57).contains($0) }
        }
    }

    let topics: Topics
    let broker: @Sendable () -> Broker

    package init(_ topics: Topics, broker: @escaping @Sendable () -> Broker) {
        (self.topics, self.broker) = (topics, broker)
    }

    /// Where a thing speaks; an end node by its gateway's user.
    package func endpoint(of thing: EdgeAddress) -> OnboardingAnswer.Endpoint {
        let broker = broker()
        return OnboardingAnswer.Endpoint(
            host: broker.host,
            port: broker.port,
            isSecure: broker.isSecure,
            topic: topics.edge(thing),
            user: thing.speaker
        )
    }
}
