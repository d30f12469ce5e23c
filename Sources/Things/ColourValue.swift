package import JSON
import Text

/// A requested colour, and its stored text.
package struct ColourValue: Sendable, Hashable {
    package let stored: String
    /// `nil` for a name of the palette that is no known colour.
    package let rgb: RGBColour?

    /// The accepted forms of `color`, for messages.
    package static let legal =
        "a name of the palette, a CSS colour name, #rgb, #rrggbb, r,g,b of 0 to 255, {\"r\",\"g\",\"b\"}, "
        + "{\"h\": 0 to 360, \"s\": 0 to 100} or {\"x\",\"y\"} of 0 to 1"

    /// Parses every accepted form of a colour; names are not case sensitive.
    ///
    /// The stored text is the palette's name if there is one, otherwise the CSS name of exactly this colour,
    /// otherwise `#rrggbb`.
    /// - Source: contrib/contract/mqtt.md, "Values that set accepts".
    package init(parsing value: JSONValue, palette: [String] = []) throws(Refusal) {
        switch value {
        case .string(let text): try self.init(text: text, palette: palette)
        case .object(let members): self.init(rgb: try RGBColour(members: members), palette: palette)
        case .null, .bool, .number, .numeral, .array:
            throw .ofColour(.wrongType, "color cannot be \(QuotedValue.of(value)); legal: \(Self.legal)")
        }
    }

    /// Looks the colour up in the palette, then among the CSS names, then parses its digits.
    package init(rgb: RGBColour, palette: [String] = []) {
        self.init(
            stored: palette.first { RGBColour(name: $0) == rgb } ?? CSSColour.name(of: rgb) ?? rgb.hexText,
            rgb: rgb
        )
    }

    private init(stored: String, rgb: RGBColour?) { (self.stored, self.rgb) = (stored, rgb) }

    private init(text: String, palette: [String]) throws(Refusal) {
        let word = text.trimmingSpace
        let name = word.lowercased()
        if let own = palette.first(where: { $0 == word }) ?? palette.first(where: { $0.lowercased() == name })
        {
            self.init(stored: own, rgb: RGBColour(name: own))
        } else if let named = CSSColour.rgb(of: name) {
            self.init(stored: name, rgb: named)
        } else if let hex = RGBColour(hexText: word) {
            self.init(rgb: hex, palette: palette)
        } else if word.contains(",") {
            self.init(rgb: try RGBColour(decimalText: word), palette: palette)
        } else {
            let names = palette.isEmpty ? "" : " (palette: \(QuotedValue.list(palette)))"
            let hint = NearestName.hint(for: name, among: palette + CSSColour.names)
            throw .ofColour(
                .unknownColour,
                "\(QuotedValue.of(text)) is no known colour\(hint)\(hint.isEmpty ? ";" : "") legal: "
                    + Self.legal + names
            )
        }
    }
}

extension RGBColour {
    /// A stored colour: a name or `#rrggbb`.
    package init?(name: String) {
        guard let rgb = CSSColour.rgb(of: name.lowercased()) ?? RGBColour(hexText: name) else { return nil }
        self = rgb
    }

    /// `r,g,b`, each 0…255.
    fileprivate init(decimalText text: String) throws(Refusal) {
        let parts = text.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int(String($0).trimmingSpace) }
        guard numbers.count == 3, parts.count == 3 else {
            throw .ofColour(
                .invalidValue,
                "\(QuotedValue.of(text)) is not r,g,b: three whole numbers of 0 to 255"
            )
        }
        try self.init(numbers: numbers.map(Double.init))
    }

    fileprivate init(members: JSONObject) throws(Refusal) {
        let models = [["r", "g", "b"], ["h", "s"], ["x", "y"]]
        guard let model = models.first(where: { Set($0) == Set(members.keys) }) else {
            throw .ofColour(
                .invalidValue,
                "color \(QuotedValue.of(.object(members))) must have the members of one colour model: "
                    + "r, g, b or h, s or x, y"
            )
        }
        var numbers: [Double] = []
        for key in model {
            guard let number = members[key]?.number, number.isFinite else {
                let value = members[key] ?? .null
                throw .ofColour(.wrongType, "color.\(key) must be a number (is \(QuotedValue.of(value)))")
            }
            numbers.append(number)
        }
        switch model[0] {
        case "r": try self.init(numbers: numbers)
        case "h":
            try Self.check(numbers[0], "h", 0...360)
            try Self.check(numbers[1], "s", 0...100)
            self.init(hue: numbers[0], saturation: numbers[1] / 100)
        default:
            try Self.check(numbers[0], "x", 0...1)
            try Self.check(numbers[1], "y", 0...1)
            self.init(x: numbers[0], y: numbers[1])
        }
    }

    /// Three whole numbers from 0 to 255.
    private init(numbers: [Double]) throws(Refusal) {
        for (number, key) in zip(numbers, ["r", "g", "b"]) {
            try Self.check(number, key, 0...255)
            guard number == number.rounded() else {
                throw .ofColour(
                    .invalidValue,
                    "color.\(key) must be a whole number of 0 to 255 (is \(number))"
                )
            }
        }
        self.init(red: UInt8(numbers[0]), green: UInt8(numbers[1]), blue: UInt8(numbers[2]))
    }

    private static func check(_ number: Double, _ key: String, _ range: ClosedRange<Double>) throws(Refusal) {
        guard !range.contains(number) else { return }
        throw .ofColour(
            .outOfRange,
            "color.\(key) must be \(Int(range.lowerBound)) to \(Int(range.upperBound)) "
                + "(is \(QuotedValue.of(.number(number))))"
        )
    }
}

extension Refusal {
    fileprivate static func ofColour(_ code: RefusalCode, _ message: String) -> Refusal {
        Refusal(code, message, field: "color")
    }
}

extension String {
    /// The text without surrounding spaces, tabs and line ends.
    package var trimmingSpace: String {
        if let first = utf8.first, let last = utf8.last, Self.isPrinted(first), Self.isPrinted(last) {
            return self
        }
        guard let start = firstIndex(where: { !$0.isWhitespace }),
            let end = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }

    /// Whether a byte is an ASCII character that is no space; most texts begin and end with one.
    private static func isPrinted(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
