import Testing
import Things

struct RGBColourTests {
    /// Every sixth value of each channel: 43³ colours.
    private static let grid = stride(from: 0, through: 255, by: 15).map { UInt8($0) }

    @Test func `hue, saturation and value restore the colour`() {
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
