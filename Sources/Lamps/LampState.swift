import JSON
package import Things

/// The actual or wanted state of a lamp; unknown attributes are `nil`.
///
/// A lamp with brightness 0 is off, because lamps do not distinguish the two.
package struct LampState: Sendable, Hashable {
    package var isOn: Bool?
    /// Above 0, to 1; kept while the lamp is off, if it is reported.
    package var level: Double?
    /// Only hue and saturation matter; the brightness is the level.
    package var colour: RGBColour? {
        didSet { if colour != nil { (temperature, isWhite) = (nil, false) } }
    }
    /// White light instead of a colour; at most one of the two is set.
    package var temperature: ColourTemperature? {
        didSet { if temperature != nil { (colour, isWhite) = (nil, false) } }
    }
    /// Whether the light is white in a way that the lamp does not tell: its white channels alone are lit.
    package private(set) var isWhite = false

    package init(
        isOn: Bool? = nil,
        level: Double? = nil,
        colour: RGBColour? = nil,
        temperature: ColourTemperature? = nil,
        isWhite: Bool = false
    ) {
        self.isOn = isOn
        self.temperature = colour == nil ? temperature : nil
        self.isWhite = isWhite && colour == nil && temperature == nil
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

    /// The state that a thing wants for its lamp.
    package init(_ light: LightValues) {
        let temperature = light.shownTemperature
        let colour = temperature == nil ? RGBColour(stored: light.colour) : nil
        self.init(level: light.level, colour: colour, temperature: temperature)
        isOn = isOn ?? light.isOn
    }

    package var isEmpty: Bool { isOn == nil && level == nil && shownColour == nil }

    /// The colour, or that of the white light.
    package var shownColour: RGBColour? { colour ?? temperature?.rgb ?? (isWhite ? Self.white : nil) }

    /// The same with white light as a colour, for a lamp that supports only colours.
    var asColour: LampState {
        var state = self
        state.colour = shownColour
        return state
    }

    /// Overwrites the attributes that `news` contains.
    package mutating func merge(_ news: LampState) {
        isOn = news.isOn ?? isOn
        level = news.level ?? level
        if news.shownColour != nil { takeColour(of: news) }
    }

    /// Forgets the values that a report leaves open.
    ///
    /// A lamp that is off keeps the others: it may well have none then.
    mutating func forget(_ values: LampUnknowns) {
        if values.isOn { isOn = nil }
        guard isOn != false else { return }
        if values.level { level = nil }
        if values.colour { takeColour(of: LampState()) }
    }

    private mutating func takeColour(of other: LampState) {
        (colour, temperature) = (other.colour, other.temperature)
        isWhite = other.isWhite
    }

    static let black = RGBColour(red: 0, green: 0, blue: 0)
    private static let white = RGBColour(red: 255, green: 255, blue: 255)
}

extension LampState {
    /// The largest differences between two states that count as equal.
    package struct Tolerance: Sendable, Hashable {
        /// Of the level, 0…1.
        package var level: Double
        /// Of a colour channel at full brightness, 0…255.
        package var channel: Int
        /// Of a colour temperature, millionths of a reciprocal kelvin.
        package var mired: Int

        /// For rounding: to 100 or 254 steps, to whole degrees of hue, between colour models.
        package static let rounding = Tolerance(level: 0.006_5, channel: 8, mired: 2)
        /// For limits of a lamp: a least brightness, colours that it cannot show.
        package static let nature = Tolerance(level: 0.1, channel: 100, mired: 100)
    }

    /// Whether a lamp that reports `lamp` matches this state.
    ///
    /// Attributes that it does not report are ignored,
    /// and so is everything except `isOn` while it is off.
    package func isShown(by lamp: LampState, within tolerance: Tolerance = .rounding) -> Bool {
        if let isOn, let lampIsOn = lamp.isOn, isOn != lampIsOn { return false }
        if isOn == false { return true }
        return isLevelShown(by: lamp, within: tolerance) && isColourShown(by: lamp, within: tolerance)
    }

    /// Whether a report contains every attribute that matters.
    func isCovered(by lamp: LampState) -> Bool {
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
        if lamp.isWhite {
            return temperature != nil || colour.distance(to: other) <= Tolerance.nature.channel
        }
        return colour.distance(to: other) <= tolerance.channel
    }

    /// Interpolates to another state; colours in RGB, on and off through darkness.
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
    /// The largest difference of a channel, both colours at full brightness.
    func distance(to other: RGBColour) -> Int {
        zip(brightest, other.brightest).map { abs($0 - $1) }.max() ?? 0
    }

    private var brightest: [Int] {
        let channels = [Int(red), Int(green), Int(blue)]
        let most = max(channels.max() ?? 0, 1)
        return channels.map { ($0 * 255 + most / 2) / most }
    }
}
