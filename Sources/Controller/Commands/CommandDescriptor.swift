package import Things

/// How a command arrives: its topic, its web path, and how its payload is read.
///
/// A command that arrives in several ways has a descriptor for each. The list of all is a ``CommandTable``.
package final class CommandDescriptor: Sendable {
    /// A path below `/api/`, with names in braces for what varies, and how it is requested.
    package struct WebPath: Sendable, Hashable {
        package enum Method: String, Sendable, Hashable {
            case post = "POST"
            case patch = "PATCH"
            case delete = "DELETE"
        }

        package let method: Method
        package let path: String

        package init(_ method: Method, _ path: String) { (self.method, self.path) = (method, path) }
    }

    /// The topic below `B/`, with names in braces for what varies: `things/{thing}/set`; `nil` for none.
    package let topic: String?
    /// `nil` for a command that HTTP does not offer.
    package let web: WebPath?
    /// The last level of the response topic; `nil` if it is the name in the topic.
    let subject: Answer.Subject?
    /// Whether an object has members such as `tx`; otherwise the whole payload is a value.
    package let hasMembers: Bool
    private let reader: Reader

    package typealias Reader =
        @Sendable (CommandTopic, CommandPayload) throws(Refusal) -> any CommandOperation

    private init(
        topic: String?,
        web: WebPath?,
        subject: Answer.Subject?,
        hasMembers: Bool,
        read: @escaping Reader
    ) {
        (self.topic, self.web, self.subject) = (topic, web, subject)
        (self.hasMembers, reader) = (hasMembers, read)
    }

    /// A command on a topic, and by default on the web path of the same name.
    package convenience init(
        _ topic: String,
        web: String? = nil,
        isOnWeb: Bool = true,
        subject: Answer.Subject? = .set,
        hasMembers: Bool = true,
        read: @escaping Reader
    ) {
        self.init(
            topic: topic,
            web: isOnWeb ? WebPath(.post, web ?? topic) : nil,
            subject: subject,
            hasMembers: hasMembers,
            read: read
        )
    }

    /// A command over HTTP alone.
    package convenience init(web: WebPath, read: @escaping Reader) {
        self.init(topic: nil, web: web, subject: .set, hasMembers: true, read: read)
    }

    /// `request/<verb>`.
    package convenience init(verb: String, read: @escaping Reader) {
        self.init("request/\(verb)", subject: .verb(verb), read: read)
    }

    /// Reads a payload.
    ///
    /// - Throws: Why the command is refused.
    package func read(_ payload: CommandPayload, on topic: CommandTopic) throws(Refusal) -> Command.Operation
    {
        Command.Operation(try reader(topic, payload))
    }
}
