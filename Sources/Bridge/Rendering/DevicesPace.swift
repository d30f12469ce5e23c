import Controller
import Messages

/// How often the list of devices is published: at once when somebody is elsewhere, and rarely when somebody was only heard
/// again.
struct DevicesPace: Sendable {
    /// The last list that was published.
    private var last: (mark: Int, heardAt: Int64)?

    /// How often it is said of devices that they were heard again.
    private static let sightingsPerSecond = 0.1
    private static let sightingPause: Int64 = 10_000

    /// - Returns: `nil` if the list need not be rendered, which takes long with many devices.
    mutating func perSecond(_ state: ControllerState, isPublished: Bool) -> Double? {
        guard let mark = state.devicesMark else {
            last = nil
            return .infinity
        }
        let heardAt = state.devicesHeardAt?.steadyMilliseconds ?? 0
        guard isPublished, let known = last, known.mark == mark else {
            last = (mark, heardAt)
            return .infinity
        }
        guard heardAt - known.heardAt >= Self.sightingPause else { return nil }
        last = (mark, heardAt)
        return Self.sightingsPerSecond
    }
}
