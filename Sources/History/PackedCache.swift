/// The packed samples that were read last, as many as there is room for: they may be needed again soon.
struct PackedCache {
    private(set) var samples: [Int64: PackedSamples] = [:]
    /// The one that came first is the first to go.
    private var keys: [Int64] = []
    private var bytes = 0
    private let room: Int

    /// - Parameter room: Bytes of unpacked samples; the last ones are kept even if they have more.
    init(room: Int = 32 << 20) { self.room = room }

    mutating func insert(_ packed: PackedSamples, for key: Int64) {
        guard samples.updateValue(packed, forKey: key) == nil else { return }
        keys.append(key)
        bytes += packed.bytes
        while bytes > room, keys.count > 1 {
            guard let gone = samples.removeValue(forKey: keys.removeFirst()) else { continue }
            bytes -= gone.bytes
        }
    }
}
