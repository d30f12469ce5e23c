import Flare
import JSON
import Positioning

/// Why a value is not a valid reading, and what is legal.
package struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension JSONValue {
    /// Parses what another program has sent.
    init(sent bytes: some Collection<UInt8>, maximumDepth: Int = 16) throws(ReadingError) {
        do {
            try self.init(parsingReport: bytes, maximumDepth: maximumDepth)
        } catch {
            throw ReadingError("is not JSON: \(error)")
        }
    }
}

extension SensorReading {
    /// The reading as a line of a trace.
    var json: JSONValue {
        var members: JSONObject = ["t": .number(time)]
        switch self {
        case .beacon(let sighting):
            members["type"] = "beacon"
            members.merge(sighting.identity.members) { $1 }
            members["rssi"] = JSONValue(sighting.rssi)
            members["power"] = sighting.powerAtOneMetre.map { JSONValue($0) }
        case .receiver(let sighting):
            members["type"] = "receiver"
            members["receiver"] = .string(sighting.receiver)
            members["rssi"] = JSONValue(sighting.rssi)
            members["power"] = sighting.powerAtOneMetre.map { JSONValue($0) }
        case .heading(let degrees, let north, _):
            members["type"] = "heading"
            members["degrees"] = .number(degrees)
            if north != .unspecified { members["north"] = .string(north.rawValue) }
        case .location(let place, let accuracy, _):
            members["type"] = "location"
            members["latitude"] = .number(place.latitude)
            members["longitude"] = .number(place.longitude)
            members["accuracy"] = accuracy.map { .number($0) }
        case .telemetry(let telemetry, let sender, _):
            members["type"] = "telemetry"
            members.merge(telemetry.members) { $1 }
            members.merge(sender.members) { $1 }
        case .moving(let isMoving, _):
            members["type"] = "moving"
            members["moving"] = .bool(isMoving)
        case .tick:
            members["type"] = "tick"
        }
        return .object(members)
    }

    /// Parses a line of a trace.
    init(json: JSONValue) throws(ReadingError) {
        guard let members = json.object else { throw ReadingError("a reading must be a JSON object") }
        var fields = ReadingFields(members)
        let time = try fields.number("t", in: 0...1e9)
        let type = try fields.text("type")
        switch type {
        case "beacon":
            self = .beacon(
                BeaconSighting(
                    identity: try BeaconIdentity(&fields),
                    rssi: try fields.whole("rssi", in: -128...127),
                    powerAtOneMetre: try fields.optionalWhole("power", in: -128...127),
                    time: time
                )
            )
        case "receiver":
            self = .receiver(
                ReceiverSighting(
                    receiver: try fields.name("receiver"),
                    rssi: try fields.whole("rssi", in: -128...127),
                    powerAtOneMetre: try fields.optionalWhole("power", in: -128...127),
                    time: time
                )
            )
        case "heading":
            let degrees = try fields.number("degrees", in: 0...360)
            let word = try fields.optionalText("north")
            guard let north = word.map({ North(rawValue: $0) }) ?? .unspecified else {
                let legal = North.allCases.map(\.rawValue).joined(separator: ", ")
                throw ReadingError("north must be one of \(legal) (is \"\(word ?? "")\")")
            }
            self = .heading(degrees: degrees, north: north, time: time)
        case "location":
            let place = GeoPoint(
                latitude: try fields.number("latitude", in: -90...90),
                longitude: try fields.number("longitude", in: -180...180)
            )
            let accuracy = try fields.optionalNumber("accuracy", in: 0...1e9)
            self = .location(place, accuracyMetres: accuracy, time: time)
        case "telemetry":
            self = .telemetry(
                try BeaconTelemetry(&fields),
                of: try TelemetrySender(&fields),
                time: time
            )
        case "moving":
            guard let isMoving = try fields.optionalFlag("moving") else {
                throw ReadingError("moving is missing")
            }
            self = .moving(isMoving, time: time)
        case "tick": self = .tick(time: time)
        default:
            throw ReadingError(
                "unknown type \"\(type)\"; legal are beacon, receiver, heading, location, telemetry, moving and "
                    + "tick"
            )
        }
        try fields.end()
    }
}

extension BeaconIdentity {
    var members: JSONObject {
        var members: JSONObject = ["major": JSONValue(Int(major)), "minor": JSONValue(Int(minor))]
        switch group {
        case .uuid(let uuid): members["uuid"] = .string(uuid.description)
        case .namespace(let namespace): members["namespace"] = .string(namespace.description)
        // Exists only in a map; readings contain the receiver's name.
        case .receivers: break
        }
        return members
    }

    init(_ fields: inout ReadingFields) throws(ReadingError) {
        let group: Group
        if let text = try fields.optionalText("namespace") {
            guard let namespace = EddystoneNamespace(text) else {
                throw ReadingError("namespace must be 20 hexadecimal digits (is \"\(text)\")")
            }
            group = .namespace(namespace)
        } else {
            group = .uuid(try fields.uuid())
        }
        self.init(
            group: group,
            major: try fields.number16("major"),
            minor: try fields.number16("minor")
        )
    }
}
