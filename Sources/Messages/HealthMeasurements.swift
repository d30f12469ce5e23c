package import Controller
import JSON
import Things

/// What is measured when the health of a node is asked for, beside its counters.
package struct HealthMeasurements: Sendable, Hashable {
    /// Seconds since a sensor's last packet, by the sensor's name; a sensor that sent none is missing.
    package var lastPacketSeconds: [String: Int] = [:]
    /// How commands fared since the start.
    package var commands = CommandFigures()
    /// Sizes of databases with what is not yet written into them, by name.
    package var databaseBytes: [String: Int] = [:]
    /// The memory of the process, by kind: `resident` and `anonymous`.
    package var memoryBytes: [String: Int] = [:]
    /// When the last backup was finished, seconds since 1970; `nil` if there was none, or none is made.
    package var lastBackup: Int?

    package init() {}

    /// The members of the health message: only what there is.
    var members: JSONObject {
        func object(_ values: [String: Int]) -> JSONValue {
            .object(JSONObject(values.mapValues { JSONValue($0) }))
        }
        var members: JSONObject = [:]
        if !lastPacketSeconds.isEmpty { members["last_packet_s"] = object(lastPacketSeconds) }
        if commands.accepted > 0 || !commands.refused.isEmpty {
            var answers = Dictionary(commands.refused.map { ($0.key.rawValue, $0.value) }) { $1 }
            answers["ok"] = commands.accepted
            members["answers"] = object(answers)
        }
        if !databaseBytes.isEmpty { members["database_bytes"] = object(databaseBytes) }
        if !memoryBytes.isEmpty { members["memory_bytes"] = object(memoryBytes) }
        if let lastBackup { members["last_backup"] = JSONValue(lastBackup) }
        return members
    }

    /// The age of each sensor's last packet.
    package static func lastPackets(_ state: ControllerState, at now: Instant) -> [String: Int] {
        let times: [String: Instant?] = [
            "beacons": state.beacons.values.map(\.seenAt).max { Instant.isEarlier($0, $1) },
            "compass": state.headingAt, "gps": state.locatedAt,
        ]
        return times.compactMapValues { $0.map { Int(now.milliseconds(since: $0) / 1000) } }
    }
}
