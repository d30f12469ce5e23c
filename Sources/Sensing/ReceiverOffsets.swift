import Sensors

/// The constant errors of receivers, which are stored from run to run.
///
/// An error is a property of the receiver: that of an adapter also holds in another place.
package struct ReceiverOffsets: Sendable {
    private let sources: [String]
    private let adapter: @Sendable () -> String?
    /// How much stronger than its true level the receiver measures everything, dB; `nil` if unknown.
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

    /// The receiver of a source; `nil` for a recording, whose positions must not depend on earlier runs.
    func name(_ source: Int) -> String? {
        guard isOfThisMachine(source) else { return nil }
        return sources[source] == RawReadings.name ? RawReadings.name : adapter()
    }

    /// The name under which a source makes a survey: its receiver, or the recording; `nil` while none is known.
    func surveyor(_ source: Int) -> String? {
        if let name = name(source) { return name }
        return sources.indices.contains(source) && !isOfThisMachine(source) ? sources[source] : nil
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
