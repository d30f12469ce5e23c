package import Flare
package import Things

/// What a lamp is like, or shall be like; what is not said is `nil`.
///
/// A lamp that is dark because its brightness is 0 is off: lamps have no other word for it.
package struct LampState: Sendable, Hashable {
    package var isOn: Bool?
    /// Above 0, to 1; kept while the lamp is off, if it tells it.
    package var level: Double?
    /// How bright the colour itself is does not count, that is the level's matter.
    package var colour: RGBColour? { didSet { if colour != nil { temperature = nil } } }
    /// White light instead of a colour: never both.
    package var temperature: ColourTemperature? { didSet { if temperature != nil { colour = nil } } }

    package init(
        isOn: Bool? = nil,
        level: Double? = nil,
        colour: RGBColour? = nil,
        temperature: ColourTemperature? = nil
    ) {
        self.isOn = isOn
        self.temperature = colour == nil ? temperature : nil
        self.level = level.map { min(max($0, 0), 1) }
        self.colour = colour
        if self.level == 0 {
            self.isOn = false
            self.level = nil
        }
        if colour == Self.black {
            self.isOn = false
            self.colour = nil
        }
    }

    /// What a thing with this data wants its lamp to be.
    package init(data: [String: JSONValue]) {
        let level = ThingAppearance.level(of: data)
        let temperature = ThingAppearance.temperature(of: data)
        let colour = temperature == nil ? ThingAppearance.colour(of: data) : nil
        self.init(level: level, colour: colour, temperature: temperature)
        isOn = isOn ?? ThingAppearance.isOn(data)
    }

    package var isEmpty: Bool { isOn == nil && level == nil && shownColour == nil }

    /// The colour, or that of the white light.
    package var shownColour: RGBColour? { colour ?? temperature?.rgb }

    /// The same with white light as a colour, for a lamp that has only colours.
    var asColour: LampState {
        var state = self
        state.colour = shownColour
        return state
    }

    /// Takes over what another one says.
    package mutating func merge(_ news: LampState) {
        isOn = news.isOn ?? isOn
        level = news.level ?? level
        if news.shownColour != nil { (colour, temperature) = (news.colour, news.temperature) }
    }

    private static let black = RGBColour(red: 0, green: 0, blue: 0)
}

extension LampState {
    /// How much two states may differ and still be the same.
    package struct Tolerance: Sendable, Hashable {
        /// Of the level, 0…1.
        package var level: Double
        /// Of a channel of the colour at its brightest, 0…255.
        package var channel: Int
        /// Of a colour temperature, millionths of a reciprocal kelvin.
        package var mired: Int

        /// What rounding does: to 100 or 254 steps, to whole degrees of hue, from one colour model to another.
        package static let rounding = Tolerance(level: 0.006_5, channel: 8, mired: 2)
        /// What a lamp's own nature does: a least brightness, colours that it cannot show.
        package static let nature = Tolerance(level: 0.1, channel: 100, mired: 100)
    }

    /// Whether a lamp that says this is as it should be; what it never says does not count, nor what it is like
    /// while it is off.
    package func isShown(by lamp: LampState, within tolerance: Tolerance = .rounding) -> Bool {
        if let isOn, let lampIsOn = lamp.isOn, isOn != lampIsOn { return false }
        if isOn == false { return true }
        return isLevelShown(by: lamp, within: tolerance) && isColourShown(by: lamp, within: tolerance)
    }

    /// Whether a lamp that says this says all that matters.
    func isSaid(by lamp: LampState) -> Bool {
        guard lamp.isOn != nil, isOn != false else { return lamp.isOn != nil }
        return (level == nil || lamp.level != nil) && (shownColour == nil || lamp.shownColour != nil)
    }

    func isLevelShown(by lamp: LampState, within tolerance: Tolerance = .rounding) -> Bool {
        guard let level, let other = lamp.level else { return true }
        return abs(level - other) <= tolerance.level
    }

    func isColourShown(by lamp: LampState, within tolerance: Tolerance = .rounding) -> Bool {
        if let temperature, let other = lamp.temperature {
            return abs(temperature.mired - other.mired) <= tolerance.mired
        }
        guard let colour = shownColour, let other = lamp.shownColour else { return true }
        return colour.distance(to: other) <= tolerance.channel
    }

    /// What stands between this and another; the colour by way of RGB, light from and to darkness.
    package func interpolated(to end: LampState, fraction: Double) -> LampState {
        guard fraction < 1 else { return end }
        var state = end
        let from = isOn == false ? 0 : level ?? end.level
        let to = end.isOn == false ? 0 : end.level ?? level
        if let from, let to {
            state = LampState(
                isOn: true,
                level: from + (to - from) * max(fraction, 0),
                colour: end.colour,
                temperature: end.temperature
            )
        }
        if let temperature, let other = end.temperature {
            state.temperature = temperature.mixed(with: other, fraction: max(fraction, 0))
        } else if let colour = shownColour, let endColour = end.shownColour,
            end.colour != nil || self.colour != nil
        {
            state.colour = colour.mixed(with: endColour, fraction: max(fraction, 0))
        }
        return state
    }
}

extension RGBColour {
    /// The largest difference of a channel, both colours at their brightest.
    func distance(to other: RGBColour) -> Int {
        zip(brightest, other.brightest).map { abs($0 - $1) }.max() ?? 0
    }

    private var brightest: [Int] {
        let channels = [Int(red), Int(green), Int(blue)]
        let most = max(channels.max() ?? 0, 1)
        return channels.map { ($0 * 255 + most / 2) / most }
    }
}
