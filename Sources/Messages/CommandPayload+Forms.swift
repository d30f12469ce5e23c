import Controller
import JSON
import Text
import Things

extension CommandPayload {
    /// The members of an object; an empty payload has none.
    func membersOnly() throws(Refusal) -> CommandFields {
        switch self {
        case .empty: return CommandFields([:])
        case .object(let members): return CommandFields(members)
        case .plain(let text) where (try? JSONValue(parsing: text)) == nil:
            throw Refusal(
                .badJSON,
                "the payload is not JSON: \(QuotedValue.of(text)); an object or nothing is read here"
            )
        case .plain, .quoted, .list:
            throw Refusal(.wrongType, "the payload must be an object or empty (is \(quotation))")
        }
    }

    /// One word: plain, quoted, or the named member of an object.
    /// - Parameter others: Reads the other members of the object.
    func word(
        named name: String,
        others: (inout CommandFields) throws(Refusal) -> Void = { _ in }
    ) throws(Refusal) -> String {
        switch self {
        case .empty: return ""
        case .plain(let text), .quoted(let text): return text.trimmingSpace
        case .list:
            throw Refusal(
                .wrongType,
                "the payload must be a plain word or {\"\(name)\":…} (is \(quotation))",
                field: name
            )
        case .object(let members):
            var fields = CommandFields(members)
            let word = try fields.text(name)
            try others(&fields)
            try fields.finish()
            guard let word else {
                throw Refusal(.invalidValue, "\"\(name)\" is missing", field: name)
            }
            return word.trimmingSpace
        }
    }
}

extension Command.Order {
    /// What `request/<verb>` asks for.
    init(request verb: String, _ payload: CommandPayload) throws(Refusal) {
        guard let name = Command.Verb.Name(rawValue: verb) else {
            let names = Command.Verb.Name.allCases.map(\.rawValue)
            let hint = NearestName.hint(for: verb, among: names)
            throw Refusal(
                .unknownVerb,
                "no request is called \(QuotedValue.of(verb))\(hint.isEmpty ? ";" : hint) there are "
                    + QuotedValue.list(names)
            )
        }
        switch name {
        case .environment:
            self = .chooseEnvironment(try Command.EnvironmentChoice(payload))
            return
        case .explain:
            self = .request(.explain(try Explanation.Subject(payload)))
            return
        case .logLevel:
            self = .request(.logLevel(try Self.logLevel(payload)))
            return
        case .snapshot: self = .request(.snapshot)
        case .ping: self = .request(.ping)
        case .refresh: self = .request(.refresh)
        case .reload: self = .request(.reload)
        case .restart: self = .request(.restart)
        case .discovery: self = .request(.discovery)
        }
        try payload.membersOnly().finish()
    }

    private static func logLevel(_ payload: CommandPayload) throws(Refusal) -> String {
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        let level = try payload.word(named: "level").lowercased()
        guard levels.contains(level) else {
            throw Refusal(
                .invalidValue,
                "level must be one of \(QuotedValue.list(levels)) (is \(QuotedValue.of(level)))",
                field: "level"
            )
        }
        return level
    }
}

extension Command.EnvironmentChoice {
    /// `next`, `previous`, or a name, as a plain word or as the member `environment`.
    init(_ payload: CommandPayload) throws(Refusal) {
        let name = try payload.word(named: "environment")
        switch name.lowercased() {
        case "next": self = .next
        case "previous": self = .previous
        case "":
            throw Refusal(
                .invalidValue,
                "environment must be next, previous, a short name, a name or an id (is empty)",
                field: "environment"
            )
        default: self = .named(name)
        }
    }
}

extension Explanation.Subject {
    /// `zone`, `nearby`, `command`, or an object: `{"subject":"nearby","thing":…}`, `{"subject":"command","command":TX}`.
    init(_ payload: CommandPayload) throws(Refusal) {
        var thing: String?
        var tx: JSONValue?
        let subject = try payload.word(named: "subject") { fields throws(Refusal) in
            thing = try fields.text("thing")
            tx = fields.remove("command")
        }
        switch subject {
        case "zone": self = .zone
        case "nearby": self = .nearby(thing: thing)
        case "command": self = .command(tx: tx)
        default:
            throw Refusal(
                .invalidValue,
                "subject must be zone, nearby or command (is \(QuotedValue.of(subject)))",
                field: "subject"
            )
        }
        let stray =
            subject != "nearby" && thing != nil
            ? "thing" : subject != "command" && tx != nil ? "command" : nil
        if let stray {
            throw Refusal(
                .unknownKey,
                "\"\(stray)\" does not belong to \"subject\": \"\(subject)\"",
                field: stray
            )
        }
        if let tx, tx.string == nil, tx.number == nil {
            throw Refusal(
                .wrongType,
                "command must be the tx of a command, a text or a number (is \(QuotedValue.of(tx)))",
                field: "command"
            )
        }
    }
}

extension Command.DeviceChange {
    /// `{"position":{"x","y","z"?},"angle","name"}`, at least one of them.
    init(_ payload: CommandPayload) throws(Refusal) {
        var fields = try payload.membersOnly()
        self.init()
        let place = try fields.position("position")
        (position, keepsHeight) = (place?.point, place?.hasHeight == false)
        if let degrees = try fields.number("angle", in: 0...360, unit: " degrees") {
            angle = degrees == 360 ? 0 : degrees
        }
        name = try fields.name("name")
        try fields.finish()
        guard self != Self() else {
            throw Refusal(.invalidValue, "nothing to set was given; this device has position, angle and name")
        }
    }
}
