import JSON

/// How a property counts the colour temperature of white light: in kelvin or in mired, and from where to where.
struct TemperatureScale: Sendable, Hashable {
    private let isMired: Bool
    /// What the light can show, kelvin.
    let range: ClosedRange<Int>

    /// That of a thing without a profile.
    static let kelvin = TemperatureScale(isMired: false, range: ColourTemperature.range)

    private init(isMired: Bool, range: ClosedRange<Int>) { (self.isMired, self.range) = (isMired, range) }

    /// `nil` for a property that is no colour temperature.
    ///
    /// Without a unit it is in mired if its greatest value would be no temperature in kelvin.
    init?(_ property: ThingProperty) {
        guard property.roles.contains("color_temperature") else { return nil }
        switch property.control {
        case .slider, .decimalInput, .integerInput, .readonlyText: break
        case .switch, .dimmer, .select, .button, .colourPicker, .textInput: return nil
        }
        guard property.type != .text, property.type != .boolean else { return nil }
        let legal = ColourTemperature.range
        let (low, high) = (property.minimum, property.maximum)
        switch property.unit?.trimmingSpace.lowercased() {
        case "k", "kelvin", "\u{212A}": isMired = false
        case "mired", "mireds", "mirek", "mireks": isMired = true
        case nil, "": isMired = high.map { $0 < Double(legal.lowerBound) } ?? false
        default: return nil
        }
        let ends: [ColourTemperature?]
        if isMired {
            // From nothing on it would be a share of something.
            if let low, low <= 0 { return nil }
            ends = [high, low].map { $0.flatMap { ColourTemperature(kelvin: 1_000_000 / $0) } }
        } else {
            ends = [low.map { max($0, 1) }, high].map { $0.flatMap { ColourTemperature(kelvin: $0) } }
        }
        let (least, most) = (ends[0]?.kelvin ?? legal.lowerBound, ends[1]?.kelvin ?? legal.upperBound)
        guard least < most else { return nil }
        range = least...most
    }

    /// The temperature of a stored value; `nil` for what is none.
    func temperature(of value: JSONValue?) -> ColourTemperature? {
        guard let number = value?.number, number > 0 else { return nil }
        return ColourTemperature(kelvin: isMired ? 1_000_000 / number : number)
    }

    /// The value to store for a temperature; the nearest one that the light can show.
    func value(of temperature: ColourTemperature) -> Double {
        let kelvin = Double(min(max(temperature.kelvin, range.lowerBound), range.upperBound))
        return isMired ? (1_000_000 / kelvin).rounded() : kelvin
    }

    /// The temperature that is shown after one was stored.
    func settled(_ temperature: ColourTemperature) -> ColourTemperature {
        self.temperature(of: .number(value(of: temperature))) ?? temperature
    }
}
