/// One record of a capture.
package struct CaptureRecord: Sendable, Hashable {
    /// What a record holds, as far as it matters here.
    package enum Content: Sendable, Hashable {
        /// An HCI event, from its event code on.
        case event([UInt8])
        /// A packet of the air.
        case sniffed(SniffedPacket)
        /// Shorter than its kind must be, or received with a wrong check.
        case damaged
        case other
    }

    /// From 1.
    package let number: Int
    /// Microseconds since 1970.
    package let microseconds: Int64
    package let content: Content

    /// The HCI event that it holds, if it holds one.
    package var event: [UInt8]? {
        if case .event(let bytes) = content { bytes } else { nil }
    }
}
