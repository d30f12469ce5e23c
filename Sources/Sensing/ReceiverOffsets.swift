import Positioning
import Sensors

/// The constant errors of antennas, which are stored from run to run.
///
/// An error is a property of the antenna: that of an adapter also holds in another place.
package struct ReceiverOffsets: Sendable {
    private let sources: [String]
    private let adapter: @Sendable () -> String?
    /// How much stronger than its true level everything is measured, dB; `nil` if unknown.
    let offset: @Sendable (String) -> Double?
    let store: @Sendable (String, Double) -> Void

    /// - Parameters:
    ///   - sources: The names of the sources, by number.
    ///   - adapter: The address of the Bluetooth adapter that scans.
    package init(
        sources: [String],
        adapter: @escaping @Sendable () -> String?,
        offset: @escaping @Sendable (String) -> Double?,
        store: @escaping @Sendable (String, Double) -> Void
    ) {
        self.sources = sources
        self.adapter = adapter
        self.offset = offset
        self.store = store
    }

    /// What the levels of a source have in common; `nil` for a recording, whose positions must not depend on earlier runs.
    ///
    /// - Parameter measured: Whether the device hears, or is heard.
    func name(_ source: Int, _ measured: MeasurementSource) -> String? {
        guard isOfThisMachine(source) else { return nil }
        return measured == .receivers ? Self.receivers : receiver(source)
    }

    /// The device's power, which is the same for all receivers.
    private static let receivers = "receivers"

    private func receiver(_ source: Int) -> String? {
        sources[source] == RawReadings.name ? RawReadings.name : adapter()
    }

    /// What belongs to one device and has one clock: this machine's sources together, and each recording alone.
    func stream(_ source: Int) -> Stream { isOfThisMachine(source) ? .thisMachine : .recording(source) }

    enum Stream: Hashable, Comparable {
        case thisMachine
        case recording(Int)
    }

    /// The name under which a source makes a survey: its receiver, or the recording; `nil` while none is known.
    func surveyor(_ source: Int) -> String? {
        if isOfThisMachine(source) { return receiver(source) }
        return sources.indices.contains(source) ? sources[source] : nil
    }

    /// Whether a source is this machine's Bluetooth adapter.
    func isAdapter(_ source: Int) -> Bool { isNamed(source, BeaconScanner.name) }

    /// Whether a source is this machine's accelerometer.
    func isAccelerometer(_ source: Int) -> Bool { isNamed(source, IIOAccelerometer.name) }

    private func isNamed(_ source: Int, _ name: String) -> Bool {
        sources.indices.contains(source) && sources[source] == name
    }

    /// Whether the times of a source are on the steady clock of this machine.
    func isOfThisMachine(_ source: Int) -> Bool {
        sources.indices.contains(source)
            && [RawReadings.name, BeaconScanner.name].contains(sources[source])
    }
}
