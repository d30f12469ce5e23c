/// A retained discovery message; an empty payload removes the device.
package struct Announcement: Sendable, Hashable {
    package let topic: String
    package let payload: [UInt8]
    /// The components in it, stored so that a later run can remove them; `nil` when the device is removed.
    package let components: String?

    package var isRemoval: Bool { components == nil }
}
