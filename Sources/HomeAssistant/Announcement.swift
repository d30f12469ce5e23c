/// One retained message to Home Assistant; an empty one takes the device away.
package struct Announcement: Sendable, Hashable {
    package let topic: String
    package let payload: [UInt8]
    /// The components in it, for whoever has to take them away some day; `nil` when the device goes.
    package let components: String?

    package var isRemoval: Bool { components == nil }
}
