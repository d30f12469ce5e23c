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
        case rule(RuleDiscovery)
        /// A part of the daemon's own device, by a hash of its payload.
        case own(Int)
    }

    var thing: ThingDiscovery? { if case .thing(let thing)? = content { thing } else { nil } }
    var rule: RuleDiscovery? { if case .rule(let rule)? = content { rule } else { nil } }
    var zone: ZoneDiscovery? { if case .zone(let thing)? = content { thing } else { nil } }

    /// The remembered form: the components, and the hash after a number sign.
    var text: String { meaning.map { "\(components) #\(String($0, radix: 16))" } ?? components }

    /// What is remembered beside the components of a further node: with what its ids begin.
    static func mark(_ installation: String) -> String { "@\(installation)" }

    /// With what the ids of a further node begin; `nil` for those of the first one.
    static func installation(_ text: String) -> String? {
        text.split(separator: " ").last { $0.first == "@" }.map { String($0.dropFirst()) }
    }

    /// Reads what was remembered of a topic: ``text``, and ``FormerComponents/text(of:)``.
    ///
    /// - Returns: `nil` instead of a device that is not announced any more.
    static func read(_ text: String) -> (device: RetainedDevice?, former: FormerComponents.Components) {
        var names: [Substring] = []
        var meaning: UInt64?
        var former: FormerComponents.Components = [:]
        var mark: Character?
        for var word in text.split(separator: " ") {
            if word.first == "@" { continue }
            if word.first == "#" {
                meaning = UInt64(word.dropFirst(), radix: 16)
                continue
            }
            if let first = word.first, first == "!" || first == "~" {
                (mark, word) = (first, word.dropFirst())
            }
            guard let mark else {
                names.append(word)
                continue
            }
            if let name = ComponentName(text: word) { former[name] = mark == "~" }
        }
        guard !names.isEmpty else { return (nil, former) }
        return (RetainedDevice(components: names.joined(separator: " "), meaning: meaning), former)
    }
}
