extension PlacedValue.Content {
    /// What an unquoted YAML scalar is: only `true` and `false` are booleans.
    ///
    /// So `on`, `off` and `yes` are texts, as are dates and times of day.
    /// - Source: the core schema of YAML 1.2.2, section 10.3, with fewer booleans.
    package init(plainYAML text: String) {
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = Numeral(plainYAML: text).map { .number($0) } ?? .string(text)
        }
    }
}

extension Numeral {
    /// - Returns: `nil` for what is no number in YAML, or not a finite one.
    fileprivate init?(plainYAML text: String) {
        if let radix = Self.radix(of: text) {
            guard let number = UInt64(text.dropFirst(2), radix: radix) else { return nil }
            self.init(Double(number), text: String(number))
            return
        }
        guard Self.isDecimal(text), let number = Double(Self.withDigits(text)), number.isFinite else {
            return nil
        }
        // As it is written, if that is legal in JSON too: a version 1.0 stays 1.0.
        self = Numeral(text) ?? Numeral(number)
    }

    /// `0x1F` and `0o17`.
    private static func radix(of text: String) -> Int? {
        guard text.utf8.count > 2, text.utf8.dropFirst(2).first.map({ $0 != 0x2B && $0 != 0x2D }) == true
        else { return nil }
        return text.hasPrefix("0x") ? 16 : text.hasPrefix("0o") ? 8 : nil
    }

    /// An integer or a decimal with a point, a sign and an exponent, each of which may be missing.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skip(_ characters: String) -> Bool {
            guard let byte = rest.first, characters.utf8.contains(byte) else { return false }
            rest.removeFirst()
            return true
        }
        func digits() -> Int {
            let before = rest.count
            rest = rest.drop { $0.isASCIIDigit }
            return before - rest.count
        }
        _ = skip("-+")
        let whole = digits()
        let fraction = skip(".") ? digits() : 0
        guard whole + fraction > 0 else { return false }
        if skip("eE") {
            _ = skip("-+")
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// `1.e3` as Swift reads it.
    private static func withDigits(_ text: String) -> String {
        guard let dot = text.firstIndex(of: ".") else { return text }
        let behind = text.index(after: dot)
        let needsDigit = behind == text.endIndex || !text[behind].isASCII || !text[behind].isNumber
        let before = dot == text.startIndex || !text[text.index(before: dot)].isNumber
        return text[..<dot] + (before ? "0." : ".") + (needsDigit ? "0" : "") + text[behind...]
    }
}
