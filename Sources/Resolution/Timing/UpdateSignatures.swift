/// The stations whose updates must be signed, and the time of the last one of each.
///
/// Signatures are HMAC with SHA-256; this value says over what, and an adapter computes them.
/// - Source: contrib/contract/directory.md, "Signed updates".
package struct UpdateSignatures: Sendable {
    /// How far the time of an update may be from ours, seconds.
    package static let tolerance = 90

    private let keys: [StationSerial: [UInt8]]
    private var last: [StationSerial: Int] = [:]

    /// - Parameter keys: 32 bytes for each serial.
    package init(_ keys: [StationSerial: [UInt8]] = [:]) { self.keys = keys }

    /// What is signed: the serial in stored form, the address as sent (or nothing) and the time, a line each.
    package static func message(_ serial: StationSerial, sentAddress: String?, time: Int) -> [UInt8] {
        Array("\(serial)\n\(sentAddress ?? "")\n\(time)".utf8)
    }

    /// Whether a serial takes signed updates only.
    package func isSigned(_ serial: StationSerial) -> Bool { keys[serial] != nil }

    /// Checks an update of a serial that takes signed ones only, and remembers its time.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - verify: Whether the bytes are the code of the message under the key; compares in constant time.
    /// - Returns: Why it is refused; `nil` if it counts.
    package mutating func refusal(
        of update: DirectoryCall.Update,
        now: Int,
        verify: (_ message: [UInt8], _ key: [UInt8], _ code: [UInt8]) -> Bool
    ) -> DirectoryRefusal? {
        guard let key = keys[update.serial] else { return nil }
        guard let time = update.time, let text = update.signature else { return .unsigned }
        guard let code = [UInt8](hexadecimal: text) else { return .badSignature }
        let message = Self.message(update.serial, sentAddress: update.sentAddress, time: time)
        guard verify(message, key, code) else { return .badSignature }
        guard Self.isNear(time, now) else { return .badTime }
        // A last time that is not near was heard while our clock was wrong, or long ago. Kept after the clock was set
        // back, it would shut the station out until that time comes again.
        if let last = last[update.serial], Self.isNear(last, now), time <= last { return .badTime }
        last[update.serial] = time
        return nil
    }

    private static func isNear(_ time: Int, _ now: Int) -> Bool {
        let (distance, isOverflow) = time.subtractingReportingOverflow(now)
        return !isOverflow && (-tolerance...tolerance).contains(distance)
    }
}

extension [UInt8] {
    /// `nil` for anything but pairs of hexadecimal digits, 1,024 bytes at most.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2), digits.count <= 2048 else {
            return nil
        }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
