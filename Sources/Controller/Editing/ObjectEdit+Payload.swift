import Flare
import JSON
import Text
import Things

extension ObjectEdit {
    /// Most values of the data, and most actions, in one change.
    private static let most = 200
    /// Most bytes of a name of them; the server takes as many.
    private static let longest = 256

    static func members(of kind: FlareClass) -> [String] {
        switch kind {
        case .environment: ["name", "description", "perimeter", "angle", "geofence", "data"]
        case .zone: ["name", "description", "perimeter", "data"]
        case .thing, .device: ["name", "description", "position", "data", "actions"]
        }
    }

    /// The members of a place file: `{"name","description","data":{…}}`, with `perimeter`, `angle` and `geofence` for an
    /// environment, `perimeter` for a zone, and `position` and `actions` for a thing.
    init(_ kind: FlareClass, _ fields: inout CommandFields) throws(Refusal) {
        self.init()
        name = try fields.name("name")
        if let text = try fields.text("description") {
            guard text.unicodeScalars.count <= 2000 else {
                let count = text.unicodeScalars.count
                let message = "must have at most 2000 characters (has \(count))"
                throw fields.refusal(.outOfRange, "description", message)
            }
            description = text
        }
        if let values = try fields.object("data")?.rest { data = try Self.checked(values) }
        switch kind {
        case .thing, .device:
            if !isRemoved(.position, &fields) {
                let place = try fields.position("position")
                (position, keepsHeight) = (place?.point, place?.hasHeight == false)
            }
            actions = try Self.actions(fields.remove("actions"))
        case .zone, .environment:
            if !isRemoved(.perimeter, &fields) { perimeter = try fields.box("perimeter") }
            guard kind == .environment else { break }
            angle = try fields.number("angle", in: -360...360, unit: " degrees")
            if !isRemoved(.geofence, &fields) { geofence = try fields.geofence("geofence") }
        }
    }

    /// Whether a member is null, so that it is taken away.
    private mutating func isRemoved(_ member: Optional, _ fields: inout CommandFields) -> Bool {
        guard fields.removeNull(member.rawValue) else { return false }
        removed.insert(member)
        return true
    }

    private static func checked(_ values: JSONObject) throws(Refusal) -> JSONObject {
        guard values.count <= most else {
            throw Refusal(
                .outOfRange,
                "data must have at most \(most) values in one change (has \(values.count))",
                field: "data"
            )
        }
        for name in values.keys.sorted() where !isPlain(name) || name.contains(".") || name.hasPrefix("$") {
            throw Refusal(
                .invalidValue,
                "\(QuotedValue.of(name)) is no name of data; it has 1 to \(longest) bytes, no dot, no $ in front, and "
                    + "no control characters",
                field: "data"
            )
        }
        return values
    }

    private static func actions(_ value: JSONValue?) throws(Refusal) -> [String]? {
        guard let value else { return nil }
        let names = value.array?.compactMap(\.string)
        guard let names, names.count == value.array?.count, names.count <= most, names.allSatisfy(isPlain)
        else {
            throw Refusal(
                .wrongType,
                "actions must be a list of at most \(most) names of 1 to \(longest) bytes",
                field: "actions"
            )
        }
        return names
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension CommandFields {
    private static let metres = -Point3D.farthest...Point3D.farthest

    /// `{"origin":{"x","y","z"?},"size":{"width","height","depth"?}}`, metres.
    fileprivate mutating func box(_ key: String) throws(Refusal) -> Box? {
        guard var box = try object(key) else { return nil }
        let origin = try box.position("origin")?.point
        var size = try box.object("size")
        let width = try size?.number("width", in: Self.metres, unit: " m")
        let height = try size?.number("height", in: Self.metres, unit: " m")
        let depth = try size?.number("depth", in: Self.metres, unit: " m")
        try size?.finish()
        try box.finish()
        guard let origin, let width = width ?? nil, let height = height ?? nil else {
            let what = "must have origin (x, y) and size (width, height), in metres"
            throw refusal(.invalidValue, key, what)
        }
        return Box(origin: origin, width: width, height: height, depth: (depth ?? nil) ?? Box.defaultDepth)
    }

    /// `{"latitude","longitude","radius"}`, degrees and metres.
    fileprivate mutating func geofence(_ key: String) throws(Refusal) -> Geofence? {
        guard var fence = try object(key) else { return nil }
        let latitude = try fence.number("latitude", in: -90...90, unit: " degrees")
        let longitude = try fence.number("longitude", in: -180...180, unit: " degrees")
        let radius = try fence.number("radius", in: 0...1e7, unit: " m")
        try fence.finish()
        guard let latitude, let longitude, let radius else {
            let what = "must have latitude and longitude in degrees, and radius in metres"
            throw refusal(.invalidValue, key, what)
        }
        return Geofence(
            centre: GeoPoint(latitude: latitude, longitude: longitude),
            radiusMetres: radius
        )
    }
}
