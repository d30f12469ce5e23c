package import Flare
package import Positioning

/// One thing that a sensor said.
///
/// Times are seconds on the source's steady clock.
package enum SensorReading: Sendable, Hashable {
    case beacon(BeaconSighting)
    /// Something in the place heard the device.
    case receiver(ReceiverSighting)
    /// Compass degrees, 0 up to 360, clockwise from north.
    case heading(degrees: Double, north: North = .unspecified, time: Double)
    case location(GeoPoint, accuracyMetres: Double?, time: Double)
    /// How a beacon or a sensor fares.
    indirect case telemetry(BeaconTelemetry, of: TelemetrySender, time: Double)
    /// Nothing more was said up to this time; sent once a second, so that silence is heard too.
    case tick(time: Double)

    package var time: Double {
        switch self {
        case .beacon(let sighting): sighting.time
        case .receiver(let sighting): sighting.time
        case .heading(_, _, let time), .location(_, _, let time), .telemetry(_, _, let time), .tick(let time):
            time
        }
    }

    /// The same reading, `seconds` later.
    package func later(by seconds: Double) -> SensorReading {
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
        case .tick(let time): return .tick(time: time + seconds)
        }
    }
}

/// Something that tells readings: a replay now, a radio or a compass of this machine.
package struct SensorSource: Sendable {
    /// How messages call it.
    package let name: String
    /// Tells all readings in order, waiting for each to be taken, until the source ends or the task is
    /// cancelled, which is no error.
    package let run: @Sendable (_ take: @escaping Take) async throws(SensorError) -> Void

    /// Takes readings that came together; returns when they were looked at.
    package typealias Take = @Sendable ([SensorReading]) async -> Void

    package init(
        name: String,
        run: @escaping @Sendable (_ take: @escaping Take) async throws(SensorError) -> Void
    ) {
        self.name = name
        self.run = run
    }
}
