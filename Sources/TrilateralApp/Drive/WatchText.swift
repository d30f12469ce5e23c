import Daemon
import JSON
import Things

/// How `watch` says things in words: single lines, for the screen and for a pipe.
enum WatchText {
    /// - Parameter name: That of the object, when it is known and the event does not tell it.
    static func line(_ event: WatchModel.Event, name: String?, _ time: LocalTime) -> String {
        let body = event.body
        var words = [
            body["ts"]?.string.map(time.clock) ?? "--:--:--", event.topic,
            body["event_type"]?.string ?? "?",
        ]
        if let slug = body["slug"]?.string {
            words.append(Self.name(body["name"]?.string ?? name ?? "", slug))
        }
        if let changes = changes(body), !changes.isEmpty { words.append(changes) }
        for name in ["action", "link"] {
            if let detail = body[name] { words.append(plain(detail)) }
        }
        if let up = body["up"]?.bool { words.append(up ? "up" : "down") }
        if let source = body["cause"]?["source"]?.string { words.append("(\(source))") }
        return words.map(TerminalText.visible).joined(separator: " ")
    }

    /// `color red -> blue`, for what changed.
    private static func changes(_ body: JSONValue) -> String? {
        let names = body["changed"]?.array?.compactMap(\.string) ?? []
        guard let after = body["after"] else { return names.joined(separator: ", ") }
        guard let members = after.object else {
            return [body["before"].map(plain), plain(after)].compactMap { $0 }.joined(separator: " -> ")
        }
        if names == ["position"], members["x"] != nil {
            return [body["before"].map(place), place(after)].compactMap { $0 }.joined(separator: " -> ")
        }
        return names.map { name in
            let old = body["before"]?[name].map { plain($0) + " -> " } ?? ""
            return members[name].map { "\(name) \(old)\(plain($0))" } ?? name
        }.joined(separator: ", ")
    }

    /// `1.25 3.40 1.00`, in metres.
    private static func place(_ position: JSONValue) -> String {
        ["x", "y", "z"].compactMap { position[$0]?.number.map { decimal($0, 2) } }.joined(separator: " ")
    }

    /// A topic's value when it is heard for the first time, or changes: in the form of an event.
    /// - Parameter time: The time of day.
    static func line(topic: String, value: JSONValue?, at time: String) -> String {
        TerminalText.visible("\(time) \(topic) \(value.map { words(topic, $0) } ?? "cleared")")
    }

    private static func words(_ topic: String, _ value: JSONValue) -> String {
        if let message = value["message"]?.string { return message }
        switch topic {
        case "device/position": return position(value)
        case "device/angle": return angle(value.number)
        case "info":
            let server = [value["flare"]?["mode"], value["flare"]?["url"]].compactMap { $0?.string }
            return "version \(value["version"].map(plain) ?? "?"), Flare \(server.joined(separator: " "))"
        case "health":
            return (["status \(value["status"].map(plain) ?? "?")"] + links(value)).joined(separator: ", ")
        case "nearby" where value["id"]?.string != nil:
            return [name(value), direction(value), values(value)].filter { !$0.isEmpty }.joined(
                separator: "  "
            )
        default:
            guard let members = value.object else { return plain(value) }
            if value["id"] != nil { return name(value) }
            return members.sorted { $0.key < $1.key }.map { "\($0.key) \(plain($0.value))" }
                .joined(separator: ", ")
        }
    }

    /// `flare up`, `mqtt down`.
    static func links(_ health: JSONValue?) -> [String] {
        (health?["links"]?.object ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.bool == true ? "up" : "down")" }
    }

    /// `Kitchen (kitchen)`, or `none`.
    static func name(_ object: JSONValue?) -> String {
        guard let object, object["id"]?.string != nil else { return object == nil ? "?" : "none" }
        let name = object["name"]?.string ?? ""
        return object["slug"]?.string.map { Self.name(name, $0) } ?? name
    }

    private static func name(_ name: String, _ slug: String) -> String {
        name.isEmpty || name == slug ? slug : "\(name) (\(slug))"
    }

    /// A position: `x 1.25  y 3.40  z 1.00  ±1.2 m  good  beacons`.
    static func position(_ value: JSONValue?) -> String {
        guard let value, value["x"]?.number != nil else { return "unknown" }
        var words = ["x", "y", "z"].compactMap { axis in
            value[axis]?.number.map { "\(axis) \(decimal($0, 2))" }
        }
        if let accuracy = value["accuracy_m"]?.number { words.append("±\(decimal(accuracy, 1)) m") }
        for key in ["quality", "source"] {
            if let word = value[key]?.string { words.append(word) }
        }
        if value["moving"]?.bool == true { words.append("moving") }
        return words.joined(separator: "  ")
    }

    /// An angle: `95° E`.
    static func angle(_ degrees: Double?) -> String {
        guard let degrees, degrees.isFinite, degrees.magnitude < 1e6 else { return "unknown" }
        let turn = (degrees.truncatingRemainder(dividingBy: 360) + 360).truncatingRemainder(dividingBy: 360)
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return "\(decimal(degrees, 0))° \(names[Int((turn + 22.5) / 45) % 8])"
    }

    /// What a thing shows: `state ON  brightness 128 (50 %)  color red`; of another thing than a light, the values that
    /// its profile names: `position 40  tilt 50`.
    static func values(_ thing: JSONValue) -> String {
        var words: [String] = []
        if let state = thing["state"]?.string { words.append("state \(state)") }
        if let brightness = thing["brightness"]?.number {
            words.append("brightness \(decimal(brightness, 0)) (\(decimal(brightness / 255 * 100, 0)) %)")
        }
        if let color = thing["color_name"]?.string ?? RGBColour(drawable: thing["color"])?.hexText {
            words.append("color \(color)")
        }
        if let kelvin = thing["color_temp"]?.number { words.append("white \(decimal(kelvin, 0)) K") }
        for (name, value) in (thing["values"]?.object ?? [:]).sorted(by: { $0.key < $1.key })
        where !value.isNull && !["state", "brightness"].contains(name) {
            words.append("\(name) \(plain(value))")
        }
        if let goal = thing["target"]?.object {
            words.append(
                "on its way to "
                    + goal.sorted { $0.key < $1.key }.map { "\($0.key) \(plain($0.value))" }
                    .joined(separator: ", ")
            )
        }
        return words.joined(separator: "  ")
    }

    /// The same in short, for a column: `on, 50 %, red`.
    ///
    /// - Parameter data: The thing's data, shown if it has no profile; lists and objects are left out.
    static func summary(_ thing: JSONValue, data: JSONObject) -> String {
        let state = thing["state"]?.string
        let values = thing["values"]?.object ?? data.filter { !DataKey.isFixed($0.key, in: data) }
        let others = values.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard state == nil || !DataKey.light.contains(name) else { return nil }
            switch value {
            case .null, .array, .object: return nil
            case .bool, .number, .numeral, .string:
                return "\(name) \(TerminalText.fitted(TerminalText.visible(plain(value)), columns: 24))"
            }
        }
        return ([state?.lowercased()].compactMap(\.self) + light(thing) + others).joined(separator: ", ")
    }

    /// How a light shines: `50 %` and its colour, or its kelvin.
    static func light(_ thing: JSONValue) -> [String] {
        [
            thing["brightness"]?.number.map { "\(decimal($0 / 255 * 100, 0)) %" },
            thing["color_name"]?.string ?? RGBColour(drawable: thing["color"])?.hexText,
            thing["color_temp"]?.number.map { "\(decimal($0, 0)) K" },
        ].compactMap(\.self)
    }

    /// Where a thing is: `1.2 m  bearing 40°`.
    static func direction(_ thing: JSONValue) -> String {
        var words: [String] = []
        if let metres = thing["distance_m"]?.number { words.append("\(decimal(metres, 1)) m") }
        if let bearing = thing["bearing_deg"]?.number { words.append("bearing \(decimal(bearing, 0))°") }
        return words.joined(separator: "  ")
    }

    static func plain(_ value: JSONValue) -> String { value.string ?? value.text }

    /// A number with so many decimals.
    static func decimal(_ number: Double, _ places: Int) -> String {
        let scale = places == 0 ? 1.0 : places == 1 ? 10 : 100
        let scaled = (number * scale).rounded()
        guard scaled.magnitude < 1e15 else { return "\(number)" }
        let whole = Int(scaled.magnitude)
        let sign = scaled < 0 ? "-" : ""
        guard places > 0 else { return sign + String(whole) }
        let fraction = String(whole % Int(scale))
        return sign + "\(whole / Int(scale))."
            + String(repeating: "0", count: max(places - fraction.count, 0)) + fraction
    }
}
