/// How the link to the gpsd fares.
package struct GPSDCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Nobody listens there, and nobody has yet.
        case absent
        /// It was there, or has been asked for by name, and is tried again.
        case waiting
        case connected
    }

    package var state = State.absent
    /// What the gpsd calls itself.
    package var release: String?
    package var receivers: Int?
    /// 0 not known, 1 none, 2 without height, 3 with height.
    package var mode: Int?
    /// What is wrong and what to do; `nil` when all is well, or when there is nothing to be done.
    package var problem: String?

    package init() {}
}

/// Which gpsd is asked, and how.
package struct GPSDSettings: Sendable, Hashable {
    package var host = "localhost"
    package var port = 2947
    /// Whether somebody has named it, so that its absence is worth a word.
    package var isAskedFor = false
    /// Which heading to take when there are both.
    package var wantsTrueNorth = false
    /// Seconds before the first attempt to connect again, and at most.
    package var firstPause = 1.0
    package var longestPause = 60.0

    package init() {}

    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
