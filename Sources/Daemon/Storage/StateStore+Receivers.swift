import Logging
import Sensing

extension StateStore {
    private static func receiverKey(_ name: String) -> String { "receiver.offset.\(name)" }

    /// How much stronger than its true level a receiver measures everything, dB; `nil` if unknown.
    package func receiverOffset(of name: String) throws(StateStoreError) -> Double? {
        try read { try Self.setting(Self.receiverKey(name), $0) }.flatMap { Double($0) }
    }

    package func save(receiverOffset decibels: Double, of name: String) throws(StateStoreError) {
        try write { try Self.set(Self.receiverKey(name), "\((decibels * 100).rounded() / 100)", $0) }
    }
}

extension ReceiverOffsets {
    /// Offsets in the store.
    ///
    /// - Parameters:
    ///   - sources: The names of the sources, by number.
    ///   - adapter: The address of the Bluetooth adapter that scans.
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
        } store: { name, decibels in
            do throws(StateStoreError) {
                try memory.save(receiverOffset: decibels, of: name)
                let text = "\((decibels * 10).rounded() / 10)"
                logger.info("beacons: receiver", metadata: ["receiver": "\(name)", "offset_db": "\(text)"])
            } catch {
                logger.warning("beacons: \(error)")
            }
        }
    }
}
