import Flare
import JSON
import Testing
import Things

struct ColourTemperatureTests {
    private static let lamp = Lamps.thing(["on": true, "color": "red", "colorTemperature": 4000])
    private static let white = Lamps.thing(["on": true, "brightness": 0.5, "colorTemperature": 4000])

    private func settled(_ value: JSONValue, on thing: FlareThing = lamp) throws(Refusal) -> ThingSetting {
        try ThingRequest(attributes: ["color_temp": value]).settled(on: thing).get()
    }

    @Test(arguments: [2700, "2700K", "2700 k", "2700"] as [JSONValue])
    func `a temperature is stored in kelvin together with its colour`(value: JSONValue) throws {
        let setting = try settled(value)
        #expect(setting.patch.fields == ["colorTemperature": 2700, "color": "#ffa657"])
        #expect(setting.accepted == ["color_temp": 2700])
        #expect(try settled(value, on: Self.white).patch.fields == ["colorTemperature": 2700])
    }

    @Test(
        arguments: [
            (999, .outOfRange), (12_001, .outOfRange), (2700.5, .invalidValue), ("warm", .invalidValue),
            ("900K", .outOfRange), (true, .wrongType), (.null, .wrongType), ([2700], .wrongType),
            (.numeral("99999999999999999999"), .outOfRange),
        ] as [(JSONValue, RefusalCode)]
    )
    func `anything else is refused with what is legal`(value: JSONValue, code: RefusalCode) {
        let refusal = #expect(throws: Refusal.self) { try settled(value) }
        #expect(refusal?.code == code && refusal?.field == "color_temp")
        #expect(refusal?.message.contains("1000 to 12000") == true)
    }

    @Test func `a thing without a temperature has no such attribute`() {
        let refusal = #expect(throws: Refusal.self) { try settled(2700, on: Lamps.full) }
        #expect(refusal?.code == .unknownAttribute)
    }

    @Test func `color and color_temp together are refused`() {
        let request = ThingRequest(attributes: ["color_temp": 2700, "color": "red"])
        guard case .failure(let refusal) = request.settled(on: Self.lamp) else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.code == .invalidValue)
    }

    @Test func `the colour mode is that of the last change by any client`() throws {
        var thing = Self.lamp
        #expect(Appearance(thing).colourMode == .rgb)
        thing.data = ThingShape(thing).changed(thing.data, by: try settled(2700).patch)
        #expect(Appearance(thing).colourMode == .temperature)
        #expect(Appearance(thing).temperature?.kelvin == 2700)
        // Another Flare client, which supports only colours.
        thing.data["color"] = "blue"
        #expect(Appearance(thing).colourMode == .rgb)
        #expect(Appearance(thing).rgb == RGBColour(hex: 0x0000FF))
        #expect(Appearance(Self.white).colourMode == .temperature)
    }

    @Test func `a thing with only a temperature is a light`() {
        let thing = Lamps.thing(["colorTemperature": 3000])
        #expect(ThingShape(thing).isLight)
        #expect(ThingShape(thing).settable == ["state", "color_temp"])
    }

    @Test func `every mired survives conversion to kelvin`() throws {
        for mired in 100...1000 {
            #expect(ColourTemperature(mired: Double(mired))?.mired == mired)
        }
        for kelvin in ColourTemperature.range {
            let temperature = try #require(ColourTemperature(kelvin: Double(kelvin)))
            let back = try #require(ColourTemperature(mired: Double(temperature.mired)))
            #expect(abs(back.mired - temperature.mired) <= 1)
        }
    }

    @Test(arguments: [(1000, 0xFF4300 as UInt32), (2700, 0xFFA657), (6600, 0xFFFFFF), (10_000, 0xC9DAFF)])
    func `white is displayed as in Home Assistant`(kelvin: Int, hex: UInt32) {
        #expect(ColourTemperature(kelvin: Double(kelvin))?.rgb == RGBColour(hex: hex))
    }

    @Test func `a temperature is interpolated linearly and shown as temperature`() {
        let from = Self.white.data
        var goal = ThingPatch()
        goal.temperature = ColourTemperature(kelvin: 2000)
        let half = goal.interpolated(from: ThingShape(Self.white).light(of: from), fraction: 0.5)
        #expect(half.fields == ["colorTemperature": 3000])
        var both = Self.lamp.data
        both["color"] = .string("#ffcda6")
        let light = Appearance(Lamps.thing(both)).light
        #expect(light.shownTemperature?.kelvin == 4000)
        goal.colour = "#ff880d"
        let shown = light.applying(goal.interpolated(from: light, fraction: 0.5))
        #expect(shown.shownTemperature?.kelvin == 3000)
    }
}
