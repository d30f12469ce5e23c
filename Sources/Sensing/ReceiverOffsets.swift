import Sensors

/// By how much each receiver hears everything stronger than it is, from run to run.
///
/// A receiver's error is its own: that of an adapter is known again in another place.
package struct ReceiverOffsets: Sendable {
    /// The receiver of a source; `nil` for a recording, whose positions must not depend on what was before.
    package let name: @Sendable (Int) -> String?
    /// dB; `nil` when it is not known.
    package let offset: @Sendable (String) -> Double?
    package let keep: @Sendable (String, Double) -> Void
    /// Whether a source has the steady clock of this machine.
    package let isOfThisMachine: @Sendable (Int) -> Bool

    package init(
        name: @escaping @Sendable (Int) -> String?,
        offset: @escaping @Sendable (String) -> Double?,
        keep: @escaping @Sendable (String, Double) -> Void,
        isOfThisMachine: @escaping @Sendable (Int) -> Bool
    ) {
        self.name = name
        self.offset = offset
        self.keep = keep
        self.isOfThisMachine = isOfThisMachine
    }
}

extension ReceiverOffsets {
    /// - Parameters:
    ///   - sources: The names of the sources, in the order of their numbers.
    ///   - adapter: The address of the Bluetooth adapter that listens.
    package init(
        sources: [String],
        adapter: @escaping @Sendable () -> String?,
        offset: @escaping @Sendable (String) -> Double?,
        keep: @escaping @Sendable (String, Double) -> Void
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
            keep: keep,
            isOfThisMachine: { source in
                sources.indices.contains(source)
                    && [RawReadings.name, BeaconScanner.name].contains(sources[source])
            }
        )
    }
}
