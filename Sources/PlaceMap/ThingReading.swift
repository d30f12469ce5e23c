import Flare
import JSON
import Things

/// What a thing that is no light shows: a symbol, the colour of its state, and its most telling value.
struct ThingReading: Sendable, Hashable {
    /// The colour of a state; a thing at rest has none.
    enum Tone: Sendable, Hashable {
        case on, warm, cool, open, safe, alarm
    }

    var symbol = PictureSymbol.generic
    var tone: Tone?
    var text: String?

    /// - Parameter isOn: Whether it is on; `nil` for a thing that cannot be switched.
    init(_ thing: FlareThing, _ shape: ThingShape, isOn: Bool?) {
        let values = Values(thing, shape)
        if let isOn {
            symbol = values["outlet"] == nil ? .power : .outlet
            tone = isOn ? .on : nil
            text = isOn ? "on" : "off"
        }
        if let goal = values["temperature_setpoint"] {
            self = .climate(goal, values, isOn: isOn)
        } else if let position = values["cover_position"] {
            (symbol, tone, text) = (.cover, position.isTrue ? .open : nil, position.opening)
        } else if let position = values["valve_position"] {
            (symbol, tone, text) = (.valve, position.isTrue ? .cool : nil, position.opening)
        } else if let lock = values["lock"] {
            (symbol, tone) = lock.isTrue ? (.lock, .safe) : (.unlocked, .alarm)
            text = lock.isTrue ? "locked" : "unlocked"
        } else if let goal = values["humidity_setpoint"] {
            (symbol, text) = (.drop, (values["humidity"] ?? goal).text)
        } else if let speed = values["fan_speed"] {
            symbol = .fan
            if isOn ?? true { text = speed.text ?? text }
        } else if let door = values["door", "window", "opening", "garage_door"] {
            (symbol, tone, text) = (.door, door.isTrue ? .open : nil, door.isTrue ? "open" : "closed")
        } else if let alarm = values["smoke", "gas", "problem", "safety", "tamper"] {
            (symbol, tone) = (.warning, alarm.isTrue ? .alarm : nil)
        } else if let motion = values["motion"] {
            (symbol, tone, text) = (
                .motion, motion.isTrue ? .on : nil, motion.isTrue ? "motion" : "no motion"
            )
        } else if isOn == nil, let measured = values.measured {
            (symbol, text) = (.sensor, measured.text)
        }
    }

    private init(symbol: PictureSymbol) { self.symbol = symbol }

    private static func climate(_ goal: Value, _ values: Values, isOn: Bool?) -> ThingReading {
        var reading = ThingReading(symbol: .thermostat)
        let now = values["temperature"]
        reading.text = (now ?? goal).text
        let words = [values["hvac_action"], values["hvac_mode"]].compactMap { $0?.value.string?.lowercased() }
        guard isOn != false, !words.contains("off") else { return reading }
        if words.contains(where: { $0.hasPrefix("heat") }) {
            reading.tone = .warm
        } else if words.contains(where: { $0.hasPrefix("cool") }) {
            reading.tone = .cool
        } else if let now = now?.value.number, let goal = goal.value.number {
            reading.tone = goal > now ? .warm : .safe
        }
        return reading
    }

    /// A value with its unit.
    private struct Value {
        let value: JSONValue
        var unit: String?
        var minimum = 0.0
        var maximum = 100.0

        var isTrue: Bool {
            switch value {
            case .bool(let flag): flag
            case .number(let number): number > minimum
            case .string(let text): !["", "0", "off", "false", "no"].contains(text.lowercased())
            case .numeral, .array, .object: true
            case .null: false
            }
        }

        /// Such as `19.5 °C`.
        var text: String? {
            guard let number = value.number, number.isFinite, number.magnitude < 1e9 else { return nil }
            let tenths = (number * 10).rounded()
            let whole = tenths.truncatingRemainder(dividingBy: 10) == 0
            let digits = whole ? "\(Int(tenths / 10))" : "\(tenths / 10)"
            return unit.map { "\(digits) \($0)" } ?? digits
        }

        /// How far something is open.
        var opening: String? {
            guard let number = value.number else { return nil }
            if number <= minimum { return "closed" }
            return number >= maximum ? "open" : text.map { "\($0) open" }
        }
    }

    /// The values of a thing by their roles.
    private struct Values {
        private var byRole: [String: Value] = [:]
        /// The first value that is only measured.
        private(set) var measured: Value?

        /// Units where a profile names none.
        private static let units = [
            "temperature": "°C", "temperature_setpoint": "°C", "humidity": "%", "humidity_setpoint": "%",
            "cover_position": "%", "valve_position": "%", "fan_speed": "%", "power": "W", "energy": "kWh",
            "co2": "ppm", "illuminance": "lx", "pressure": "hPa", "voltage": "V", "current": "A",
        ]

        init(_ thing: FlareThing, _ shape: ThingShape) {
            guard shape.kind != nil else {
                for (key, unit) in Self.units.sorted(by: { $0.key > $1.key }) {
                    if let value = thing.data[key], value.number != nil {
                        measured = Value(value: value, unit: unit)
                    }
                }
                return
            }
            for property in shape.properties {
                guard let value = thing.data[property.name], !value.isNull else { continue }
                let unit = property.unit ?? property.roles.lazy.compactMap { Self.units[$0] }.first
                let found = Value(
                    value: value,
                    unit: unit.map { $0 == "C" || $0 == "F" ? "°\($0)" : $0 },
                    minimum: property.minimum ?? 0,
                    maximum: property.maximum ?? 100
                )
                for role in property.roles where byRole[role] == nil { byRole[role] = found }
                if measured == nil, property.isReadOnly, unit != nil, value.number != nil { measured = found }
            }
        }

        subscript(_ roles: String...) -> Value? { roles.lazy.compactMap { byRole[$0] }.first }
    }
}
