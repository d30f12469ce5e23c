package import Controller
import Flare
package import JSON

/// This device as messages show it.
extension ControllerState {
    /// `B/device`, or `{"id":null}`.
    package var deviceJSON: JSONValue {
        guard let device else { return ["id": .null] }
        let moments = [changedAt[ObjectReference(.device, device.id)], fix?.at].compactMap { $0 }
        return .object(
            JSONObject(minimumCapacity: 10) {
                $0.add("accuracy_m", fix?.accuracyMetres?.rounded(to: 100))
                $0.add("angle", compassDegrees)
                $0.add("id", device.id)
                if let fix { $0.add("moving", fix.isMoving) }
                $0.add("name", device.name)
                if let position = device.position { $0.add("position", position.toMillimetres) }
                $0.add("quality", fix?.quality.rawValue)
                $0.add("source", fix?.source)
                if let moment = moments.max(by: Instant.isEarlier) { $0.add("ts", moment) }
                $0.add("zone", zoneID.flatMap { slugJSON(.zone, $0) } ?? .null)
            }
        )
    }

    /// `B/device/position`; `nil` before there is one.
    package var positionJSON: JSONValue? {
        guard let device, let members = device.position?.toMillimetres.json.object else { return nil }
        var all = members.merging(quality) { _, new in new }
        all["ts"] = (fix?.at ?? changedAt[ObjectReference(.device, device.id)]).map { .string($0.timestamp) }
        return .object(all)
    }

    /// `B/device/angle`: whole compass degrees, 0…359; `nil` before there is one.
    package var compassDegrees: Int? {
        angle?.compassDegrees
    }

    /// `B/device/location`; `nil` before the first GPS fix.
    package var locationJSON: JSONValue? {
        guard let location else { return nil }
        var members: JSONObject = [
            "latitude": .number(location.point.latitude.rounded(to: 1e7)),
            "longitude": .number(location.point.longitude.rounded(to: 1e7)),
        ]
        members["gps_accuracy"] = location.accuracyMetres.map { .number($0.rounded(to: 10)) }
        return .object(members)
    }

    /// `B/sensors/<sensor>`.
    package func sensorText(_ sensor: SensorKind) -> String {
        sensors[sensor] == true ? "ON" : "OFF"
    }

    private var quality: JSONObject {
        guard let fix else { return [:] }
        var members: JSONObject = [
            "quality": .string(fix.quality.rawValue), "source": .string(fix.source),
        ]
        members["accuracy_m"] = fix.accuracyMetres.map { .number($0.rounded(to: 100)) }
        switch fix.model {
        case .survey(let takenAt):
            members["map"] = "survey"
            members["survey_days"] = takenAt.map {
                // A clock that was set may put it anywhere.
                let age = fix.at.wallMilliseconds.subtractingReportingOverflow($0)
                return JSONValue(Int(clamping: age.overflow ? 0 : max(0, age.partialValue / Self.day)))
            }
        case .plain: members["map"] = "plain"
        case nil: break
        }
        return members
    }

    /// Milliseconds.
    private static let day: Int64 = 86_400_000
}

extension Instant {
    static func isEarlier(_ left: Instant, _ right: Instant) -> Bool {
        left.wallMilliseconds < right.wallMilliseconds
    }
}
