/// One record of a capture.
package struct CaptureRecord: Sendable, Hashable {
    /// The content of a record.
    package enum Content: Sendable, Hashable {
        /// An HCI event, from its event code on.
        case event([UInt8])
        /// A packet captured from the air.
        case sniffed(SniffedPacket)
        /// Shorter than its type requires, or received with a wrong checksum.
        case damaged
        case other
    }

    /// Microseconds since 1970.
    package let microseconds: Int64
    package let content: Content

    /// The HCI event in the record, if any.
    package var event: [UInt8]? {
        if case .event(let bytes) = content { bytes } else { nil }
    }
}
