/// Reads the decimal numbers that packets carry, however long a peer makes them.
enum DecimalDigits {
    /// More digits than any length or id needs, and few enough for any `Int` and any JavaScript number.
    private static let maximum = 15

    /// The number that these digits write; `nil` when there is none, when they are too many, or when one is no
    /// digit.
    /// - Parameter zero: The byte that stands for 0.
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
