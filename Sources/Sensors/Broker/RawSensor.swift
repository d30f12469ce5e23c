import Flare
import FoundationEssentials
import Positioning

/// Why a message from a foreign sensor is no reading, and what is legal.
package struct RawReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// A sensor whose readings come as messages from elsewhere; the raw value is its name in the topic.
/// - Source: the MQTT contract, `sensors/…/raw`.
package enum RawSensor: String, Sendable, Hashable, CaseIterable {
    case compass, gps, beacons

    /// Longer messages are refused, bytes.
    package static let longestPayload = 64 * 1024
    /// So many beacons may be in one message.
    package static let mostBeacons = 256
    /// A beacon heard longer ago than this, before the last of its message, counts as heard so long ago, seconds.
    private static let oldest = 10.0

    /// Reads a message.
    ///
    /// Beacons whose `rssi` says "not heard" are left out. The sender's clock need not be right: its `ts` says
    /// only how long before the newest of the same message a beacon was heard.
    /// - Parameter time: When the message came, on the steady clock of the readings.
    package func readings(
        from payload: [UInt8],
        at time: Double
    ) -> Result<[SensorReading], RawReadingError> {
        guard payload.count <= Self.longestPayload else {
            return .failure(
                RawReadingError(
                    description: "sensors/\(rawValue)/raw: \(payload.count) bytes are too many; at most "
                        + "\(Self.longestPayload)"
                )
            )
        }
        do throws(ReadingError) {
            switch self {
            case .compass: return .success([try Self.heading(payload, at: time)])
            case .gps:
                let json = try Self.json(payload)
                // What else OwnTracks says: that a region was entered, that the phone is gone.
                let type = json["_type"]?.string
                if type == "encrypted" {
                    throw ReadingError(
                        text: "OwnTracks encrypts its places; switch that off in the app"
                    )
                }
                if let type, type != "location" { return .success([]) }
                return .success([try Self.location(json, at: time)])
            case .beacons: return .success(try Self.sightings(try Self.json(payload), at: time))
            }
        } catch {
            return .failure(RawReadingError(description: "sensors/\(rawValue)/raw: \(error.text)"))
        }
    }

    private static func json(_ payload: [UInt8]) throws(ReadingError) -> JSONValue {
        do {
            return try JSONValue(parsing: payload, maximumDepth: 4)
        } catch {
            throw ReadingError(text: "is no JSON: \(error)")
        }
    }

    private static func heading(_ payload: [UInt8], at time: Double) throws(ReadingError) -> SensorReading {
        let legal = "a heading is plain degrees from -360 to 360, clockwise from north"
        guard payload.count <= 64, let degrees = (try? JSONValue(parsing: payload))?.number,
            degrees.magnitude <= 360, let heading = CompassAngle.normalised(degrees)
        else {
            let text = JSONValue.string(String(decoding: payload.prefix(60), as: UTF8.self)).excerpt
            throw ReadingError(text: "\(legal) (is \(text))")
        }
        return .heading(degrees: heading, time: time)
    }

    private static func location(_ json: JSONValue, at time: Double) throws(ReadingError) -> SensorReading {
        guard let members = json.object else {
            throw ReadingError(
                text: #"a place is {"latitude","longitude","accuracy"?} (is \#(json.excerpt))"#
            )
        }
        var fields = ReadingFields(members)
        let form = PlaceForm(members)
        let place = GeoPoint(
            latitude: try fields.number(form.latitude, in: -90...90),
            longitude: try fields.number(form.longitude, in: -180...180)
        )
        let accuracy = try fields.optionalNumber(form.accuracy, in: 0...1e9)
        if form == .own { try fields.end() }
        return .location(place, accuracyMetres: accuracy, time: time)
    }

    private static func sightings(
        _ json: JSONValue,
        at time: Double
    ) throws(ReadingError) -> [SensorReading] {
        let list = json.array ?? [json]
        guard list.count <= mostBeacons else {
            throw ReadingError(text: "\(list.count) beacons are too many; at most \(mostBeacons)")
        }
        var heard: [(reading: SensorReading, rssi: Int, stamp: Double?)] = []
        for (index, element) in list.enumerated() {
            do {
                heard.append(try sighting(element, at: time))
            } catch {
                throw json.array == nil ? error : ReadingError(text: "beacon \(index + 1): \(error.text)")
            }
        }
        let newest = heard.compactMap(\.stamp).max()
        return heard.compactMap { reading, rssi, stamp in
            guard BeaconSighting.isUsable(rssi: rssi) else { return nil }
            guard let newest, let stamp else { return reading }
            return reading.later(by: -min(newest - stamp, oldest, time))
        }
    }

    private static func sighting(
        _ json: JSONValue,
        at time: Double
    ) throws(ReadingError) -> (reading: SensorReading, rssi: Int, stamp: Double?) {
        guard let members = json.object else {
            throw ReadingError(
                text: #"a beacon is {"uuid","major","minor","rssi","power"?,"ts"?}, "#
                    + #"or {"receiver","rssi",…} where it heard us (is \#(json.excerpt))"#
            )
        }
        var fields = ReadingFields(members)
        let reading: (_ rssi: Int, _ power: Int?) -> SensorReading
        if members["receiver"] == nil {
            let identity = BeaconIdentity(
                uuid: try fields.uuid(),
                major: try fields.number16("major"),
                minor: try fields.number16("minor")
            )
            reading = {
                .beacon(BeaconSighting(identity: identity, rssi: $0, powerAtOneMetre: $1, time: time))
            }
        } else {
            let name = try fields.name("receiver")
            reading = {
                .receiver(ReceiverSighting(receiver: name, rssi: $0, powerAtOneMetre: $1, time: time))
            }
        }
        // What Bluetooth can measure; 127 is its word for "not measured".
        let isUnmeasured = members["rssi"]?.integer == 127
        let rssi = try fields.whole("rssi", in: isUnmeasured ? 127...127 : -127...20)
        let power = try fields.optionalWhole("power", in: -127 ... -1)
        let stamp = try fields.optional("ts").flatMap(Self.stamp)
        try fields.end()
        return (reading(rssi, power), rssi, stamp)
    }

    /// Seconds of the sender's clock, from seconds or milliseconds since 1970 or RFC 3339 text.
    private static func stamp(_ value: JSONValue) throws(ReadingError) -> Double? {
        if value.isNull { return nil }
        if let number = value.number, (0...1e14).contains(number) {
            return number < 1e11 ? number : number / 1000
        }
        if let text = value.string, text.utf8.count <= 40 {
            let whole = Date.ISO8601FormatStyle()
            let parts = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            if let date = (try? whole.parse(text)) ?? (try? parts.parse(text)) {
                return date.timeIntervalSince1970
            }
        }
        throw ReadingError(
            text:
                "ts must be seconds or milliseconds since 1970, or a time as in RFC 3339 (is \(value.excerpt))"
        )
    }
}

/// How the programs that tell places name the members.
///
/// Those of phones carry a dozen members beside; only ours is read strictly.
private enum PlaceForm {
    /// `latitude`, `longitude`, `accuracy`.
    case own
    /// `lat`, `lon`, `acc`.
    /// - Source: OwnTracks, JSON, `_type=location`.
    case ownTracks
    /// `latitude`, `longitude`, `gps_accuracy`: as Home Assistant and its companion app name them.
    case homeAssistant

    init(_ members: [String: JSONValue]) {
        if members["lat"] != nil || members["_type"] != nil {
            self = .ownTracks
        } else {
            self = members["gps_accuracy"] != nil ? .homeAssistant : .own
        }
    }

    var latitude: String { self == .ownTracks ? "lat" : "latitude" }
    var longitude: String { self == .ownTracks ? "lon" : "longitude" }

    var accuracy: String {
        switch self {
        case .own: "accuracy"
        case .ownTracks: "acc"
        case .homeAssistant: "gps_accuracy"
        }
    }
}
