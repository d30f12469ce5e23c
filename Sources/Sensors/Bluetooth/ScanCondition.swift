package import Positioning

/// How scanning fares.
package struct ScanCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Switched off.
        case off
        /// There is no adapter, and none was asked for.
        case absent
        /// It goes on when somebody does something, or after a while.
        case waiting
        case starting
        case scanning
        /// Nothing is heard.
        case deaf
    }

    package var state = State.off
    /// `hci0`, once one was chosen.
    package var adapter: String?
    /// The adapter's own address, once one was chosen.
    package var address: DeviceAddress?
    /// Whether the controller knows extended advertising.
    package var isExtended = false
    /// What is wrong and what to do; `nil` when all is well, or when there is nothing to be done.
    package var problem: String?
    /// How often scanning was switched on anew.
    package var restarts = 0
    /// How often the adapter was reset.
    package var resets = 0

    package init() {}
}
