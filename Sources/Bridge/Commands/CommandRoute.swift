import Controller
import MQTT
import Messages
import People

/// Where a command came in, and where its answers may go.
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
    init?(_ topic: String, root: String, hasUserTopics: Bool) {
        guard topic.hasPrefix(root + "/") else { return nil }
        self.root = root
        let tail = topic.dropFirst(root.count + 1)
        if let command = CommandTopic(tail: tail) {
            (self.topic, user) = (command, nil)
            return
        }
        let levels = tail.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard hasUserTopics, levels.count == 3, levels[0] == Topics.usersLevel,
            AccountName.isLegal(String(levels[1])), let command = CommandTopic(tail: levels[2])
        else { return nil }
        (self.topic, user) = (command, String(levels[1]))
    }

    /// The topic without the user's name, which nothing that is published tells.
    var publicTopic: String {
        let topics = Topics(root: root)
        return user == nil ? topics.command(topic) : topics.user("+", topic.tail)
    }

    /// Who sends a command, as far as the sender can prove it.
    ///
    /// - Returns: `nil` for nobody.
    func speaker(_ credentials: CommandCredentials, _ identify: Identify) -> Speaker? {
        guard let token = credentials.token else {
            // A name alone proves nothing.
            guard credentials.name == nil else { return nil }
            return identify(user.map { .vouched($0) } ?? .unnamed(.mqtt))
        }
        // A token on a user's topic must be that user's.
        guard user == nil || credentials.name == nil || credentials.name == user else { return nil }
        return identify(.token(token, named: user ?? credentials.name))
    }

    /// Where the sender wants the answer besides (MQTT 5): the response topic, unless it has wildcards or lies in our
    /// own tree, where an answer could be mistaken for a command or a state.
    ///
    /// A user's answers stay below `users/<user>/response/`.
    func address(of message: MQTTMessage) -> (topic: String, correlation: [UInt8]?)? {
        guard let topic = message.properties.responseTopic, !topic.isEmpty,
            !topic.contains("+"), !topic.contains("#"), !topic.hasPrefix("$")
        else { return nil }
        if let user {
            let own = Topics(root: root).user(user, "response/")
            guard topic.hasPrefix(own), topic.utf8.count > own.utf8.count,
                !topic.dropFirst(own.count).contains("/")
            else { return nil }
        } else {
            guard topic != root, !topic.hasPrefix(root + "/") else { return nil }
        }
        return (topic, message.properties.correlationData)
    }
}
