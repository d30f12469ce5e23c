package import Positioning

/// Converts received packets to readings: sightings of beacons, and their telemetry.
///
/// Telemetry frames rarely identify their beacon, but the next frame from the same address does. Addresses
/// may be temporary, so telemetry is not kept for long.
package struct BeaconReceiver: Sendable {
    /// Advertising packets, from beacons or other devices.
    package private(set) var packets = 0
    package var damagedReports: Int { parser.damagedReports + damagedPackets }

    private var parser = AdvertisingReportParser()
    private var damagedPackets = 0
    private var ephemerals: EphemeralBeacons?
    private let feed: PacketFeed?
    private var waiting: [DeviceAddress: Waiting] = [:]

    private struct Waiting {
        enum Frame {
            case plain(BeaconTelemetry)
            case encrypted(EncryptedTelemetry)
        }

        let frame: Frame
        let time: Double
    }

    private static let mostWaiting = 256
    private static let longestWait = 10.0

    /// - Parameters:
    ///   - ephemerals: Beacons with rotating identifiers.
    ///   - feed: Is sent every packet, also of what is no beacon.
    package init(ephemerals: EphemeralBeacons? = nil, feed: PacketFeed? = nil) {
        self.ephemerals = ephemerals
        self.feed = feed
    }

    /// When something was received.
    package struct Instant: Sendable, Hashable {
        /// Seconds on the source's steady clock.
        package var time: Double
        /// Seconds since 1970 on the system clock.
        package var wall: Double

        package init(time: Double, wall: Double) {
            self.time = time
            self.wall = wall
        }
    }

    /// Processes an HCI event, from its event code on, and appends its readings.
    package mutating func receive(
        event: Span<UInt8>,
        at now: Instant,
        into readings: inout [SensorReading]
    ) {
        // Moved out of self, because both are mutated in turn.
        var parser = parser
        self.parser = AdvertisingReportParser()
        parser.forEachAdvertisement(in: event) { sender, rssi, payload in
            receive(payload, from: sender, rssi: rssi, at: now, into: &readings)
        }
        self.parser = parser
    }

    /// Processes a packet recorded by a sniffer, and appends its readings.
    mutating func receive(
        sniffed packet: SniffedPacket,
        at now: Instant,
        into readings: inout [SensorReading]
    ) {
        let isWhole = packet.withAdvertisement { sender, payload in
            receive(payload, from: sender, rssi: packet.rssi, at: now, into: &readings)
        }
        if !isWhole { damagedPackets += 1 }
    }

    private mutating func receive(
        _ payload: Span<UInt8>,
        from sender: DeviceAddress,
        rssi: Int,
        at now: Instant,
        into readings: inout [SensorReading]
    ) {
        packets += 1
        feed?.send(payload, from: sender, rssi: rssi)
        guard BeaconSighting.isUsable(rssi: rssi) else { return }
        BeaconFrame.forEachFrame(in: payload) { frame in
            var identity: BeaconIdentity?
            var match: EphemeralBeacons.Match?
            switch frame {
            case .beacon(let own, _): identity = own
            case .ephemeral(let id, _):
                match = ephemerals?.resolve(id, at: now.wall)
                identity = match?.beacon.identity
            case .telemetry(let telemetry) where telemetry.format == .ruuvi:
                readings.append(.telemetry(telemetry, of: .device(sender), time: now.time))
            case .telemetry(let telemetry): hold(.plain(telemetry), from: sender, at: now)
            case .encryptedTelemetry(let telemetry): hold(.encrypted(telemetry), from: sender, at: now)
            }
            guard let identity else { return }
            let sighting = BeaconSighting(
                identity: identity,
                rssi: rssi,
                powerAtOneMetre: frame.powerAtOneMetre,
                time: now.time
            )
            readings.append(.beacon(sighting))
            guard !waiting.isEmpty, let telemetry = removeTelemetry(from: sender, match, at: now) else {
                return
            }
            readings.append(.telemetry(telemetry, of: .beacon(identity), time: now.time))
        }
    }

    private mutating func hold(_ frame: Waiting.Frame, from sender: DeviceAddress, at now: Instant) {
        if waiting.count >= Self.mostWaiting {
            waiting = waiting.filter { (0...Self.longestWait).contains(now.time - $0.value.time) }
            if waiting.count >= Self.mostWaiting { waiting = [:] }
        }
        waiting[sender] = Waiting(frame: frame, time: now.time)
    }

    private mutating func removeTelemetry(
        from sender: DeviceAddress,
        _ match: EphemeralBeacons.Match?,
        at now: Instant
    ) -> BeaconTelemetry? {
        guard let waiting = waiting.removeValue(forKey: sender),
            (0...Self.longestWait).contains(now.time - waiting.time)
        else { return nil }
        switch waiting.frame {
        case .plain(let telemetry): return telemetry
        case .encrypted(let telemetry):
            return match.flatMap { ephemerals?.decrypt(telemetry, from: $0) }
        }
    }
}
