import Text

/// A command topic as it was received, or as it is to be sent.
package struct CommandTopic: Sendable, Hashable {
    package let descriptor: CommandDescriptor
    /// The name at the first level that varies; empty if none does.
    package let name: String
    /// The name at the second one.
    package let secondName: String
    /// The query of a web request.
    package var query: [String: String] = [:]

    init(_ descriptor: CommandDescriptor, _ name: String = "", _ secondName: String = "") {
        (self.descriptor, self.name, self.secondName) = (descriptor, name, secondName)
    }

    /// The topic below `B/`; empty for what has none.
    package var tail: String {
        var names = [secondName, name]
        let levels = (descriptor.topic ?? "").split(separator: "/").map { level in
            level.hasPrefix("{") ? names.removeLast() : String(level)
        }
        return levels.joined(separator: "/")
    }

    /// The last level of the response topic.
    package var subject: Answer.Subject {
        descriptor.subject ?? .verb(SecretMask.tokens.masked(name))
    }

    /// Whether a name in it is, or contains, a token.
    package var hasToken: Bool {
        SecretMask.tokens.finds(in: name) || SecretMask.tokens.finds(in: secondName)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.descriptor === other.descriptor && one.name == other.name && one.secondName == other.secondName
            && one.query == other.query
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(descriptor))
        hasher.combine(name)
        hasher.combine(secondName)
    }
}

extension CommandDescriptor {
    /// The topic with names for what varies.
    package func topic(_ name: String = "", _ secondName: String = "") -> CommandTopic {
        CommandTopic(self, name, secondName)
    }
}
