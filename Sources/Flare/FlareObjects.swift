package import JSON
import Text

/// What environments, zones, things and devices have in common.
///
/// Parsed leniently, as by the original clients: missing text is "", missing data is empty.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects"; "10.1 Library".
package protocol PlaceObject: Sendable, Hashable {
    var id: FlareID { get }
    var name: String { get set }
    var description: String { get set }
    var data: JSONObject { get set }
    var actions: [String] { get set }
    /// The object as JSON in the server's form, from which it can be parsed again.
    var json: JSONValue { get }

    init(id: FlareID)
}

/// A place with a plan of its own.
package struct FlareEnvironment: PlaceObject {
    package var id: FlareID
    package var name = ""
    package var description = ""
    package var data: JSONObject = [:]
    package var actions: [String] = []
    package var perimeter: Box?
    package var geofence: Geofence?
    /// Rotation of the plan against north, degrees.
    package var angle = 0.0

    package init(id: FlareID) { self.id = id }
}

/// A part of an environment.
package struct FlareZone: PlaceObject {
    package var id: FlareID
    package var name = ""
    package var description = ""
    package var data: JSONObject = [:]
    package var actions: [String] = []
    package var environment: FlareID?
    package var perimeter: Box?

    package init(id: FlareID) { self.id = id }
}

/// An object in a zone.
package struct FlareThing: PlaceObject {
    package var id: FlareID
    package var name = ""
    package var description = ""
    package var data: JSONObject = [:]
    package var actions: [String] = []
    package var environment: FlareID?
    package var zone: FlareID?
    package var position: Point3D?
    /// When its server made it, as the server says; empty if unknown.
    ///
    /// A copy on another server has another time.
    package var created = ""

    package init(id: FlareID) { self.id = id }
}

/// A movable object in an environment.
package struct FlareDevice: PlaceObject {
    package var id: FlareID
    package var name = ""
    package var description = ""
    package var data: JSONObject = [:]
    package var actions: [String] = []
    package var environment: FlareID?
    /// Its zone, as last recorded by the server.
    package var zone: FlareID?
    /// The thing near it, as last recorded by the server.
    package var nearest: FlareID?
    package var position: Point3D?

    package init(id: FlareID) { self.id = id }
}

extension PlaceObject {
    /// What all classes have of the server's JSON; `nil` without a valid `_id`.
    fileprivate init?(common json: JSONValue) {
        guard let id = json.flareID("_id") else { return nil }
        self.init(id: id)
        name = json.flareName
        description = json.flareText("description")
        data = json["data"]?.object ?? [:]
        actions = json["actions"]?.array?.compactMap(\.string) ?? []
    }
}

extension FlareEnvironment {
    /// Parses the server's JSON; `nil` without a valid `_id`.
    package init?(json: JSONValue) {
        self.init(common: json)
        perimeter = Box(json: json["perimeter"])
        geofence = Geofence(json: json["geofence"])
        angle = json.flareNumber("angle") ?? 0
    }
}

extension FlareZone {
    /// Parses the server's JSON; `nil` without a valid `_id`.
    package init?(json: JSONValue) {
        self.init(common: json)
        environment = json.flareID("environment")
        perimeter = Box(json: json["perimeter"])
    }
}

extension FlareThing {
    /// Parses the server's JSON; `nil` without a valid `_id`.
    package init?(json: JSONValue) {
        self.init(common: json)
        environment = json.flareID("environment")
        zone = json.flareID("zone")
        position = Point3D(json: json["position"])
        created = json.flareText("created")
    }
}

extension FlareDevice {
    /// Parses the server's JSON; `nil` without a valid `_id`.
    package init?(json: JSONValue) {
        self.init(common: json)
        environment = json.flareID("environment")
        zone = json.flareID("zone")
        nearest = json.flareID("nearest")
        position = Point3D(json: json["position"])
    }
}

extension Point3D {
    /// A position; a missing z is 0, `nil` without x and y.
    package init?(json: JSONValue?) {
        guard let json, let x = json.flareNumber("x"), let y = json.flareNumber("y") else { return nil }
        self.init(x: x, y: y, z: json.flareNumber("z") ?? 0)
    }

    /// `{"x","y","z"}`.
    package var json: JSONValue { ["x": .number(x), "y": .number(y), "z": .number(z)] }
}

extension Box {
    /// A perimeter; `nil` when a number that the zone rule needs is missing.
    package init?(json: JSONValue?) {
        guard let json, let origin = Point3D(json: json["origin"]), let size = json["size"],
            let width = size.flareNumber("width"), let height = size.flareNumber("height")
        else { return nil }
        self.init(
            origin: origin,
            width: width,
            height: height,
            depth: size.flareNumber("depth") ?? Box.defaultDepth
        )
    }
}

extension Geofence {
    /// A geofence; a missing radius is 0, `nil` without latitude and longitude.
    package init?(json: JSONValue?) {
        guard let json, let latitude = json.flareNumber("latitude"),
            let longitude = json.flareNumber("longitude")
        else { return nil }
        self.init(
            centre: GeoPoint(latitude: latitude, longitude: longitude),
            radiusMetres: json.flareNumber("radius") ?? 0
        )
    }
}

extension JSONValue {
    /// A member that is an object identifier.
    package func flareID(_ key: String) -> FlareID? {
        self[key]?.string.flatMap { FlareID($0) }
    }

    /// A member as a finite number; numeric text is converted, as by the original clients.
    package func flareNumber(_ key: String) -> Double? {
        let number =
            switch self[key] {
            case .string(let text)?: Double(text)
            case let value: value?.number
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    fileprivate func flareText(_ key: String) -> String {
        self[key]?.string ?? ""
    }

    /// The name; "" when there is none, and when it has nothing that can be read.
    fileprivate var flareName: String {
        let name = flareText("name")
        return name.isBlank ? "" : name
    }
}
