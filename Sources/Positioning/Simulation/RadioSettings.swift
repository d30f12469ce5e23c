/// The radio propagation parameters of the simulated place.
/// - Source: contrib/contract/positioning.md, "5.2 The simulator".
package struct RadioSettings: Sendable, Hashable {
    package var pathLossExponent = 2.2
    package var wallLossDecibels = 4.0
    package var mostWalls = 4
    /// Standard deviation of the shadowing, dB, and its correlation length, metres.
    package var shadowingDecibels = 4.0
    package var shadowingMetres = 2.0
    /// Power of the direct wave divided by that of all reflected ones.
    package var ricianFactor = 4.0
    /// Loss when the walker is between beacon and device; half of it from the side.
    package var bodyLossDecibels = 5.0
    /// Standard deviation of the receiver's constant error and of each beacon's, dB.
    package var receiverOffsetDecibels = 4.0
    package var beaconOffsetDecibels = 2.0
    /// Fraction of the packets that are not received.
    package var packetLoss = 0.35
    package var intervalSeconds = 0.35
    /// Largest random delay of a packet; the Bluetooth specification wants 10 ms.
    package var jitterSeconds = 0.01
    /// Weaker packets are not received, dBm.
    package var sensitivity = -94.0

    package init() {}
}
