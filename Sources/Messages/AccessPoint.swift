import JSON
import Text
package import Things

/// An access point that a scanner has heard.
package struct AccessPoint: Sendable, Hashable {
    package let ssid: String
    /// dBm, if the scanner says so.
    package let rssi: Double?

    package init(ssid: String, rssi: Double? = nil) { (self.ssid, self.rssi) = (ssid, rssi) }

    /// The most bytes of a message.
    package static let maximumBytes = 65_536
    /// The most access points of a message.
    package static let maximumCount = 200
    /// The most bytes of a name; 802.11 has 32 of any kind.
    package static let longestSSID = 100

    /// What a scanner says: a list of names or of `{"ssid","rssi"?}`, or one of them; hidden networks are left out.
    /// - Throws: What was wrong, and what is legal; nothing is taken then.
    package static func list(_ payload: [UInt8]) throws(Refusal) -> [AccessPoint] {
        guard payload.count <= maximumBytes else {
            throw Refusal(.tooLarge, "\(payload.count) bytes of access points are more than \(maximumBytes)")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: payload)
        } catch {
            throw Refusal(.badJSON, "the access points are not JSON: \(error)")
        }
        let entries = value.array ?? [value]
        guard entries.count <= maximumCount else {
            throw Refusal(.tooLarge, "\(entries.count) access points are more than \(maximumCount)")
        }
        var points: [AccessPoint] = []
        for entry in entries {
            let point = try AccessPoint(entry)
            if !point.ssid.isEmpty { points.append(point) }
        }
        return points
    }

    private init(_ value: JSONValue) throws(Refusal) {
        guard let ssid = value.string ?? value["ssid"]?.string else {
            throw Refusal(
                .wrongType,
                "an access point must be a name or {\"ssid\":…,\"rssi\"?:…} (is \(QuotedValue.of(value)))"
            )
        }
        guard ssid.utf8.count <= Self.longestSSID else {
            throw Refusal(.outOfRange, "an ssid must have at most \(Self.longestSSID) bytes")
        }
        let rssi = value["rssi"]
        if let rssi, !rssi.isNull, rssi.number.map({ (-200...100).contains($0) }) != true {
            throw Refusal(.outOfRange, "rssi must be a number, -200 to 100 (is \(QuotedValue.of(rssi)))")
        }
        self.init(ssid: ssid, rssi: rssi?.number)
    }
}
