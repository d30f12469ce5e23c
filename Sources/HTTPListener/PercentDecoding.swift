import Text

extension String {
    /// The percent-decoded text; `nil` when the encoding is invalid or not UTF-8.
    package var percentDecoded: String? { self[...].percentDecoded }
}

extension Substring {
    /// The percent-decoded text; `nil` when the encoding is invalid or not UTF-8.
    /// - Source: RFC 3986 2.1.
    package var percentDecoded: String? {
        guard firstPlace(of: "%") != nil else { return String(self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var iterator = utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexDigit, let low = iterator.next()?.hexDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }
}
