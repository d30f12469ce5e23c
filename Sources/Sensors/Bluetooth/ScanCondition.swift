package import Positioning

/// The state of scanning.
package struct ScanCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Switched off.
        case off
        /// There is no adapter, and the configuration names none.
        case absent
        /// Waiting for the user, or for the next attempt.
        case waiting
        case starting
        case scanning
        /// Scanning, but nothing is received.
        case deaf
    }

    package var state = State.off
    /// `hci0`, once one was chosen.
    package var adapter: String?
    /// The adapter's own address, once one was chosen.
    package var address: DeviceAddress?
    /// Whether the controller knows extended advertising.
    package var isExtended = false
    /// What is wrong and what to do; `nil` when nothing is wrong.
    package var problem: String?
    /// How often scanning was restarted.
    package var restarts = 0
    /// How often the adapter was reset.
    package var resets = 0

    package init() {}
}
