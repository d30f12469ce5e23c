package import Flare
package import Positioning

/// One reading of a sensor.
///
/// Times are seconds on the source's steady clock.
package enum SensorReading: Sendable, Hashable {
    case beacon(BeaconSighting)
    /// A receiver of the place detected the device.
    case receiver(ReceiverSighting)
    /// Compass degrees, 0 up to 360, clockwise from north.
    case heading(degrees: Double, north: North = .unspecified, time: Double)
    case location(GeoPoint, accuracyMetres: Double?, time: Double)
    /// Telemetry of a beacon or a sensor.
    indirect case telemetry(BeaconTelemetry, of: TelemetrySender, time: Double)
    /// Whether the device moves, as an accelerometer or a phone says.
    case moving(Bool, time: Double)
    /// There were no other readings up to this time; sent once a second, so that silence can be detected.
    case tick(time: Double)

    package var time: Double {
        switch self {
        case .beacon(let sighting): sighting.time
        case .receiver(let sighting): sighting.time
        case .heading(_, _, let time), .location(_, _, let time), .telemetry(_, _, let time),
            .moving(_, let time), .tick(let time):
            time
        }
    }

    /// The same reading, `seconds` later.
    package func delayed(by seconds: Double) -> SensorReading {
        switch self {
        case .beacon(var sighting):
            sighting.time += seconds
            return .beacon(sighting)
        case .receiver(var sighting):
            sighting.time += seconds
            return .receiver(sighting)
        case .heading(let degrees, let north, let time):
            return .heading(degrees: degrees, north: north, time: time + seconds)
        case .location(let place, let accuracy, let time):
            return .location(place, accuracyMetres: accuracy, time: time + seconds)
        case .telemetry(let telemetry, let sender, let time):
            return .telemetry(telemetry, of: sender, time: time + seconds)
        case .moving(let isMoving, let time): return .moving(isMoving, time: time + seconds)
        case .tick(let time): return .tick(time: time + seconds)
        }
    }
}

/// A source of readings: a replay, a radio or a compass.
package struct SensorSource: Sendable {
    /// The name in messages.
    package let name: String
    /// Delivers all readings in order, waiting for the handler each time, until the source ends or the task
    /// is cancelled, which is no error.
    package let run: @Sendable (_ handler: @escaping Handler) async throws(SensorError) -> Void

    /// Handles readings that arrived together; returns when they are processed.
    package typealias Handler = @Sendable ([SensorReading]) async -> Void

    package init(
        name: String,
        run: @escaping @Sendable (_ handler: @escaping Handler) async throws(SensorError) -> Void
    ) {
        self.name = name
        self.run = run
    }
}
