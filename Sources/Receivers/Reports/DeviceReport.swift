import JSON
package import Positioning

/// What a receiver reports about one device, on `<topic>/devices/<id>/<receiver>`.
///
/// ESPresense of version 3 and 4 and our own receivers write it. Only the levels are used for positions: the distance is
/// drawn from them by a model that ours replaces.
/// - Source: ESPresense, BleFingerprint.cpp, `fill`.
package struct DeviceReport: Sendable, Hashable {
    /// The id as it is written in the topic.
    package var id: String
    package var receiver: String
    package var name: String?
    /// The address that it was last heard from, 48 bits.
    package var address: UInt64?
    /// Received power, smoothed by the receiver, dBm.
    package var rssi: Double
    /// The device's power at one metre, dBm.
    package var powerAtOneMetre: Int?
    /// Metres by the last packet alone; ESPresense writes it up to version 3.
    /// - Source: ESPresense 3.3.6, BleFingerprint.cpp, `seen` and `fill`.
    package var raw: Double?
    /// Metres, by the receiver's own model; for people to read.
    package var distance: Double?
    /// Variance of the distance, m².
    package var variance: Double?
    /// Mean time between two packets, milliseconds.
    package var interval: Int?
    /// What was found out by other ways, such as a device's services.
    package var disc: String?

    package init(
        id: String,
        receiver: String,
        name: String? = nil,
        address: UInt64? = nil,
        rssi: Double,
        powerAtOneMetre: Int? = nil,
        raw: Double? = nil,
        distance: Double? = nil,
        variance: Double? = nil,
        interval: Int? = nil,
        disc: String? = nil
    ) {
        (self.id, self.receiver, self.name, self.address) = (id, receiver, name, address)
        (self.rssi, self.powerAtOneMetre, self.raw) = (rssi, powerAtOneMetre, raw)
        (self.distance, self.variance, self.interval, self.disc) = (distance, variance, interval, disc)
    }

    /// Longest accepted message, bytes.
    package static let longestPayload = 4096
    package static let longestName = 200
    /// Farther than any receiver hears, metres.
    package static let farthest = 1000.0

    /// Whether the receiver has heard the device: some report it with a level of 0 when they have not.
    package var isHeard: Bool { BeaconSighting.isUsable(rssi: Int(rssi.rounded())) }

    /// The reading for an estimator; `nil` if the device was not heard.
    ///
    /// - Parameter time: When the message came, on the daemon's steady clock: receivers have clocks of their own, or none.
    package func sighting(at time: Double) -> ReceiverSighting? {
        guard isHeard else { return nil }
        return ReceiverSighting(
            receiver: receiver,
            rssi: Int(rssi.rounded()),
            powerAtOneMetre: powerAtOneMetre,
            time: time
        )
    }
}

extension DeviceReport {
    /// Decodes a message.
    ///
    /// - Returns: The report, and the members that could not be used and were left out.
    package static func decode(
        _ payload: [UInt8],
        id: String,
        receiver: String
    ) throws(ReportError) -> (report: DeviceReport, unusable: [ReportError]) {
        var fields = try ReportFields(payload, longest: longestPayload)
        guard fields.has("rssi") else { throw ReportError("rssi is missing") }
        guard let rssi = fields.number("rssi", in: -200...200) else {
            throw fields.unusable.first ?? ReportError("rssi is missing")
        }
        var report = DeviceReport(id: id, receiver: receiver, rssi: rssi)
        // ESPresense's alias or the id itself; the topic says which one counts.
        if let stated = fields.text("id", upTo: HeardID.longest), stated != id {
            fields.refuse("id", "the one of the topic", .string(stated))
        }
        report.name = fields.text("name", upTo: longestName)
        if let text = fields.text("mac", upTo: 17) {
            if case .address(let bits)? = try? HeardID(text: text) {
                report.address = bits
            } else {
                fields.refuse("mac", "twelve hexadecimal digits", .string(text))
            }
        }
        report.powerAtOneMetre = fields.whole("rssi@1m", in: -127 ... -1)
        report.raw = fields.number("raw", in: 0...farthest)
        report.distance = fields.number("distance", in: 0...farthest)
        report.variance = fields.number("var", in: 0...1e6)
        report.interval = fields.whole("int", in: 0...86_400_000)
        report.disc = fields.text("disc", upTo: 1024)
        return (report, fields.unusable)
    }

    /// The message, as ESPresense writes it: two decimals, and no member without a value.
    package var payload: [UInt8] {
        var members: JSONObject = ["id": .string(id), "rssi": .number(Self.rounded(rssi))]
        if let name { members["name"] = .string(name) }
        if let address { members["mac"] = .string(HeardID.digits(address)) }
        if let powerAtOneMetre { members["rssi@1m"] = JSONValue(powerAtOneMetre) }
        if let raw, !raw.isNaN { members["raw"] = .number(Self.rounded(min(raw, Self.farthest))) }
        if let distance, !distance.isNaN {
            members["distance"] = .number(Self.rounded(min(distance, Self.farthest)))
        }
        if let variance, !variance.isNaN { members["var"] = .number(Self.rounded(min(variance, 1e6))) }
        if let interval { members["int"] = JSONValue(interval) }
        if let disc { members["disc"] = .string(disc) }
        return JSONValue.object(members).bytes
    }

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
