/// The units and state classes that Home Assistant 2026.11.0 allows with a device class of sensors and numbers.
///
/// Printed by its own `DEVICE_CLASS_UNITS` and `DEVICE_CLASS_STATE_CLASSES`. A wrong unit rejects a sensor; a wrong
/// state class is logged as a warning.
extension KnownKeys {
    /// By device class or state class; an empty text stands for no unit.
    static let units: [String: Set<String>] = [
        "absolute_humidity": ["g/m³", "mg/m³"],
        "apparent_power": ["VA", "kVA", "mVA"],
        "area": ["ac", "cm²", "ft²", "ha", "in²", "km²", "mi²", "mm²", "m²", "yd²"],
        "atmospheric_pressure": [
            "Pa", "atm", "bar", "cbar", "hPa", "inHg", "inH₂O", "kPa", "mPa", "mbar", "mmHg", "psi",
        ],
        "battery": ["%"],
        "blood_glucose_concentration": ["mg/dL", "mmol/L"],
        "carbon_monoxide": ["mg/m³", "ppb", "ppm", "μg/m³"],
        "carbon_dioxide": ["ppm"],
        "conductivity": ["S/cm", "mS/cm", "μS/cm"],
        "current": ["A", "mA", "μA"],
        "data_rate": [
            "B/s", "GB/s", "Gbit/s", "GiB/s", "KiB/s", "MB/s", "Mbit/s", "MiB/s", "bit/s", "kB/s", "kbit/s",
        ],
        "data_size": [
            "B", "EB", "EiB", "GB", "Gbit", "GiB", "KiB", "MB", "Mbit", "MiB", "PB", "PiB", "TB", "TiB", "YB",
            "YiB", "ZB", "ZiB", "bit", "kB", "kbit",
        ],
        "distance": ["cm", "ft", "in", "km", "m", "mi", "mm", "nmi", "yd"],
        "duration": ["d", "h", "min", "ms", "s", "μs"],
        "energy": [
            "GJ", "GWh", "Gcal", "J", "MJ", "MWh", "Mcal", "TWh", "Wh", "cal", "kJ", "kWh", "kcal", "mWh",
            "thm",
        ],
        "energy_distance": ["Wh/km", "kWh/100km", "km/kWh", "mi/kWh"],
        "energy_storage": [
            "GJ", "GWh", "Gcal", "J", "MJ", "MWh", "Mcal", "TWh", "Wh", "cal", "kJ", "kWh", "kcal", "mWh",
            "thm",
        ],
        "frequency": ["GHz", "Hz", "MHz", "kHz", "mHz"],
        "gas": ["CCF", "L", "MCF", "ft³", "m³"],
        "humidity": ["%"],
        "illuminance": ["lx"],
        "irradiance": ["BTU/(h⋅ft²)", "W/m²"],
        "moisture": ["%"],
        "nitrogen_dioxide": ["ppb", "ppm", "μg/m³"],
        "nitrogen_monoxide": ["ppb", "μg/m³"],
        "nitrous_oxide": ["μg/m³"],
        "ozone": ["ppb", "ppm", "μg/m³"],
        "pm1": ["μg/m³"],
        "pm10": ["μg/m³"],
        "pm25": ["μg/m³"],
        "pm4": ["μg/m³"],
        "power_factor": ["", "%"],
        "power": ["GW", "MW", "TW", "W", "kW", "mW"],
        "precipitation": ["cm", "in", "mm"],
        "precipitation_intensity": ["in/d", "in/h", "mm/d", "mm/h"],
        "pressure": [
            "Pa", "atm", "bar", "cbar", "hPa", "inHg", "inH₂O", "kPa", "mPa", "mbar", "mmHg", "psi",
        ],
        "radon": ["Bq/m³", "pCi/L"],
        "reactive_energy": ["kvarh", "varh"],
        "reactive_power": ["kvar", "mvar", "var"],
        "signal_strength": ["dB", "dBm"],
        "sound_pressure": ["dB", "dBA"],
        "speed": [
            "Beaufort", "ft/s", "in/d", "in/h", "in/s", "km/h", "kn", "m/min", "m/s", "mm/d", "mm/h", "mm/s",
            "mph",
        ],
        "sulphur_dioxide": ["ppb", "μg/m³"],
        "temperature": ["K", "°C", "°F"],
        "temperature_delta": ["K", "°C", "°F"],
        "volatile_organic_compounds": ["mg/m³", "μg/m³"],
        "volatile_organic_compounds_parts": ["ppb", "ppm"],
        "voltage": ["MV", "V", "kV", "mV", "μV"],
        "volume": ["CCF", "L", "MCF", "fl. oz.", "ft³", "gal", "mL", "m³"],
        "volume_storage": ["CCF", "L", "MCF", "fl. oz.", "ft³", "gal", "mL", "m³"],
        "volume_flow_rate": [
            "L/h", "L/min", "L/s", "ft³/min", "gal/d", "gal/h", "gal/min", "mL/s", "m³/h", "m³/min", "m³/s",
        ],
        "water": ["CCF", "L", "MCF", "ft³", "gal", "m³"],
        "weight": ["g", "kg", "lb", "mg", "oz", "st", "μg"],
        "wind_direction": ["°"],
        "wind_speed": ["Beaufort", "ft/s", "in/s", "km/h", "kn", "m/min", "m/s", "mm/s", "mph"],
        "measurement_angle": ["°"],
    ]

    /// The device classes that allow other state classes than `measurement`, or none.
    static let stateClasses: [String: Set<String>] = [
        "date": [],
        "enum": [],
        "timestamp": [],
        "uptime": [],
        "area": ["measurement", "measurement_angle", "total", "total_increasing"],
        "data_size": ["measurement", "measurement_angle", "total", "total_increasing"],
        "distance": ["measurement", "measurement_angle", "total", "total_increasing"],
        "duration": ["measurement", "measurement_angle", "total", "total_increasing"],
        "precipitation": ["measurement", "measurement_angle", "total", "total_increasing"],
        "energy": ["total", "total_increasing"],
        "gas": ["total", "total_increasing"],
        "reactive_energy": ["total", "total_increasing"],
        "volume": ["total", "total_increasing"],
        "water": ["total", "total_increasing"],
        "monetary": ["total"],
        "weight": ["measurement", "total", "total_increasing"],
        "wind_direction": ["measurement_angle"],
    ]
}
