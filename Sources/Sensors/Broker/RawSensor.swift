import Flare
import FoundationEssentials
import JSON
import Positioning

/// The readings of a message, which were read as far as that was possible.
package struct ReceivedReadings: Sendable, Hashable {
    package let readings: [SensorReading]
    /// What could not be used, and was left out.
    package let unusable: [ReadingError]

    /// - Parameter read: Adds what it leaves out to the list that it gets.
    static func result(
        of sender: String,
        _ read: (inout [ReadingError]) throws(ReadingError) -> [SensorReading]
    ) -> Result<ReceivedReadings, ReadingError> {
        func described(_ error: ReadingError) -> ReadingError {
            ReadingError("\(sender): \(error)")
        }
        var unusable: [ReadingError] = []
        do throws(ReadingError) {
            let readings = try read(&unusable)
            return .success(ReceivedReadings(readings: readings, unusable: unusable.map(described)))
        } catch {
            return .failure(described(error))
        }
    }
}

extension [ReadingError] {
    /// The value that was read; without one, the reason is added here.
    @discardableResult
    mutating func collect<Value>(_ read: () throws(ReadingError) -> Value?) -> Value? {
        do throws(ReadingError) {
            return try read()
        } catch {
            append(error)
            return nil
        }
    }
}

/// An external sensor that publishes readings on MQTT; the raw value is its name in the topic.
/// - Source: contrib/contract/mqtt.md, "Readings from other programs".
package enum RawSensor: String, Sendable, Hashable, CaseIterable {
    case compass, gps, beacons

    /// Longest accepted message, bytes.
    package static let longestPayload = 64 * 1024
    /// Most beacons in a message.
    package static let mostBeacons = 256
    /// Largest age of a beacon relative to the newest in the same message, seconds; older ones are given this
    /// age.
    private static let oldest = 10.0

    /// Parses a message.
    ///
    /// Beacons whose `rssi` means "not received" are omitted. The sender's clock need not be right: `ts` is
    /// used only relative to the newest beacon of the same message. `moving`, of a beacon or alone, says whether the
    /// device moves; the last one of a message counts.
    /// - Parameter time: Time of arrival, on the readings' steady clock.
    package func readings(
        from payload: [UInt8],
        at time: Double
    ) -> Result<ReceivedReadings, ReadingError> {
        ReceivedReadings.result(of: "sensors/\(rawValue)/raw") { unusable throws(ReadingError) in
            guard payload.count <= Self.longestPayload else {
                throw ReadingError(
                    "the message has \(payload.count) bytes; at most \(Self.longestPayload) are allowed"
                )
            }
            switch self {
            case .compass: return [try Self.heading(payload, at: time)]
            case .gps:
                let json = try JSONValue(sent: payload)
                // OwnTracks also reports regions and disconnects; these are ignored.
                let type = json["_type"]?.string
                if type == "encrypted" {
                    throw ReadingError("OwnTracks encrypts its locations; switch encryption off in the app")
                }
                if let type, type != "location" { return [] }
                return [try Self.location(json, at: time, &unusable)]
            case .beacons: return try Self.sightings(try JSONValue(sent: payload), at: time, &unusable)
            }
        }
    }

    private static func heading(_ payload: [UInt8], at time: Double) throws(ReadingError) -> SensorReading {
        let legal = "a heading must be a plain number of degrees from -360 to 360, clockwise from north"
        guard payload.count <= 64, let degrees = (try? JSONValue(parsing: payload))?.number,
            degrees.magnitude <= 360, let heading = CompassAngle.normalised(degrees)
        else {
            let text = JSONValue.string(String(decoding: payload.prefix(60), as: UTF8.self)).excerpt
            throw ReadingError("\(legal) (is \(text))")
        }
        return .heading(degrees: heading, time: time)
    }

    private static func location(
        _ json: JSONValue,
        at time: Double,
        _ unusable: inout [ReadingError]
    ) throws(ReadingError) -> SensorReading {
        guard let members = json.object else {
            throw ReadingError(
                #"a location must be {"latitude","longitude","accuracy"?} (is \#(json.excerpt))"#
            )
        }
        var fields = ReadingFields(members, convertsTexts: true)
        let format = LocationFormat(members)
        let place = GeoPoint(
            latitude: try fields.number(format.latitude, in: -90...90),
            longitude: try fields.number(format.longitude, in: -180...180)
        )
        let accuracy = unusable.collect { () throws(ReadingError) in
            try fields.optionalNumber(format.accuracy, in: 0...1e9)
        }
        // Apps send a dozen other members; only where one may be meant as the accuracy it is worth a word.
        if format == .own, members[format.accuracy] == nil {
            unusable.collect { () throws(ReadingError) in try fields.end() }
        }
        return .location(place, accuracyMetres: accuracy, time: time)
    }

    private static func sightings(
        _ json: JSONValue,
        at time: Double,
        _ unusable: inout [ReadingError]
    ) throws(ReadingError) -> [SensorReading] {
        let list = json.array ?? [json]
        guard list.count <= mostBeacons else {
            throw ReadingError("the message has \(list.count) beacons; at most \(mostBeacons) are allowed")
        }
        var sightings: [(reading: SensorReading, rssi: Int, stamp: Double?)] = []
        var isMoving: Bool?
        for (index, element) in list.enumerated() {
            var errors: [ReadingError] = []
            if let members = element.object, members["moving"] != nil {
                var fields = ReadingFields(members, convertsTexts: true)
                let flag = unusable.collect { () throws(ReadingError) in try fields.optionalFlag("moving") }
                isMoving = flag ?? isMoving
                if members.keys.allSatisfy(["moving", "ts"].contains) { continue }
            }
            let sighting = errors.collect { () throws(ReadingError) in
                try Self.sighting(element, at: time, &unusable)
            }
            if let sighting { sightings.append(sighting) }
            guard let error = errors.first else { continue }
            if json.array == nil { throw error }
            unusable.append(ReadingError("beacon \(index + 1): \(error)"))
        }
        if sightings.isEmpty, isMoving == nil, let error = unusable.first { throw error }
        let newest = sightings.compactMap(\.stamp).max()
        let usable = sightings.compactMap { reading, rssi, stamp -> SensorReading? in
            guard BeaconSighting.isUsable(rssi: rssi) else { return nil }
            guard let newest, let stamp else { return reading }
            return reading.delayed(by: -min(newest - stamp, oldest, time))
        }
        guard let isMoving else { return usable }
        return [.moving(isMoving, time: time)] + usable
    }

    private static func sighting(
        _ json: JSONValue,
        at time: Double,
        _ unusable: inout [ReadingError]
    ) throws(ReadingError) -> (reading: SensorReading, rssi: Int, stamp: Double?) {
        guard let members = json.object else {
            throw ReadingError(
                #"a beacon must be {"uuid","major","minor","rssi","power"?,"ts"?}, "#
                    + #"or {"receiver","rssi",…} for a receiver that detects the device (is \#(json.excerpt))"#
            )
        }
        var fields = ReadingFields(members, convertsTexts: true)
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
        // The range of Bluetooth; 127 means "not measured".
        let isUnmeasured = members["rssi"]?.statedNumber == 127
        let rssi = try fields.whole("rssi", in: isUnmeasured ? 127...127 : -127...20)
        let power = unusable.collect { () throws(ReadingError) in
            try fields.optionalWhole("power", in: -127 ... -1)
        }
        let stamp = unusable.collect { () throws(ReadingError) in
            try fields.optional("ts").flatMap(Self.stamp)
        }
        // It was read with the message.
        _ = fields.optional("moving")
        unusable.collect { () throws(ReadingError) in try fields.end() }
        return (reading(rssi, power), rssi, stamp)
    }

    /// Parses seconds or milliseconds since 1970, or RFC 3339 text, to seconds of the sender's clock.
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
            "ts must be seconds or milliseconds since 1970, or an RFC 3339 time (is \(value.excerpt))"
        )
    }
}

/// The member names of locations, by the program that sends them.
///
private enum LocationFormat {
    /// `latitude`, `longitude`, `accuracy`.
    case own
    /// `lat`, `lon`, `acc`.
    /// - Source: OwnTracks, JSON, `_type=location`.
    case ownTracks
    /// `latitude`, `longitude`, `gps_accuracy`, as in Home Assistant and its companion app.
    case homeAssistant

    init(_ members: JSONObject) {
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
