import CProcess

/// What the kernel says about its clock.
package enum SystemClock {
    /// Whether a time service keeps it right; `nil` if the system does not say.
    package static var isSynchronised: Bool? {
        switch trilateral_clock_is_synchronised() {
        case 0: false
        case 1: true
        default: nil
        }
    }
}
