import Testing
import Things

struct RGBColourTests {
    /// Every sixth value of each channel: 43³ colours.
    private static let grid = stride(from: 0, through: 255, by: 15).map { UInt8($0) }

    private func isNear(_ a: RGBColour, _ b: RGBColour) -> Bool {
        [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)].allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }

    @Test func `hue, saturation and value lead back to the colour`() {
        for red in Self.grid {
            for green in Self.grid {
                for blue in Self.grid {
                    let colour = RGBColour(red: red, green: green, blue: blue)
                    let (hue, saturation, value) = colour.hueSaturationValue
                    #expect((0..<360).contains(hue))
                    #expect(RGBColour(hue: hue, saturation: saturation, value: value) == colour)
                }
            }
        }
    }

    @Test func `the chromaticity of a bright colour leads back to it`() {
        for first in Self.grid {
            for second in Self.grid {
                for colour in [
                    RGBColour(red: 255, green: first, blue: second),
                    RGBColour(red: first, green: 255, blue: second),
                    RGBColour(red: first, green: second, blue: 255),
                ] {
                    let (x, y) = colour.chromaticity
                    #expect(isNear(RGBColour(x: x, y: y), colour), "\(colour)")
                }
            }
        }
    }

    @Test(arguments: [
        (0.64, 0.33, 0xFF0000 as UInt32), (0.30, 0.60, 0x00FF00), (0.15, 0.06, 0x0000FF),
        (0.3127, 0.3290, 0xFFFFFF),
    ])
    func `the primaries and the white of sRGB are where the standard has them`(
        x: Double,
        y: Double,
        hex: UInt32
    ) {
        #expect(isNear(RGBColour(x: x, y: y), RGBColour(hex: hex)))
    }

    @Test func `any chromaticity is some colour`() {
        for x in stride(from: 0.0, through: 1, by: 0.02) {
            for y in stride(from: 0.0, through: 1, by: 0.02) {
                let colour = RGBColour(x: x, y: y)
                #expect(max(colour.red, colour.green, colour.blue) == 255)
            }
        }
    }

    @Test(arguments: [("#ff8800", 0xFF8800 as UInt32), ("#F80", 0xFF8800), ("#000", 0), ("#0000ff", 0xFF)])
    func `hexadecimal digits are read in both lengths`(text: String, hex: UInt32) {
        #expect(RGBColour(hexText: text) == RGBColour(hex: hex))
    }

    @Test(arguments: ["", "#", "#ff88", "#ff880", "#ff88000", "ff8800", "#gg0000", "#ff880é"])
    func `other texts are no digits of a colour`(text: String) {
        #expect(RGBColour(hexText: text) == nil)
    }

    @Test func `the middle between two colours is halfway in each channel`() {
        let mixed = RGBColour(hex: 0x000000).mixed(with: RGBColour(hex: 0xFF8040), fraction: 0.5)
        #expect(mixed == RGBColour(hex: 0x804020))
    }
}
