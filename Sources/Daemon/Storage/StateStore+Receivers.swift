import Logging
import Sensing

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

extension ReceiverOffsets {
    /// Offsets that the store keeps.
    ///
    /// - Parameters:
    ///   - sources: The names of the sources, in the order of their numbers.
    ///   - adapter: The address of the Bluetooth adapter that listens.
    init(
        sources: [String],
        adapter: @escaping @Sendable () -> String?,
        memory: StateStore,
        logger: Logger
    ) {
        self.init(sources: sources, adapter: adapter) { name in
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
        }
    }
}
