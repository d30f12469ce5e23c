package import JSON
import Text
import Things

/// Changes the lifecycle.
package enum SetLifecycle: SliceCommand {
    /// What of the lifecycle can be set, as it is called in topics.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case level, audio, context, language
    }

    /// Forces a level; `nil` lets the inputs decide again.
    case level(LifecycleLevel?)
    case audio(LifecycleAudio)
    case context(LifecycleContext)
    /// A language tag, as received.
    case language(String)

    var name: Name {
        switch self {
        case .level: .level
        case .audio: .audio
        case .context: .context
        case .language: .language
        }
    }

    private var word: String {
        switch self {
        case .level(let level): level?.hmiLevel ?? "auto"
        case .audio(let audio): audio.rawValue
        case .context(let context): context.rawValue
        case .language(let tag): tag
        }
    }

    /// The level decides what a kiosk may do.
    package var permission: ChangeRequest.Kind? { name == .level ? .level : .control }
    package var answerTarget: Answer.Target? { .init(kind: "lifecycle", slug: name.rawValue) }
    package var logName: String { "lifecycle" }
    package var logTarget: String? { name.rawValue }
    package var logValues: JSONValue? { .object([name.rawValue: .string(word)]) }
    package var summary: CommandSummary? { CommandSummary("set \(name.rawValue) of the lifecycle") }
}

extension CommandDescriptor {
    /// A word, plain, as the member with the name of what is set, or as the member `value`.
    package static let lifecycleSet = CommandDescriptor("lifecycle/{part}/set") {
        topic,
        payload throws(Refusal) in
        guard let name = SetLifecycle.Name(rawValue: topic.name) else {
            let names = SetLifecycle.Name.allCases.map(\.rawValue)
            let others = NearestName.choice(for: topic.name, among: names)
            throw Refusal(.unknownKey, "the lifecycle has no \(QuotedValue.of(topic.name))\(others)")
        }
        var key = name.rawValue
        if case .object(let members) = payload, members["value"] != nil { key = "value" }
        return try SetLifecycle(name, payload.word(named: key))
    }
}

extension SetLifecycle {
    fileprivate init(_ name: Name, _ word: String) throws(Refusal) {
        switch name {
        case .level:
            if word.lowercased() == "auto" {
                self = .level(nil)
            } else if let level = LifecycleLevel(hmiLevel: word), level != .disconnected {
                self = .level(level)
            } else {
                let levels = LifecycleLevel.allCases.dropFirst().reversed().map(\.hmiLevel)
                throw Self.refusal(of: word, name, legal: levels + ["auto"])
            }
        case .audio: self = .audio(try Self.value(word, name))
        case .context: self = .context(try Self.value(word, name))
        case .language:
            guard (1...35).contains(word.utf8.count) else {
                throw Refusal(
                    .invalidValue,
                    "language must be a tag such as en-US, of 1 to 35 bytes (is \(QuotedValue.of(word)))",
                    field: name.rawValue
                )
            }
            self = .language(word)
        }
    }

    private static func value<Value: RawRepresentable<String> & CaseIterable>(
        _ word: String,
        _ name: Name
    ) throws(Refusal) -> Value {
        guard let value = Value.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() })
        else { throw refusal(of: word, name, legal: Value.allCases.map(\.rawValue)) }
        return value
    }

    private static func refusal(of word: String, _ name: Name, legal: [String]) -> Refusal {
        Refusal(
            .invalidValue,
            "\(name.rawValue) must be one of \(QuotedValue.list(legal)) (is \(QuotedValue.of(word)))",
            field: name.rawValue
        )
    }
}
