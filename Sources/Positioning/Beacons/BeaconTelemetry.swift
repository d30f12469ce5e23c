/// How a beacon or a sensor beside it fares; what it does not tell is `nil`.
package struct BeaconTelemetry: Sendable, Hashable {
    package enum Format: String, Sendable, Hashable, CaseIterable {
        case eddystone, ruuvi
    }

    package var format: Format
    package var batteryVolts: Double?
    package var celsius: Double?
    /// Relative, percent.
    package var humidity: Double?
    /// Of the air, pascals.
    package var pascals: Double?
    /// Thousandths of the earth's pull.
    package var acceleration: Acceleration?
    /// How often it was moved; begins again after 254.
    package var movements: Int?
    /// Packets sent since it was started; with ``Format/ruuvi`` a number that begins again after 65534.
    package var packets: Int?
    /// Since it was started.
    package var uptimeSeconds: Double?

    package struct Acceleration: Sendable, Hashable {
        package var x: Int
        package var y: Int
        package var z: Int

        package init(x: Int, y: Int, z: Int) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    package init(format: Format) { self.format = format }

    /// From the twelve bytes of an Eddystone-TLM frame.
    init(eddystone data: Span<UInt8>) {
        self.init(format: .eddystone)
        let (millivolts, warmth) = (data.bigEndian16(at: 0), data.bigEndian16(at: 2))
        // What has no battery says 0.
        if millivolts > 0 { batteryVolts = Double(millivolts) / 1000 }
        if warmth != 0x8000 { celsius = Double(Int16(bitPattern: warmth)) / 256 }
        packets = Int(data.bigEndian32(at: 4))
        uptimeSeconds = Double(data.bigEndian32(at: 8)) / 10
    }

    /// From what follows the company in a Ruuvi packet of data format 5.
    ///
    /// Its transmitting power is that at the antenna, which says little about one metre away.
    /// - Source: positioning 1.5; Ruuvi data format 5, in which the highest or lowest number means "not known".
    init?(ruuvi data: Span<UInt8>) {
        guard data.count >= 24, data[0] == 5 else { return nil }
        self.init(format: .ruuvi)
        let warmth = data.bigEndian16(at: 1)
        if warmth != 0x8000 { celsius = Double(Int16(bitPattern: warmth)) * 0.005 }
        let (wetness, pressure) = (data.bigEndian16(at: 3), data.bigEndian16(at: 5))
        if wetness != 0xFFFF { humidity = Double(wetness) * 0.0025 }
        if pressure != 0xFFFF { pascals = Double(pressure) + 50_000 }
        let (x, y, z) = (data.bigEndian16(at: 7), data.bigEndian16(at: 9), data.bigEndian16(at: 11))
        if x != 0x8000, y != 0x8000, z != 0x8000 {
            acceleration = Acceleration(
                x: Int(Int16(bitPattern: x)),
                y: Int(Int16(bitPattern: y)),
                z: Int(Int16(bitPattern: z))
            )
        }
        let millivolts = data.bigEndian16(at: 13) >> 5
        if millivolts != 2047 { batteryVolts = Double(millivolts + 1600) / 1000 }
        if data[15] != 0xFF { movements = Int(data[15]) }
        let sequence = data.bigEndian16(at: 16)
        if sequence != 0xFFFF { packets = Int(sequence) }
    }
}
