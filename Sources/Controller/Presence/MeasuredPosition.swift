/// When the position that a device has in an environment was measured, as far as the last run has stored it.
///
/// The Flare server keeps positions without their age, and an old one says nothing of where a device is now.
package enum MeasuredPosition: Sendable, Hashable {
    /// It was measured then, and perhaps later: the run has not stored since that it was not. Milliseconds since 1970.
    case held(since: Int64)
    /// It was measured for the last time then, milliseconds since 1970.
    case ended(at: Int64)
    /// It is that of a device that was removed from the list: who has its node now may be anywhere.
    case ofAnother

    /// When it was measured for certain, milliseconds since 1970; `nil` if it says nothing of this device.
    var certain: Int64? {
        switch self {
        case .held(let time), .ended(let time): time
        case .ofAnother: nil
        }
    }
}
