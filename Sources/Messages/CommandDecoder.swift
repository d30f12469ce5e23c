package import Controller
package import JSON
import Text
package import Things

/// A decoded command, or why it is refused.
package struct DecodedCommand: Sendable, Hashable {
    package let subject: Answer.Subject
    /// The sender's `tx`, if it could be read.
    package let tx: JSONValue?
    /// Who it says it is from, as far as that could be read.
    package let credentials: CommandCredentials
    package let result: Result<Command.Operation, Refusal>
}

extension DecodedCommand {
    /// A command that was no message.
    package init(_ operation: Command.Operation) {
        self.init(subject: .get, tx: nil, credentials: CommandCredentials(), result: .success(operation))
    }
}

/// Reads commands: JSON, and the plain forms of the contract.
///
/// Whether a thing exists and what it accepts is decided by the controller.
/// - Source: contrib/contract/mqtt.md, "Commands"; "Rule 1: every command gets one answer";
///   "Rule 2: tx and if_id"; "Rule 3: a replayed command is refused".
package struct CommandDecoder: Sendable {
    private static let mostBytes = 65_536
    private static let mostBytesOfTx = 1024

    package init() {}

    /// - Parameter isRetained: Whether the broker delivered the message with the retain flag.
    package func decode(
        _ topic: CommandTopic,
        payload: [UInt8],
        isRetained: Bool = false
    ) -> DecodedCommand {
        let hasMembers = topic.descriptor.hasMembers
        let size = payload.count
        guard size <= Self.mostBytes else {
            let tooLarge = "the payload has \(size) bytes; at most \(Self.mostBytes) are read"
            let refusal = isRetained ? Self.retained : Refusal(.tooLarge, tooLarge)
            return DecodedCommand(
                subject: topic.subject,
                tx: nil,
                credentials: CommandCredentials(),
                result: .failure(refusal)
            )
        }
        var tx: JSONValue?
        var credentials = CommandCredentials()
        let result: Result<Command.Operation, Refusal>
        do throws(Refusal) {
            var payload = try CommandPayload(payload)
            let isMisplaced = payload.hasToken(apartFrom: hasMembers ? "token" : nil)
            if hasMembers, case .object(var members) = payload {
                let mark = members.removeValue(forKey: "tx")
                let reading = Result { () throws(Refusal) in try credentials.take(from: &members) }
                payload = .object(members)
                tx = try Self.mark(mark)
                try reading.get()
            }
            guard !isRetained else { throw Self.retained }
            guard !isMisplaced, !topic.hasToken else { throw Self.misplacedToken }
            result = .success(try topic.descriptor.read(payload, on: topic))
        } catch {
            result = .failure(isRetained ? Self.retained : error.masked)
        }
        return DecodedCommand(
            subject: topic.subject,
            tx: tx.map { SecretMask.tokens.masked($0) },
            credentials: credentials,
            result: result
        )
    }

    private static let retained = Refusal(
        .retainedCommand,
        "a command that the broker had kept is refused; publish commands without the retain flag, and clear this one "
            + "with an empty retained message"
    )

    /// Carried out, it would be stored or published, where others read it.
    private static let misplacedToken = Refusal(
        .invalidValue,
        "there is a token where none belongs, so nothing was done; a token belongs into the member \"token\" only. "
            + "Replace this token: others may have read it"
    )

    /// What a sender recognises the answer by, its `tx`.
    static func mark(_ value: JSONValue?) throws(Refusal) -> JSONValue? {
        switch value {
        case nil: return nil
        // Short enough, whatever is escaped in it.
        case .string(let text)? where text.utf8.count < mostBytesOfTx / 8: return value
        case .number?: return value
        case let value? where value.string != nil || value.number != nil:
            let size = value.bytes.count
            guard size <= mostBytesOfTx else {
                throw Refusal(
                    .invalidValue,
                    "tx has \(size) bytes as JSON; at most \(mostBytesOfTx) are returned",
                    field: "tx"
                )
            }
            return value
        case let value?:
            throw Refusal(
                .wrongType,
                "tx must be a text or a number (is \(QuotedValue.of(value)))",
                field: "tx"
            )
        }
    }
}

extension CommandPayload {
    /// Whether it has a token in a value or a name.
    ///
    /// - Parameter member: The member of an object where a token belongs.
    fileprivate func hasToken(apartFrom member: String?) -> Bool {
        switch self {
        case .empty: false
        case .plain(let text), .quoted(let text): SecretMask.tokens.finds(in: text)
        case .list(let elements): SecretMask.tokens.finds(in: .array(elements))
        case .object(let members):
            !members.allMembers { _, name, value in
                name == member || !SecretMask.tokens.finds(in: name) && !SecretMask.tokens.finds(in: value)
            }
        }
    }
}

extension Refusal {
    /// The same refusal without tokens that its sentence quotes, as of a payload that could not be read.
    package var masked: Refusal {
        Refusal(
            code,
            SecretMask.tokens.masked(message),
            field: field.map { SecretMask.tokens.masked($0) }
        )
    }
}
