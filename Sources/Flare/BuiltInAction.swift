package import JSON

/// The actions that a server performs itself, on objects of every class.
///
/// Values are converted as in the original server's JavaScript; where that would crash, nothing is done.
/// - Source: contrib/contract/flare-protocol.md, "6. Actions".
package enum BuiltInAction: String, Sendable, Hashable, CaseIterable {
    case north, south, east, west, up, down
    case nextColor, previousColor, lighter, darker, clockwise, counterclockwise, on, off

    /// The effect of an action on an object.
    package enum Effect: Sendable, Hashable {
        case position(Point3D)
        case data(key: String, value: JSONValue)
    }

    /// The effect on an object with this position and data; `nil` when there is none.
    /// - Parameter isStrict: Whether non-numeric values have no effect and angles stay within a turn;
    ///   otherwise the result is that of the original server.
    package func effect(
        position: Point3D?,
        data: JSONObject,
        isStrict: Bool = false
    ) -> Effect? {
        isStrict ? strictEffect(position: position, data: data) : originalEffect(position, data)
    }

    private func strictEffect(position: Point3D?, data: JSONObject) -> Effect? {
        switch self {
        case .lighter, .darker:
            return number(data["brightness"]).isNaN ? nil : originalEffect(position, data)
        case .clockwise, .counterclockwise:
            let turned = (data["angle"] == nil ? 0 : number(data["angle"])) + (self == .clockwise ? 30 : -30)
            let angle = turned.truncatingRemainder(dividingBy: 360)
            guard !angle.isNaN else { return nil }
            return .data(key: "angle", value: .number(angle < 0 ? angle + 360 : angle))
        default:
            return originalEffect(position, data)
        }
    }

    private func originalEffect(_ position: Point3D?, _ data: JSONObject) -> Effect? {
        switch self {
        case .north: move(position, y: 1)
        case .south: move(position, y: -1)
        case .east: move(position, x: 1)
        case .west: move(position, x: -1)
        case .up: move(position, z: 1)
        case .down: move(position, z: -1)
        case .nextColor: colour(data, step: 1)
        case .previousColor: colour(data, step: -1)
        case .lighter: .data(key: "brightness", value: brightness(data, tenths: 1))
        case .darker: .data(key: "brightness", value: brightness(data, tenths: -1))
        case .clockwise: .data(key: "angle", value: clockwise(data["angle"]))
        case .counterclockwise: .data(key: "angle", value: counterclockwise(data["angle"]))
        case .on: .data(key: "on", value: true)
        case .off: .data(key: "on", value: false)
        }
    }

    private func move(_ position: Point3D?, x: Double = 0, y: Double = 0, z: Double = 0) -> Effect? {
        position.map { .position(Point3D(x: $0.x + x, y: $0.y + y, z: $0.z + z)) }
    }

    private static let defaultColours: [JSONValue] = ["red", "orange", "yellow", "green", "blue", "purple"]

    private func colour(_ data: JSONObject, step: Int) -> Effect? {
        let options =
            switch data["options"] {
            case nil, .null?: Self.defaultColours
            case .array(let colours)?: colours
            default: [JSONValue]()
            }
        guard let colour = data["color"], let index = options.firstIndex(of: colour) else { return nil }
        return .data(key: "color", value: options[(index + step + options.count) % options.count])
    }

    private func brightness(_ data: JSONObject, tenths: Double) -> JSONValue {
        let result = (number(data["brightness"]) * 10 + tenths) / 10
        return json(result.isNaN ? result : tenths > 0 ? min(result, 1) : max(result, 0))
    }

    /// Text is concatenated, as by JavaScript's +: "10" becomes 1030, and so 670.
    private func clockwise(_ angle: JSONValue?) -> JSONValue {
        let turned =
            if case .string(let text)? = angle { number(.string(text + "30")) } else { number(angle) + 30 }
        return json(turned >= 360 ? turned - 360 : turned)
    }

    private func counterclockwise(_ angle: JSONValue?) -> JSONValue {
        let before = number(angle)
        return json(before < 0 ? before - 30 + 360 : before - 30)
    }

    /// A value converted to a number as in JavaScript; NaN if it cannot be converted.
    private func number(_ value: JSONValue?) -> Double {
        switch value {
        case nil, .array?, .object?: return .nan
        case .null?: return 0
        case .bool(let flag)?: return flag ? 1 : 0
        case .number(let number)?: return number
        case .numeral(let digits)?: return Double(digits) ?? .nan
        case .string(let text)?:
            let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
            guard !trimmed.isEmpty else { return 0 }
            guard let number = Double(String(trimmed)), number.isFinite else { return .nan }
            return number
        }
    }

    private func json(_ number: Double) -> JSONValue {
        number.isFinite ? .number(number) : .null
    }
}
