/// Telemetry of a beacon or of a sensor beside it; values that it does not send are `nil`.
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
    /// Along three axes, thousandths of standard gravity.
    package var acceleration: SIMD3<Int>?
    /// Movements counted; wraps after 254.
    package var movements: Int?
    /// Packets sent since start; with ``Format/ruuvi`` a sequence number that wraps after 65534.
    package var packets: Int?
    /// Since start.
    package var uptimeSeconds: Double?

    package init(format: Format) { self.format = format }

    /// Decodes the twelve bytes of an Eddystone-TLM frame.
    init(eddystone data: Span<UInt8>) {
        self.init(format: .eddystone)
        let (millivolts, temperature) = (data.bigEndian16(at: 0), data.bigEndian16(at: 2))
        // 0 means that there is no battery.
        if millivolts > 0 { batteryVolts = Double(millivolts) / 1000 }
        if temperature != 0x8000 { celsius = Double(Int16(bitPattern: temperature)) / 256 }
        packets = Int(data.bigEndian32(at: 4))
        uptimeSeconds = Double(data.bigEndian32(at: 8)) / 10
    }

    /// Decodes a Ruuvi packet of data format 5, from the byte after the company identifier.
    ///
    /// Its transmit power is measured at the antenna and says little about one metre away; it is not used.
    /// - Source: contrib/contract/positioning.md, "1.5 Ruuvi telemetry"; Ruuvi data format 5, in which the
    ///   highest or lowest number means "not known".
    init?(ruuvi data: Span<UInt8>) {
        guard data.count >= 24, data[0] == 5 else { return nil }
        self.init(format: .ruuvi)
        let temperature = data.bigEndian16(at: 1)
        if temperature != 0x8000 { celsius = Double(Int16(bitPattern: temperature)) * 0.005 }
        let (humidity, pressure) = (data.bigEndian16(at: 3), data.bigEndian16(at: 5))
        if humidity != 0xFFFF { self.humidity = Double(humidity) * 0.0025 }
        if pressure != 0xFFFF { pascals = Double(pressure) + 50_000 }
        let (x, y, z) = (data.bigEndian16(at: 7), data.bigEndian16(at: 9), data.bigEndian16(at: 11))
        if x != 0x8000, y != 0x8000, z != 0x8000 {
            acceleration = SIMD3(
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
