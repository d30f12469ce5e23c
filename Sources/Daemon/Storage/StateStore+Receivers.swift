import Logging
import Sensing

extension StateStore {
    /// What is learnt of an antenna.
    package enum AntennaLevel: String, Sendable {
        /// How much stronger than its true level everything is measured, dB.
        case offset
        /// How much stronger than other receivers one measures a device, dB.
        case error
    }

    private static func key(_ level: AntennaLevel, _ name: String) -> String {
        "receiver.\(level.rawValue).\(name)"
    }

    /// - Returns: dB; `nil` if unknown.
    package func antennaLevel(_ level: AntennaLevel, of name: String) throws(StateStoreError) -> Double? {
        try read { try Self.setting(Self.key(level, name), $0) }.flatMap { Double($0) }
    }

    package func save(_ level: AntennaLevel, _ decibels: Double, of name: String) throws(StateStoreError) {
        try write { try Self.set(Self.key(level, name), "\((decibels * 100).rounded() / 100)", $0) }
    }

    fileprivate func load(_ level: AntennaLevel, _ name: String, _ logger: Logger) -> Double? {
        do throws(StateStoreError) {
            return try antennaLevel(level, of: name)
        } catch {
            logger.warning("beacons: \(error)")
            return nil
        }
    }

    fileprivate func store(_ level: AntennaLevel, _ name: String, _ decibels: Double, _ logger: Logger) {
        do throws(StateStoreError) {
            try save(level, decibels, of: name)
            let text = "\((decibels * 10).rounded() / 10)"
            logger.info(
                "beacons: receiver",
                metadata: ["receiver": "\(name)", "\(level.rawValue)_db": "\(text)"]
            )
        } catch {
            logger.warning("beacons: \(error)")
        }
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
            memory.load(.offset, name, logger)
        } store: { name, decibels in
            memory.store(.offset, name, decibels, logger)
        }
    }
}

extension LearntReceiverErrors {
    /// Errors in the store.
    convenience init(memory: StateStore, logger: Logger) {
        self.init {
            memory.load(.error, $0, logger)
        } store: {
            memory.store(.error, $0, $1, logger)
        }
    }
}
