import JSON

/// A quantity that a role names: Home Assistant's device class, with the units that it allows.
/// - Source: Home Assistant 2026.11.0, `sensor/const.py` and `number/const.py`, units and state classes.
struct Quantity: Sendable, Hashable {
    let deviceClass: String
    /// The usual one first; empty for none.
    let units: [String]
    let stateClass: String

    /// The quantity of the first role that is one.
    static func of(_ roles: [String]) -> Quantity? {
        for role in roles {
            let deviceClass = aliases[role] ?? role
            guard let units = units[deviceClass] else { continue }
            return Quantity(
                deviceClass: deviceClass,
                units: units.split(separator: " ").map {
                    $0 == "-" ? "" : $0 == "fl.oz." ? "fl. oz." : String($0)
                },
                stateClass: stateClasses[deviceClass] ?? "measurement"
            )
        }
        return nil
    }

    /// A unit as Home Assistant writes it: without spaces around it, with the Greek mu; `nil` for none.
    static func unit(_ text: String?) -> String? {
        let unit = OptionNames.line(text ?? "").map { $0 == "\u{B5}" ? "\u{3BC}" : $0 }
        return unit.isEmpty ? nil : String(unit.prefix(30))
    }

    /// A unit as Home Assistant writes it for this quantity.
    func unit(_ text: String?) -> String? {
        let unit = Self.unit(text)
        switch unit {
        case "C"? where units.contains("°C"), "F"? where units.contains("°F"): return unit.map { "°\($0)" }
        default: return unit
        }
    }

    private static let aliases = ["co2": "carbon_dioxide", "co": "carbon_monoxide"]

    /// Those other than `measurement`.
    private static let stateClasses = [
        "energy": "total_increasing", "gas": "total_increasing", "water": "total_increasing",
        "reactive_energy": "total_increasing", "volume": "total", "monetary": "total",
        "wind_direction": "measurement_angle",
    ]

    private static let pressure = "hPa Pa kPa mPa bar cbar mbar mmHg inHg inH₂O psi atm"
    private static let amount = "kWh Wh mWh MWh GWh TWh J kJ MJ GJ cal kcal Mcal Gcal thm"
    private static let volume = "L mL m³ ft³ CCF MCF gal fl.oz."
    private static let speed = "m/s km/h mph kn ft/s in/s mm/s m/min Beaufort"

    /// Units by device class; `-` stands for none.
    private static let units = [
        "absolute_humidity": "g/m³ mg/m³", "apparent_power": "VA kVA mVA", "aqi": "-",
        "area": "m² cm² km² mm² in² ft² yd² mi² ac ha", "atmospheric_pressure": pressure, "battery": "%",
        "blood_glucose_concentration": "mg/dL mmol/L", "carbon_dioxide": "ppm",
        "carbon_monoxide": "ppm ppb mg/m³ μg/m³", "conductivity": "μS/cm mS/cm S/cm", "current": "A mA μA",
        "data_rate": "bit/s kbit/s Mbit/s Gbit/s B/s kB/s MB/s GB/s KiB/s MiB/s GiB/s",
        "data_size": "B bit kbit Mbit Gbit kB MB GB TB PB EB ZB YB KiB MiB GiB TiB PiB EiB ZiB YiB",
        "distance": "m cm mm km in ft yd mi nmi", "duration": "s min h d ms μs", "energy": amount,
        "energy_distance": "kWh/100km Wh/km mi/kWh km/kWh", "energy_storage": amount,
        "frequency": "Hz kHz MHz GHz mHz", "gas": "m³ L ft³ CCF MCF", "humidity": "%", "illuminance": "lx",
        "irradiance": "W/m² BTU/(h⋅ft²)", "moisture": "%", "monetary": "-",
        "nitrogen_dioxide": "μg/m³ ppb ppm",
        "nitrogen_monoxide": "μg/m³ ppb", "nitrous_oxide": "μg/m³", "ozone": "μg/m³ ppb ppm", "ph": "-",
        "pm1": "μg/m³", "pm10": "μg/m³", "pm25": "μg/m³", "pm4": "μg/m³", "power": "W kW MW GW TW mW",
        "power_factor": "- %", "precipitation": "mm cm in", "precipitation_intensity": "mm/h mm/d in/h in/d",
        "pressure": pressure, "radon": "Bq/m³ pCi/L", "reactive_energy": "varh kvarh",
        "reactive_power": "var kvar mvar", "signal_strength": "dBm dB", "sound_pressure": "dB dBA",
        "speed": "\(speed) in/d in/h mm/d mm/h", "sulphur_dioxide": "μg/m³ ppb", "temperature": "°C °F K",
        "temperature_delta": "°C °F K", "volatile_organic_compounds": "μg/m³ mg/m³",
        "volatile_organic_compounds_parts": "ppb ppm", "voltage": "V mV μV kV MV", "volume": volume,
        "volume_flow_rate": "m³/h m³/min m³/s L/h L/min L/s mL/s ft³/min gal/min gal/d gal/h",
        "volume_storage": volume, "water": "m³ L ft³ CCF MCF gal", "weight": "kg g mg μg lb oz st",
        "wind_direction": "°", "wind_speed": speed,
    ]
}

/// The device classes of platforms without units.
/// - Source: Home Assistant 2026.11.0, the platforms' device classes.
enum DeviceClass {
    static let binarySensor: Set<String> = [
        "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door",
        "gas",
        "glass_break", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy", "opening",
        "plug",
        "power", "presence", "problem", "running", "safety", "smoke", "sound", "tamper", "update",
        "vibration",
        "window",
    ]
    static let cover: Set<String> = [
        "awning", "blind", "curtain", "damper", "door", "garage", "gate", "shade", "shutter", "window",
    ]
    static let humidifier: Set<String> = ["humidifier", "dehumidifier"]
    static let `switch`: Set<String> = ["outlet", "switch"]
    static let valve: Set<String> = ["water", "gas"]

    /// The first role that is one of a platform's classes.
    static func of(_ roles: [String], among classes: Set<String>) -> JSONValue? {
        roles.first(where: classes.contains).map { .string($0) }
    }
}
