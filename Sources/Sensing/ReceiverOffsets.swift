import Sensors

/// The constant errors of receivers, which are stored from run to run.
///
/// An error is a property of the receiver: that of an adapter also holds in another place.
package struct ReceiverOffsets: Sendable {
    /// The receiver of a source; `nil` for a recording, whose positions must not depend on earlier runs.
    package let name: @Sendable (Int) -> String?
    /// How much stronger than its true level the receiver measures everything, dB; `nil` if unknown.
    package let offset: @Sendable (String) -> Double?
    package let store: @Sendable (String, Double) -> Void
    /// Whether the times of a source are on the steady clock of this machine.
    package let isOfThisMachine: @Sendable (Int) -> Bool

    package init(
        name: @escaping @Sendable (Int) -> String?,
        offset: @escaping @Sendable (String) -> Double?,
        store: @escaping @Sendable (String, Double) -> Void,
        isOfThisMachine: @escaping @Sendable (Int) -> Bool
    ) {
        self.name = name
        self.offset = offset
        self.store = store
        self.isOfThisMachine = isOfThisMachine
    }
}

extension ReceiverOffsets {
    /// - Parameters:
    ///   - sources: The names of the sources, by number.
    ///   - adapter: The address of the Bluetooth adapter that scans.
    package init(
        sources: [String],
        adapter: @escaping @Sendable () -> String?,
        offset: @escaping @Sendable (String) -> Double?,
        store: @escaping @Sendable (String, Double) -> Void
    ) {
        self.init(
            name: { source in
                guard sources.indices.contains(source) else { return nil }
                return switch sources[source] {
                case RawReadings.name: RawReadings.name
                case BeaconScanner.name: adapter()
                default: nil
                }
            },
            offset: offset,
            store: store,
            isOfThisMachine: { source in
                sources.indices.contains(source)
                    && [RawReadings.name, BeaconScanner.name].contains(sources[source])
            }
        )
    }
}
