/// Parses the decimal numbers in packets, with a limited number of digits.
enum DecimalDigits {
    /// Enough digits for any length or id, and few enough for `Int` and JavaScript numbers.
    private static let maximum = 15

    /// Parses digits; `nil` when there are none or too many, or when one is invalid.
    /// - Parameter zero: The byte that represents 0.
    static func number(_ digits: ArraySlice<UInt8>, zero: UInt8 = UInt8(ascii: "0")) -> Int? {
        guard !digits.isEmpty, digits.count <= maximum else { return nil }
        var number = 0
        for digit in digits {
            let value = digit &- zero
            guard value < 10 else { return nil }
            number = number * 10 + Int(value)
        }
        return number
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
