import Flare
import JSON
import Things

/// Zones and things of the environment, as published on the broker: the input of the pictures.
struct WatchPlace: Hashable {
    struct Zone: Hashable {
        let name: String
        let box: Box
    }

    struct Thing: Hashable {
        let name: String
        let position: Point3D
        /// The slug of its zone.
        let zone: String?
        /// `nil` for a thing without a colour.
        let colour: RGBColour?
        /// Whether it is a light that is off.
        let isOff: Bool
    }

    /// By slug.
    private(set) var zones: [String: Zone] = [:]
    private(set) var things: [String: Thing] = [:]

    /// More are not drawn.
    private static let limits = (zones: 500, things: 2000)
    /// The longest side that is drawn, metres.
    static let longestSide = 100_000.0

    /// Takes a message on `zones/<z>` or `things/<t>` in; `nil` when the object is gone.
    mutating func hear(_ topic: String, _ body: JSONValue?) {
        let parts = topic.split(separator: "/", maxSplits: 1).map(String.init)
        guard let kind = parts.first, let slug = parts.last else { return }
        func isKept<Value>(_ known: [String: Value], _ limit: Int) -> Bool {
            known[slug] != nil || known.count < limit
        }
        switch kind {
        case "zones": zones[slug] = isKept(zones, Self.limits.zones) ? body.flatMap(Zone.init) : nil
        case "things": things[slug] = isKept(things, Self.limits.things) ? body.flatMap(Thing.init) : nil
        default: break
        }
    }
}

extension WatchPlace.Zone {
    fileprivate init?(_ body: JSONValue) {
        guard let box = Box(drawable: body["perimeter"]) else { return nil }
        self.init(name: body["name"]?.string ?? "", box: box)
    }
}

extension WatchPlace.Thing {
    fileprivate init?(_ body: JSONValue) {
        guard let position = Point3D(drawable: body["position"]) else { return nil }
        let white = body["color_temp"]?.number.flatMap { ColourTemperature(kelvin: $0)?.rgb }
        self.init(
            name: body["name"]?.string ?? body["slug"]?.string ?? "",
            position: position,
            zone: body["zone"]?.string,
            colour: RGBColour(drawable: body["color"]) ?? white,
            isOff: body["state"]?.string == "OFF"
        )
    }
}

extension RGBColour {
    /// A colour in a message.
    init?(drawable body: JSONValue?) {
        let channels = ["r", "g", "b"].compactMap { body?[$0]?.integer.flatMap(UInt8.init(exactly:)) }
        guard channels.count == 3 else { return nil }
        self.init(red: channels[0], green: channels[1], blue: channels[2])
    }
}

extension Point3D {
    /// A position in a message; `nil` for one that cannot be drawn.
    init?(drawable body: JSONValue?) {
        guard let x = body?["x"]?.number, let y = body?["y"]?.number else { return nil }
        let z = body?["z"]?.number ?? 0
        guard [x, y, z].allSatisfy({ abs($0) <= Point3D.farthest }) else { return nil }
        self.init(x: x, y: y, z: z)
    }
}

extension Box {
    /// A perimeter in a message; `nil` for one that is no area.
    init?(drawable body: JSONValue?) {
        guard let origin = Point3D(drawable: body?["origin"]),
            let width = body?["size"]?["width"]?.number, let height = body?["size"]?["height"]?.number,
            (0...WatchPlace.longestSide).contains(width), (0...WatchPlace.longestSide).contains(height),
            width > 0,
            height > 0
        else { return nil }
        self.init(origin: origin, width: width, height: height)
    }
}
