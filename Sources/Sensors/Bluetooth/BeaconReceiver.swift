package import Positioning

/// Makes readings of what a radio hears: sightings of beacons, and what they tell of themselves.
///
/// Telemetry seldom says which beacon it is of; the next frame from its address does. That address may be a
/// passing one, so it is not waited for long.
package struct BeaconReceiver: Sendable {
    /// Advertising packets, of beacons or not.
    package private(set) var packets = 0
    package var damagedReports: Int { parser.damagedReports + damagedPackets }

    private var parser = AdvertisingReportParser()
    private var damagedPackets = 0
    private var ephemerals: EphemeralBeacons?
    private var waiting: [DeviceAddress: Waiting] = [:]

    private struct Waiting {
        enum Frame {
            case open(BeaconTelemetry)
            case encrypted(EncryptedTelemetry)
        }

        let frame: Frame
        let time: Double
    }

    private static let mostWaiting = 256
    private static let longestWait = 10.0

    /// - Parameter ephemerals: The beacons that change their identifiers.
    package init(ephemerals: EphemeralBeacons? = nil) {
        self.ephemerals = ephemerals
    }

    /// When something was heard.
    package struct Instant: Sendable, Hashable {
        /// Seconds on the source's steady clock.
        package var time: Double
        /// Seconds since 1970, as the clock of the machine showed.
        package var wall: Double

        package init(time: Double, wall: Double) {
            self.time = time
            self.wall = wall
        }
    }

    /// Hears an event of a controller, from its event code on; readings are appended.
    package mutating func hear(
        event: Span<UInt8>,
        at now: Instant,
        into readings: inout [SensorReading]
    ) {
        // The parser and the rest of this value are changed by turns.
        var parser = parser
        self.parser = AdvertisingReportParser()
        parser.forEachAdvertisement(in: event) { sender, rssi, payload in
            hear(payload, from: sender, rssi: rssi, at: now, into: &readings)
        }
        self.parser = parser
    }

    /// Hears a packet that a sniffer wrote down; readings are appended.
    mutating func hear(sniffed packet: SniffedPacket, at now: Instant, into readings: inout [SensorReading]) {
        let isWhole = packet.withAdvertisement { sender, payload in
            hear(payload, from: sender, rssi: packet.rssi, at: now, into: &readings)
        }
        if !isWhole { damagedPackets += 1 }
    }

    private mutating func hear(
        _ payload: Span<UInt8>,
        from sender: DeviceAddress,
        rssi: Int,
        at now: Instant,
        into readings: inout [SensorReading]
    ) {
        packets += 1
        guard BeaconSighting.isUsable(rssi: rssi) else { return }
        BeaconFrame.forEachFrame(in: payload) { frame in
            var identity: BeaconIdentity?
            var match: EphemeralBeacons.Match?
            switch frame {
            case .iBeacon, .altBeacon, .eddystoneUID: identity = frame.identity
            case .eddystoneEID(let frame):
                match = ephemerals?.resolve(frame.id, at: now.wall)
                identity = match?.beacon.identity
            case .eddystoneURL: break
            case .telemetry(let telemetry) where telemetry.format == .ruuvi:
                readings.append(.telemetry(telemetry, of: .device(sender), time: now.time))
            case .telemetry(let telemetry): wait(with: .open(telemetry), of: sender, at: now)
            case .encryptedTelemetry(let telemetry): wait(with: .encrypted(telemetry), of: sender, at: now)
            }
            guard let identity else { return }
            let sighting = BeaconSighting(
                identity: identity,
                rssi: rssi,
                powerAtOneMetre: frame.powerAtOneMetre,
                time: now.time
            )
            readings.append(.beacon(sighting))
            guard !waiting.isEmpty, let telemetry = takeTelemetry(of: sender, match, at: now) else { return }
            readings.append(.telemetry(telemetry, of: .beacon(identity), time: now.time))
        }
    }

    private mutating func wait(with frame: Waiting.Frame, of sender: DeviceAddress, at now: Instant) {
        if waiting.count >= Self.mostWaiting {
            waiting = waiting.filter { (0...Self.longestWait).contains(now.time - $0.value.time) }
            if waiting.count >= Self.mostWaiting { waiting = [:] }
        }
        waiting[sender] = Waiting(frame: frame, time: now.time)
    }

    private mutating func takeTelemetry(
        of sender: DeviceAddress,
        _ match: EphemeralBeacons.Match?,
        at now: Instant
    ) -> BeaconTelemetry? {
        guard let waiting = waiting.removeValue(forKey: sender),
            (0...Self.longestWait).contains(now.time - waiting.time)
        else { return nil }
        switch waiting.frame {
        case .open(let telemetry): return telemetry
        case .encrypted(let telemetry):
            return match.flatMap { ephemerals?.decrypt(telemetry, from: $0) }
        }
    }
}
