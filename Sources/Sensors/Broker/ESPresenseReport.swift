import JSON
import Positioning

/// A report of an ESPresense node about the device, on `espresense/devices/<id of the device>/<node>`.
///
/// The node is a receiver at a known position. Only `rssi` and `rssi@1m`, the device's power at one metre,
/// are used; versions 3 and 4 send both.
/// - Source: ESPresense, BleFingerprint::fill.
package enum ESPresenseReport {
    /// Longest accepted message, bytes.
    package static let longestPayload = 4096

    /// The topic filter to subscribe to.
    ///
    /// - Parameters:
    ///   - base: `espresense`, unless the nodes are configured otherwise.
    ///   - device: The device's id in ESPresense.
    package static func filter(base: String, device: String) -> String { "\(base)/devices/\(device)/+" }

    /// Parses a message; it has no reading when it reports that the device was not received.
    ///
    /// - Parameters:
    ///   - topic: The message's topic; its last level is the node.
    ///   - time: Time of arrival, on the readings' steady clock.
    package static func readings(
        from payload: [UInt8],
        topic: String,
        at time: Double
    ) -> Result<ReceivedReadings, ReadingError> {
        ReceivedReadings.result(of: topic) { unusable throws(ReadingError) in
            try read(payload, topic: topic, at: time, &unusable).map { [$0] } ?? []
        }
    }

    private static func read(
        _ payload: [UInt8],
        topic: String,
        at time: Double,
        _ unusable: inout [ReadingError]
    ) throws(ReadingError) -> SensorReading? {
        guard payload.count <= longestPayload else {
            throw ReadingError(
                "the message has \(payload.count) bytes; at most \(longestPayload) are allowed"
            )
        }
        guard let node = topic.split(separator: "/", omittingEmptySubsequences: false).last, !node.isEmpty,
            node.utf8.count <= BeaconMap.longestReceiverName
        else {
            throw ReadingError("the node's name must have 1 to \(BeaconMap.longestReceiverName) bytes")
        }
        let json = try JSONValue(sent: payload)
        guard let members = json.object else {
            throw ReadingError("must be an object with rssi (is \(json.excerpt))")
        }
        // Other members differ between versions and are ignored.
        var fields = ReadingFields(members, convertsTexts: true)
        let rssi = Int(try fields.number("rssi", in: -200...200).rounded())
        let power = unusable.collect { () throws(ReadingError) in
            try fields.optionalNumber("rssi@1m", in: -200...200).map { Int($0.rounded()) }
        }
        guard BeaconSighting.isUsable(rssi: rssi) else { return nil }
        return .receiver(
            ReceiverSighting(
                receiver: String(node),
                rssi: rssi,
                powerAtOneMetre: power,
                time: time
            )
        )
    }
}
