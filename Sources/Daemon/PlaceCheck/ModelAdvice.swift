import Flare
package import FlareServer
package import JSON
import Text

/// What is legal in a model, but hardly meant: warnings, each with its place.
///
/// It looks at the file and not at what was read from it, so that warnings stand beside errors.
package struct ModelAdvice {
    /// The first of the warnings, in the order of the file.
    package private(set) var warnings: [ModelError] = []
    /// How many there are.
    package private(set) var count = 0

    private static let mostKept = 1000

    /// The names of all profiles; `nil` if only the built-in ones are known.
    let profiles: [String]?

    package init(on model: JSONValue, profiles: [String]? = nil) {
        self.profiles = profiles
        for name in (model.object ?? [:]).keys.sorted() where name != "environments" {
            unknown(name, ["environments"], at: "", kind: "model")
        }
        for (environment, place) in Self.objects(in: model, "environments", at: "") {
            self.environment(environment, at: place)
        }
    }

    mutating func warn(_ place: String, _ message: String) {
        count += 1
        if warnings.count < Self.mostKept { warnings.append(ModelError(place: place, message: message)) }
    }

    /// The objects of a list with their places.
    static func objects(in json: JSONValue, _ key: String, at place: String) -> [(JSONValue, String)] {
        (json[key]?.array ?? []).enumerated().filter { $0.element.object != nil }.map {
            ($0.element, place.isEmpty ? "\(key)[\($0.offset)]" : "\(place).\(key)[\($0.offset)]")
        }
    }

    // MARK: Objects

    private mutating func environment(_ json: JSONValue, at place: String) {
        object(json, .environment, at: place)
        geofence(json, at: place)
        if let distance = json["data"]?.flareNumber("distance"), distance < 0 {
            warn("\(place).data.distance", "is \(distance.shortText) m; nothing can be as near as that")
        }
        constants(json["data"]?["positioning"], at: "\(place).data.positioning")
        let box = perimeter(json, at: place)
        let zones = Self.objects(in: json, "zones", at: place)
        centimetres(json, zones, at: place)
        var beacons = ModelBeacons()
        let rooms = zones.map { Box(json: $0.0["perimeter"]) }
        for (index, (zone, place)) in zones.enumerated() {
            object(zone, .zone, at: place)
            _ = perimeter(zone, at: place)
            if zone["perimeter"].map(\.isNull) ?? true {
                warn(place, "has no perimeter; nobody can be in it")
            }
            if let box, let room = rooms[index], !box.holds(room) {
                warn("\(place).perimeter", "is not within its environment's perimeter (\(box.spanText))")
            }
            beacons.enter(zone, at: place, &self)
            for (thing, place) in Self.objects(in: zone, "things", at: place) {
                self.thing(thing, at: place, room: index, rooms, zones, within: box)
                beacons.add(thing, at: place, &self)
            }
        }
        if beacons.hasAny, json["data"]?["uuid"].map(\.isNull) ?? true {
            warn("\(place).data.uuid", "is missing: beacons of every UUID count, those of neighbours too")
        }
        for (device, place) in Self.objects(in: json, "devices", at: place) {
            object(device, .device, at: place)
        }
    }

    private mutating func thing(
        _ json: JSONValue,
        at place: String,
        room: Int,
        _ rooms: [Box?],
        _ zones: [(JSONValue, String)],
        within box: Box?
    ) {
        object(json, .thing, at: place)
        guard let value = json["position"], !value.isNull else {
            return warn(place, "has no position; nothing can be near it")
        }
        guard let position = Point3D(json: value) else {
            if value.object != nil { warn("\(place).position", "needs x and y; nothing can be near it") }
            return
        }
        guard position.isPlausible else { return warn("\(place).position", Self.farAway) }
        if let own = rooms[room], !own.isFlat, !own.holds(position) {
            let other = rooms.firstIndex { $0?.holds(position) == true }
            let name = other.flatMap { zones[$0].0["name"]?.string }.map {
                "; it is in \(JSONValue.string($0).text)"
            }
            warn("\(place).position", "is outside its zone (\(own.spanText))\(name ?? "")")
        } else if let box, !box.isFlat, !box.holds(position) {
            warn("\(place).position", "is outside its environment (\(box.spanText))")
        }
    }

    /// What all objects have.
    private mutating func object(_ json: JSONValue, _ kind: FlareClass, at place: String) {
        let schema = FlareSchema(kind)
        let members = json.object ?? [:]
        let known =
            schema.fields.keys.filter { !schema.isStructural($0) }
            + (kind == .environment ? ["zones", "devices"] : kind == .zone ? ["things"] : [])
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !schema.isStructural(name) {
            if let field = schema.fields[name] {
                self.member(value, field, at: "\(place).\(name)")
            } else if ModelDataKey.all(of: kind)[name] != nil {
                warn("\(place).\(name)", "is left out here; it belongs in \"data\"")
            } else {
                unknown(name, known, at: place, kind: "\(kind.rawValue)")
            }
        }
        let name = members["name"] ?? .null
        if name.isNull || name.string?.isEmpty == true {
            warn(place, "has no name; its topics will be called \"\(kind.rawValue)\"")
        } else if name.string?.isBlank == true {
            warn(
                "\(place).name",
                "has only spaces, and counts as no name; its topics will be called \"\(kind.rawValue)\""
            )
        }
        data(json["data"] ?? .null, kind, at: "\(place).data")
    }

    private mutating func member(_ value: JSONValue, _ field: FlareSchema.Field, at place: String) {
        switch (field, value) {
        case (.number, .string(let text)) where Double(text) != nil:
            warn(place, "is the text \(value.text); write the number without quotes")
        case (.group(let fields), .object(let members)):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                if let field = fields[name] {
                    member(value, field, at: "\(place).\(name)")
                } else {
                    unknown(name, fields.keys, at: place, kind: place.lastStep)
                }
            }
        default:
            break
        }
    }

    private mutating func unknown(
        _ name: String,
        _ known: some Sequence<String>,
        at place: String,
        kind: String
    ) {
        let hint = NearestName.hint(for: name, among: known.sorted())
        warn(
            place.isEmpty ? name : "\(place).\(name)",
            "is no member of \(kind == "environment" ? "an" : "a") \(kind) and is left out\(hint)"
        )
    }

    // MARK: Geometry

    private mutating func perimeter(_ json: JSONValue, at place: String) -> Box? {
        guard let value = json["perimeter"], value.object != nil else { return nil }
        let place = "\(place).perimeter"
        guard let box = Box(json: value) else {
            warn(place, "needs origin (x, y) and size (width, height); it counts for nothing")
            return nil
        }
        if !box.origin.isPlausible || max(box.width, box.height, box.depth) > Point3D.farthest {
            warn(place, Self.farAway)
        }
        if box.width <= 0 || box.height <= 0 || box.depth < 0 {
            warn("\(place).size", "has no room: width and height must be above 0, depth not below 0")
            return nil
        }
        return box
    }

    private static let farAway =
        "is more than \(Int(Point3D.farthest / 1000)) km from the origin; all numbers are metres"

    private mutating func geofence(_ json: JSONValue, at place: String) {
        guard let value = json["geofence"], let fence = Geofence(json: value) else { return }
        if !fence.centre.isValid {
            warn("\(place).geofence", "is not on the earth: latitude -90 to 90, longitude -180 to 180")
        }
        if fence.radiusMetres <= 0 {
            warn("\(place).geofence.radius", "is \(fence.radiusMetres.shortText) m; it must be above 0")
        }
    }

    /// Rooms and heights that no house has: one warning for an environment, since all its numbers will be so.
    private mutating func centimetres(_ json: JSONValue, _ zones: [(JSONValue, String)], at place: String) {
        func isLarge(_ box: Box?, side: Double, height: Double) -> Bool {
            box.map { max($0.width, $0.height) >= side || $0.depth >= height } ?? false
        }
        var found =
            isLarge(Box(json: json["perimeter"]), side: 1000, height: 150) ? "\(place).perimeter" : nil
        for (zone, place) in zones where found == nil {
            let room = Box(json: zone["perimeter"])
            if isLarge(room, side: 150, height: 50) { found = "\(place).perimeter" }
            let floor = room?.origin.z ?? 0
            for (thing, place) in Self.objects(in: zone, "things", at: place) where found == nil {
                if let z = Point3D(json: thing["position"])?.z, z - floor >= 40 {
                    found = "\(place).position"
                }
            }
        }
        if found == nil, let distance = json["data"]?.flareNumber("distance"), distance >= 50 {
            found = "\(place).data.distance"
        }
        if let found { warn(found, "looks like centimetres; all numbers are metres") }
    }
}

extension Box {
    /// A millimetre is nobody's mistake.
    private static let slack = 0.001

    var isFlat: Bool { width <= 0 || height <= 0 || depth < 0 }

    func holds(_ point: Point3D) -> Bool {
        let slack = Self.slack
        return point.x >= origin.x - slack && point.x <= origin.x + width + slack
            && point.y >= origin.y - slack && point.y <= origin.y + height + slack
            && (depth == 0 || point.z >= origin.z - slack && point.z <= origin.z + depth + slack)
    }

    /// Whether a box is within, seen from above and by its floor.
    func holds(_ box: Box) -> Bool {
        holds(box.origin)
            && holds(Point3D(x: box.origin.x + box.width, y: box.origin.y + box.height, z: box.origin.z))
    }

    /// From where to where it goes.
    var spanText: String {
        func span(_ name: String, _ start: Double, _ length: Double) -> String {
            "\(name) \(start.shortText) to \((start + length).shortText)"
        }
        return [span("x", origin.x, width), span("y", origin.y, height), span("z", origin.z, depth)]
            .joined(separator: ", ")
    }
}

extension Double {
    /// Without decimals where there are none.
    var shortText: String { JSONValue.number((self * 1000).rounded() / 1000).text }
}

extension String {
    /// `size` of `a.b[0].size`.
    fileprivate var lastStep: String { String(split(separator: ".").last ?? "") }
}
