import SeededRandom
import Testing
import Things

struct ChromaticityTests {
    private func difference(_ a: RGBColour, _ b: RGBColour) -> Int {
        [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)].map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// As lamps and zigbee2mqtt round them.
    private func rounded(_ place: (x: Double, y: Double)) -> RGBColour {
        func round(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
        return RGBColour(x: round(place.x), y: round(place.y))
    }

    @Test func `every bright colour survives a chromaticity of four decimals`() {
        var generator = SplitMix64(seed: 13)
        var exact = 0
        for _ in 0..<5000 {
            var channels = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            channels[Int.random(in: 0..<3, using: &generator)] = 255
            let colour = RGBColour(red: channels[0], green: channels[1], blue: channels[2])
            let back = rounded(colour.chromaticity)
            #expect(difference(back, colour) <= 2, "\(colour.hexText) becomes \(back.hexText)")
            exact += back == colour ? 1 : 0
        }
        #expect(exact > 4700)
    }

    @Test(arguments: [0xFFA500 as UInt32, 0xFF0000, 0x00FF00, 0x0000FF, 0xFF7D00, 0x8040FF, 0xFFC0CB])
    func `these values survive exactly`(hex: UInt32) {
        #expect(rounded(RGBColour(hex: hex).chromaticity) == RGBColour(hex: hex))
    }

    /// Computed with `color_xy_to_RGB` of Home Assistant.
    @Test(arguments: [
        (0.562, 0.417, 0xFFA600 as UInt32), (0.701, 0.299, 0xFF0000), (0.136, 0.04, 0x0B00FF),
        (0.323, 0.329, 0xFFFEFE), (0.217, 0.099, 0x8445FF),
    ])
    func `a chromaticity is the colour that Home Assistant shows`(x: Double, y: Double, hex: UInt32) {
        #expect(RGBColour(x: x, y: y) == RGBColour(hex: hex))
    }

    @Test func `every chromaticity gives a colour`() {
        for x in stride(from: 0.0, through: 1, by: 0.02) {
            for y in stride(from: 0.0, through: 1, by: 0.02) {
                let colour = RGBColour(x: x, y: y)
                #expect(max(colour.red, colour.green, colour.blue) >= 254)
            }
        }
    }

    @Test func `hue and saturation with three decimals restore the colour exactly`() {
        var generator = SplitMix64(seed: 14)
        for _ in 0..<5000 {
            var channels = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            channels[Int.random(in: 0..<3, using: &generator)] = 255
            let colour = RGBColour(red: channels[0], green: channels[1], blue: channels[2])
            let (hue, saturation, _) = colour.hueSaturationValue
            let back = RGBColour(
                hue: (hue * 1000).rounded() / 1000,
                saturation: (saturation * 100_000).rounded() / 100_000
            )
            #expect(back == colour)
        }
    }
}
