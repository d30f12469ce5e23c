/// The state of the connection to the gpsd.
package struct GPSDCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// No gpsd answers, and none ever has.
        case absent
        /// It was connected, or is configured explicitly; connecting again.
        case waiting
        case connected
    }

    package var state = State.absent
    /// The gpsd's release.
    package var release: String?
    package var receivers: Int?
    /// 0 unknown, 1 no fix, 2 without height, 3 with height.
    package var mode: Int?
    /// What is wrong and what to do; `nil` when nothing is wrong.
    package var problem: String?

    package init() {}
}

/// How to connect to the gpsd.
package struct GPSDSettings: Sendable, Hashable {
    package var host = "localhost"
    package var port = 2947
    /// Whether the configuration names it, so that its absence is reported.
    package var isConfigured = false
    /// Which heading to prefer when both are sent.
    package var wantsTrueNorth = false
    /// Seconds before the first reconnection, and the most between two.
    package var firstPause = 1.0
    package var longestPause = 60.0

    package init() {}

    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
