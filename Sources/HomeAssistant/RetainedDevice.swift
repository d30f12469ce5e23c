/// What the broker holds for a device, as far as we know.
struct RetainedDevice: Sendable {
    /// Each a ``ComponentName/text``, with spaces between.
    var components: String
    /// What its values are understood by, the same in every run; `nil` where that was not remembered.
    var meaning: UInt64?
    /// What was told; `nil` for what an earlier run has left.
    var told: Told?

    indirect enum Told: Sendable {
        case thing(ThingDiscovery)
        case zone(ZoneDiscovery)
        /// A part of the daemon's own device, by a hash of what was told.
        case own(Int)
    }

    var card: ThingDiscovery? { if case .thing(let card)? = told { card } else { nil } }
    var zone: ZoneDiscovery? { if case .zone(let card)? = told { card } else { nil } }

    /// As it is remembered: the components, and the meaning behind a number sign.
    var text: String { meaning.map { "\(components)\(Self.mark)\(String($0, radix: 16))" } ?? components }

    private static let mark = " #"

    init(components: String, meaning: UInt64, told: Told) {
        self.components = components
        self.meaning = meaning
        self.told = told
    }

    init(text: String) {
        let range = text.firstRange(of: Self.mark)
        components = String(text[..<(range?.lowerBound ?? text.endIndex)])
        meaning = range.flatMap { UInt64(text[$0.upperBound...], radix: 16) }
    }
}

/// A number for some texts that is the same in every run, unlike that of Swift's own hasher.
/// - Source: FNV-1a, 64 bits.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Where one text ends counts.
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }
}
