/// A colour of the sRGB space, eight bits a channel.
package struct RGBColour: Sendable, Hashable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// From a number as it is written in hexadecimal: 0xRRGGBB.
    package init(hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16),
            green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex)
        )
    }

    /// `#rrggbb`, or `#rgb` for `#rrggbb` of doubled digits; of either case.
    package init?(hexText: some StringProtocol) {
        let utf8 = hexText.utf8
        guard utf8.first == UInt8(ascii: "#"), utf8.count == 7 || utf8.count == 4 else { return nil }
        var hex: UInt32 = 0
        for byte in utf8.dropFirst() {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            hex = hex << 4 | UInt32(digit)
            if utf8.count == 4 { hex = hex << 4 | UInt32(digit) }
        }
        self.init(hex: hex)
    }

    /// `#rrggbb`, lower case.
    package var hexText: String {
        let hex = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        let digits = String(hex, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Converts channels of 0…1, clamping others.
    private init(redChannel red: Double, greenChannel green: Double, blueChannel blue: Double) {
        func channel(_ value: Double) -> UInt8 { value > 0 ? UInt8(min((value * 255).rounded(), 255)) : 0 }
        self.init(red: channel(red), green: channel(green), blue: channel(blue))
    }

    private var channels: (red: Double, green: Double, blue: Double) {
        (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
    }

    /// The squared distance to another colour in RGB.
    package func squaredDistance(to other: RGBColour) -> Int {
        [(red, other.red), (green, other.green), (blue, other.blue)].reduce(0) { sum, pair in
            let difference = Int(pair.0) - Int(pair.1)
            return sum + difference * difference
        }
    }

    /// Interpolates linearly to another colour.
    /// - Parameter fraction: 0 for this colour, 1 for the other.
    package func mixed(with other: RGBColour, fraction: Double) -> RGBColour {
        let (from, to) = (channels, other.channels)
        func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * fraction }
        return RGBColour(
            redChannel: mix(from.red, to.red),
            greenChannel: mix(from.green, to.green),
            blueChannel: mix(from.blue, to.blue)
        )
    }
}

extension RGBColour {
    /// Converts hue (degrees, 0…360), saturation and value (0…1).
    package init(hue: Double, saturation: Double, value: Double = 1) {
        // The channel falls linearly with the distance on the colour wheel.
        func channel(_ offset: Double) -> Double {
            let k = (offset + hue / 60).truncatingRemainder(dividingBy: 6)
            return value - value * saturation * max(0, min(k, 4 - k, 1))
        }
        self.init(redChannel: channel(5), greenChannel: channel(3), blueChannel: channel(1))
    }

    /// Hue (degrees, 0..<360; 0 for greys), saturation and value (0…1).
    package var hueSaturationValue: (hue: Double, saturation: Double, value: Double) {
        let (red, green, blue) = channels
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        let span = most - least
        guard span > 0 else { return (0, 0, most) }
        let sixths: Double =
            if most == red {
                (green - blue) / span
            } else if most == green {
                2 + (blue - red) / span
            } else {
                4 + (red - green) / span
            }
        return (sixths < 0 ? (sixths + 6) * 60 : sixths * 60, span / most, most)
    }
}
