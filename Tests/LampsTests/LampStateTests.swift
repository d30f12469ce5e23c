import Flare
import JSON
import Lamps
import SeededRandom
import Testing
import Things

struct LampStateTests {
    private static let states: [(JSONObject, LampState)] = [
        (
            ["on": true, "brightness": 0.5, "color": "red"],
            LampState(isOn: true, level: 0.5, colour: Paint.red)
        ),
        (["on": false, "brightness": 0.5], LampState(isOn: false, level: 0.5)),
        (["on": true, "brightness": 0], LampState(isOn: false)),
        (["brightness": 0.2], LampState(isOn: true, level: 0.2)),
        (["brightness": 0], LampState(isOn: false)),
        (["color": "blue"], LampState(isOn: true, colour: Paint.blue)),
        (["on": true, "color": "black"], LampState(isOn: false)),
        (["on": true, "color": "warm white"], LampState(isOn: true)),
        (
            ["on": true, "brightness": 0, "color": "red", "readonly": ["brightness", "color"]],
            LampState(isOn: true)
        ),
    ]

    @Test(arguments: states)
    func `a thing's data defines the wanted state of its lamp`(data: JSONObject, expected: LampState) {
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = data
        #expect(LampState(thing.light) == expected)
    }

    @Test func `rounding to any scale counts as equal`() {
        for step in 1...255 {
            let level = Double(step) / 255
            let state = LampState(isOn: true, level: level)
            for scale in [100.0, 254, 255] {
                let shown = LampState(isOn: true, level: max((level * scale).rounded(), 1) / scale)
                #expect(state.isShown(by: shown), "\(step) on a scale of \(scale)")
            }
        }
        #expect(!LampState(isOn: true, level: 0.5).isShown(by: LampState(isOn: true, level: 0.52)))
    }

    @Test func `a colour survives every colour model of lamps`() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<2000 {
            func channel() -> UInt8 { .random(in: 0...255, using: &generator) }
            let colour = RGBColour(red: channel(), green: channel(), blue: channel())
            // Nearly black colours lose their hue.
            guard max(colour.red, colour.green, colour.blue) > 100 else { continue }
            let (hue, saturation, _) = colour.hueSaturationValue
            let (x, y) = colour.chromaticity
            let state = LampState(isOn: true, colour: colour)
            let whole = RGBColour(hue: hue.rounded(), saturation: saturation.rounded(to: 100))
            #expect(state.isShown(by: LampState(isOn: true, colour: whole)), "\(colour.hexText)")
            let place = RGBColour(x: x.rounded(to: 10_000), y: y.rounded(to: 10_000))
            #expect(state.isShown(by: LampState(isOn: true, colour: place)), "\(colour.hexText)")
        }
    }

    @Test func `named colours differ by more than the tolerance`() {
        let colours = ["red", "orange", "yellow", "lime", "cyan", "blue", "purple", "white", "pink"]
            .compactMap { RGBColour(name: $0) }
        for (index, colour) in colours.enumerated() {
            for other in colours[(index + 1)...] {
                #expect(
                    !LampState(colour: colour).isShown(by: LampState(colour: other)),
                    "\(colour) \(other)"
                )
            }
        }
    }

    @Test func `unreported attributes and those of a lamp that is off are ignored`() {
        let full = LampState(isOn: true, level: 0.5, colour: Paint.red)
        #expect(full.isShown(by: LampState(isOn: true)))
        #expect(full.isShown(by: LampState()))
        #expect(!full.isShown(by: LampState(isOn: false)))
        #expect(
            LampState(isOn: false, level: 0.5).isShown(
                by: LampState(isOn: false, level: 1, colour: Paint.red)
            )
        )
    }

    @Test func `a lamp is white or coloured according to the last report`() {
        let white = ColourTemperature(kelvin: 2700)
        var lamp = LampState(isOn: true, colour: Paint.red)
        lamp.merge(LampState(temperature: white))
        #expect(lamp == LampState(isOn: true, temperature: white))
        #expect(
            LampState(temperature: white).isShown(by: LampState(temperature: ColourTemperature(mired: 371)))
        )
        #expect(
            !LampState(temperature: white).isShown(
                by: LampState(temperature: ColourTemperature(kelvin: 3000))
            )
        )
        // A lamp without white light shows it as a colour.
        #expect(LampState(temperature: white).isShown(by: LampState(colour: white?.rgb)))
        #expect(!LampState(temperature: white).isShown(by: LampState(colour: Paint.red)))
        lamp.merge(LampState(colour: Paint.blue))
        #expect(lamp == LampState(isOn: true, colour: Paint.blue))
    }

    @Test func `brightness grows during a transition from off to on`() {
        let dark = LampState(isOn: false, level: 0.9)
        let bright = LampState(isOn: true, level: 0.8, colour: Paint.red)
        #expect(
            dark.interpolated(to: bright, fraction: 0.5)
                == LampState(isOn: true, level: 0.4, colour: Paint.red)
        )
        #expect(bright.interpolated(to: dark, fraction: 0.5).level == 0.4)
        #expect(bright.interpolated(to: dark, fraction: 1) == dark)
        #expect(
            bright.interpolated(to: LampState(isOn: true, level: 0.8, colour: Paint.blue), fraction: 0.5)
                .colour
                == RGBColour(hex: 0x800080)
        )
    }
}

extension Double {
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
