import JSON
import Things

/// Reads a report value by value, so that one that cannot be used does not cost the others.
struct LampReading {
    private(set) var unknowns = LampUnknowns()

    /// Converts a value of the report.
    ///
    /// - Parameters:
    ///   - attribute: What is unknown if the value is null or cannot be used.
    ///   - value: `nil` if the report does not have it.
    mutating func read<Value>(
        _ attribute: WritableKeyPath<LampUnknowns, Bool>,
        _ value: JSONValue?,
        _ convert: (JSONValue) throws(LampMessageError) -> Value?
    ) -> Value? {
        guard let value else { return nil }
        do throws(LampMessageError) {
            if !value.isNull, let converted = try convert(value) { return converted }
        } catch {
            unknowns.errors.append(error)
        }
        unknowns[keyPath: attribute] = true
        return nil
    }

    /// The report, once everything was read: what one value left open, another may have told.
    func report(_ state: LampState) -> LampReport {
        var unknowns = unknowns
        if state.isOn != nil { unknowns.isOn = false }
        if state.level != nil { unknowns.level = false }
        if state.shownColour != nil { unknowns.colour = false }
        return state.isEmpty && unknowns.errors.isEmpty ? .nothing : .state(state, unknowns)
    }

    /// A JSON light: `state`, `brightness`, `color`, `color_temp`, `color_mode`.
    ///
    /// - Source: Home Assistant, MQTT light, JSON schema; ESPHome, `light_json_schema.cpp`, which also has the modes
    ///   `white`, `cwww` and `rgbct`, and the white channels `c` and `w` in `color`.
    static func light(_ members: JSONObject, scale: Double, isKelvin: Bool = false) -> LampReport {
        guard ["state", "brightness", "color", "color_temp"].contains(where: { members[$0] != nil }) else {
            return .nothing
        }
        var reading = LampReading()
        let isOn = reading.read(\.isOn, members["state"]) { value throws(LampMessageError) in
            try LampPayload.isOn(value, named: "state")
        }
        let level = reading.read(\.level, members["brightness"]) { value throws(LampMessageError) in
            try LampPayload.level(value, named: "brightness", scale: scale)
        }
        let mode = members["color_mode"]?.string?.lowercased()
        let isWhite =
            ["color_temp", "white", "cwww"].contains(mode) || LampPayload.isWhite(members["color"] ?? .null)
        var temperature: ColourTemperature?
        // In another mode color_temp is that of the last white light, or undefined.
        if isWhite || mode == nil {
            temperature = reading.read(\.colour, members["color_temp"]) { value throws(LampMessageError) in
                try LampPayload.temperature(value, named: "color_temp", isKelvin: isKelvin)
            }
        }
        var colour: RGBColour?
        // Both may be present; without a mode the colour is used.
        if !isWhite || temperature == nil {
            colour = reading.read(\.colour, members["color"]) { value throws(LampMessageError) in
                try LampPayload.colour(value, mode: mode)
            }
        }
        if isWhite, colour == LampState.black { colour = nil }
        return reading.report(
            LampState(isOn: isOn, reported: level, colour: colour, temperature: temperature, isWhite: isWhite)
        )
    }
}
