/// The known state of a retained discovery topic.
struct RetainedDevice: Sendable {
    /// A list of ``ComponentName/text``, separated by spaces.
    var components: String
    /// Hash of how its values are read, the same in every run; `nil` if it was not remembered.
    var meaning: UInt64?
    /// What was published; `nil` for the payload of an earlier run.
    var content: Content?

    indirect enum Content: Sendable {
        case thing(ThingDiscovery)
        case zone(ZoneDiscovery)
        /// A part of the daemon's own device, by a hash of its payload.
        case own(Int)
    }

    var thing: ThingDiscovery? { if case .thing(let thing)? = content { thing } else { nil } }
    var zone: ZoneDiscovery? { if case .zone(let thing)? = content { thing } else { nil } }

    /// The remembered form: the components, and the hash after a number sign.
    var text: String {
        meaning.map { "\(components)\(Self.separator)\(String($0, radix: 16))" } ?? components
    }

    private static let separator = " #"

    init(components: String, meaning: UInt64, content: Content) {
        self.components = components
        self.meaning = meaning
        self.content = content
    }

    init(text: String) {
        let range = text.firstRange(of: Self.separator)
        components = String(text[..<(range?.lowerBound ?? text.endIndex)])
        meaning = range.flatMap { UInt64(text[$0.upperBound...], radix: 16) }
    }
}
