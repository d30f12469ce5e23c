/// The structures inside the payload of an advertising packet.
///
/// Structures come in any order and a type may occur several times. A length of 0 ends the data early. A
/// structure that runs past the end is dropped; the structures before it are kept.
/// - Source: Bluetooth Core Specification, Supplement, part A.
package enum AdvertisingData {
    package enum Kind {
        package static let flags: UInt8 = 0x01
        package static let serviceData16: UInt8 = 0x16
        package static let manufacturer: UInt8 = 0xFF
    }

    /// Calls `body` with each structure in place, in order.
    ///
    /// - Returns: `true` when the payload was complete; `false` when a structure ran past its end.
    @discardableResult
    package static func forEachStructure(
        in payload: Span<UInt8>,
        _ body: (_ type: UInt8, _ data: Span<UInt8>) -> Void
    ) -> Bool {
        var start = 0
        while start < payload.count {
            let length = Int(payload[start])
            guard length > 0 else { return true }
            let end = start + 1 + length
            guard end <= payload.count else { return false }
            body(payload[start + 1], payload.extracting(start + 2..<end))
            start = end
        }
        return true
    }
}
