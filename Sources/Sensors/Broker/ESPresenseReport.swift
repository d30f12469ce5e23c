import Flare
import Positioning

/// What an ESPresense node says of the device, on `espresense/devices/<id of the device>/<node>`.
///
/// The node is a receiver at a known place. Of what it says `rssi` counts, and `rssi@1m`, what the device should be
/// heard with at one metre; versions 3 and 4 have both.
/// - Source: ESPresense, BleFingerprint::fill.
package enum ESPresenseReport {
    /// Longer messages are refused, bytes.
    package static let longestPayload = 4096

    /// What to subscribe to.
    ///
    /// - Parameters:
    ///   - base: `espresense`, unless the nodes were told otherwise.
    ///   - device: The device's id at ESPresense.
    package static func filter(base: String, device: String) -> String { "\(base)/devices/\(device)/+" }

    /// Reads a message; `nil` when it says that the device was not heard.
    ///
    /// - Parameters:
    ///   - topic: The topic on which it came; its last level is the node.
    ///   - time: When it came, on the steady clock of the readings.
    package static func reading(
        from payload: [UInt8],
        topic: String,
        at time: Double
    ) -> Result<SensorReading?, RawReadingError> {
        do throws(ReadingError) {
            return .success(try read(payload, topic: topic, at: time))
        } catch {
            return .failure(RawReadingError(description: "\(topic): \(error.text)"))
        }
    }

    private static func read(
        _ payload: [UInt8],
        topic: String,
        at time: Double
    ) throws(ReadingError) -> SensorReading? {
        guard payload.count <= longestPayload else {
            throw ReadingError(text: "\(payload.count) bytes are too many; at most \(longestPayload)")
        }
        guard let node = topic.split(separator: "/", omittingEmptySubsequences: false).last, !node.isEmpty,
            node.utf8.count <= BeaconMap.longestReceiverName
        else {
            throw ReadingError(
                text: "the node's name must have 1 to \(BeaconMap.longestReceiverName) bytes"
            )
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: payload, maximumDepth: 4)
        } catch {
            throw ReadingError(text: "is no JSON: \(error)")
        }
        guard let members = json.object else {
            throw ReadingError(text: "must be an object with rssi (is \(json.excerpt))")
        }
        // What else it says differs by version, and does not matter.
        var fields = ReadingFields(members)
        let rssi = try fields.number("rssi", in: -200...200).rounded()
        let power = try fields.optionalNumber("rssi@1m", in: -200...200)?.rounded()
        guard let rssi = Int(exactly: rssi), BeaconSighting.isUsable(rssi: rssi) else { return nil }
        return .receiver(
            ReceiverSighting(
                receiver: String(node),
                rssi: rssi,
                powerAtOneMetre: power.flatMap { Int(exactly: $0) },
                time: time
            )
        )
    }
}
