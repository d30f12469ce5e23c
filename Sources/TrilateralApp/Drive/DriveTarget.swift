package import Controller
package import JSON
import Messages
import Text

/// What `set`, `action` and `get` are about, as it is written on the command line.
package enum DriveTarget: Sendable, Hashable {
    /// Targets that need no name; `zone` and those about the daemon are for `get` only.
    package enum Word: String, Sendable, CaseIterable {
        case nearby, device, environment, zone, state, health, info, alerts, lifecycle
    }

    /// What stands before a slash and a name.
    package enum Kind: String, Sendable {
        case things, sensors, zones, environments
        /// Level, audio, context or language of the lifecycle.
        case lifecycle
    }

    case word(Word)
    /// By slug or identifier; `get` takes the names of zones and environments, too.
    case named(Kind, String)

    /// From a word of the command line; `nil` for what cannot stand in a topic.
    ///
    /// A ``Word``, or a ``Kind`` with a slash and a name; any other word is a thing.
    package init?(_ text: String) {
        if let word = Word(rawValue: text) {
            self = .word(word)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        let name = parts.last ?? ""
        let isLegal =
            name.utf8.count <= 128
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control && !"/+#".unicodeScalars.contains(scalar)
            }
        let kind = parts.count == 1 ? .things : parts.first.flatMap(Kind.init)
        guard !name.isEmpty, isLegal, let kind else { return nil }
        self = .named(kind, name)
    }

    /// Where its state is retained, below `B/`; `nil` for what is asked for, or found among others.
    package var stateTopic: String? {
        switch self {
        case .word(.alerts), .named(.things, _), .named(.zones, _), .named(.environments, _): nil
        case .word(let word): word.rawValue
        case .named(.lifecycle, _): Topics.tails.lifecycle
        case .named(.sensors, let name): SensorKind(rawValue: name).map(Topics.tails.sensor)
        }
    }

    /// The command that sets it; `nil` for what cannot be set.
    package var setCommand: CommandTopic? {
        switch self {
        case .word(.nearby): CommandDescriptor.nearbySet.topic()
        case .word(.device): CommandDescriptor.deviceSet.topic()
        case .word(.environment): CommandDescriptor.environmentSet.topic()
        case .named(.sensors, let name): CommandDescriptor.sensorSet.topic(name)
        case .named(.things, let name): CommandDescriptor.thingSet.topic(name)
        case .named(.zones, let name): CommandDescriptor.zoneSet.topic(name)
        case .named(.lifecycle, let name): CommandDescriptor.lifecycleSet.topic(name)
        case .word, .named(.environments, _): nil
        }
    }

    /// The command for its actions; `nil` for what has none.
    package var actionCommand: CommandTopic? {
        switch self {
        case .word(.nearby): CommandDescriptor.nearbyAction.topic()
        case .named(.things, let name): CommandDescriptor.thingAction.topic(name)
        case .word, .named: nil
        }
    }

    /// What `get` takes, for a person.
    package static let all = """
        nearby, environment, zone, device, state, health, alerts, info, lifecycle, sensors/<sensor>, zones/<zone>, \
        environments/<environment>, or a thing by its short name or id
        """

    /// What `set` takes, for a person.
    package static let settable =
        "nearby, a thing by its short name or id, zones/<zone>, device, environment, sensors/<sensor>, or lifecycle/<part>"

    /// The member that a value without a name sets.
    private var mainMember: String {
        switch self {
        case .word(.environment): "environment"
        case .named(.lifecycle, let name): name
        default: "state"
        }
    }

    /// The object that `set` sends, from `name=value` words and at most one bare value.
    ///
    /// A value is JSON where it is a number, true, false, null, an object, a list or a text in quotes, else a text.
    package func members(_ words: [String]) -> Result<JSONObject, UsageError> {
        var members: JSONObject = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.count == 2 ? String(parts[0]) : mainMember
            let text = String(parts.last ?? "")
            guard !name.isEmpty else {
                return .failure(UsageError("\(QuotedValue.of(word)): a name must stand before ="))
            }
            guard name != "tx" else { return .failure(UsageError("tx is chosen by this program")) }
            guard members[name] == nil else { return .failure(UsageError("\(name) is given twice")) }
            members[name] = (try? JSONValue(parsing: text)) ?? .string(text)
        }
        return .success(members)
    }
}

/// Why a command line makes no sense, as a sentence.
package struct UsageError: Error, Hashable {
    package let message: String

    init(_ message: String) { self.message = message }
}
