import Logging
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
    init(
        sources: [String],
        adapter: @escaping @Sendable () -> String?,
        memory: StateStore,
        logger: Logger
    ) {
        self.init { source in
            guard sources.indices.contains(source) else { return nil }
            return switch sources[source] {
            case RawReadings.name: RawReadings.name
            case BeaconScanner.name: adapter()
            default: nil
            }
        } offset: { name in
            do throws(StateStoreError) {
                return try memory.receiverOffset(of: name)
            } catch {
                logger.warning("beacons: \(error)")
                return nil
            }
        } keep: { name, decibels in
            do throws(StateStoreError) {
                try memory.keep(receiverOffset: decibels, of: name)
                let text = "\((decibels * 10).rounded() / 10)"
                logger.info("beacons: receiver", metadata: ["receiver": "\(name)", "offset_db": "\(text)"])
            } catch {
                logger.warning("beacons: \(error)")
            }
        } isOfThisMachine: { source in
            sources.indices.contains(source)
                && [RawReadings.name, BeaconScanner.name].contains(sources[source])
        }
    }
}

extension StateStore {
    private static func receiverKey(_ name: String) -> String { "receiver.offset.\(name)" }

    /// By how much a receiver hears everything stronger than it is, dB; `nil` when that is not known.
    package func receiverOffset(of name: String) throws(StateStoreError) -> Double? {
        try read { try Self.setting(Self.receiverKey(name), $0) }.flatMap { Double($0) }
    }

    package func keep(receiverOffset decibels: Double, of name: String) throws(StateStoreError) {
        try write { try Self.set(Self.receiverKey(name), "\((decibels * 100).rounded() / 100)", $0) }
    }
}
