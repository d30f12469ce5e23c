import Controller
import Messages
import People
import Text

/// Where a command came in.
struct CommandRoute: Sendable {
    let topic: CommandTopic
    /// The user for whom the broker vouches: below `users/<user>/` it lets nobody else publish.
    let user: String?
    /// `<base>/<node>`.
    private let root: String

    /// - Parameters:
    ///   - topic: As received.
    ///   - hasUserTopics: Whether commands below `users/<user>/` count.
    /// - Returns: `nil` for what is no command, and for a user's name that no user can have.
    init?(_ topic: String, root: String, _ commands: CommandTable, hasUserTopics: Bool) {
        guard Self.begins(topic, with: root) else { return nil }
        let rest = topic.utf8.dropFirst(root.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        let tail = Substring(rest.dropFirst())
        self.root = root
        if let command = commands.topic(tail) {
            (self.topic, user) = (command, nil)
            return
        }
        let levels = tail.parts(between: "/", maxSplits: 2)
        guard hasUserTopics, levels.count == 3, levels[0] == Topics.usersLevel,
            AccountName.isLegal(String(levels[1])), let command = commands.topic(levels[2])
        else { return nil }
        (self.topic, user) = (command, String(levels[1]))
    }

    /// Compares the bytes in memory: those of another view are asked for one by one.
    private static func begins(_ topic: String, with root: String) -> Bool {
        var (topic, root) = (topic, root)
        return topic.withUTF8 { topic in root.withUTF8 { topic.starts(with: $0) } }
    }

    /// The topic without the user's name, which nothing that is published tells.
    var publicTopic: String {
        let topics = Topics(root: root)
        return user == nil ? topics.command(topic) : topics.user("+", topic.tail)
    }

    /// Who sends a command, as far as the sender can prove it.
    ///
    /// - Returns: `nil` for nobody.
    func caller(_ credentials: CommandCredentials, _ identify: Identify) -> Caller? {
        guard let token = credentials.token else {
            // A name alone proves nothing.
            guard credentials.name == nil else { return nil }
            return identify(user.map { .vouched($0) } ?? .unnamed(.mqtt))
        }
        // A token on a user's topic must be that user's.
        guard user == nil || credentials.name == nil || credentials.name == user else { return nil }
        return identify(.token(token, named: user ?? credentials.name))
    }

    /// A response topic of MQTT 5, and what the sender recognises the answer by.
    struct Address: Sendable {
        let topic: String
        let correlation: [UInt8]?
    }

    /// What the response topics of a vouched user begin with; one level follows.
    var userResponses: String? { user.map { Topics(root: root).user($0, "response/") } }
}
