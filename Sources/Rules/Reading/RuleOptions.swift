package import JSON
package import Things

/// A rule in the words of the command line.
/// - Source: contrib/contract/rules.md, "Faces", the verbs of `rule`.
package struct RuleOptions: Sendable, Hashable {
    /// What is done, in the order of the command line.
    package enum Step: Sendable, Hashable {
        /// `[end:|range:]K=V`.
        case set(String)
        /// `[end:|range:]NAME`.
        case action(String)
        /// `[end:|range:]LEVEL`, or `null`.
        case ceiling(String)
        /// `user:U` and the like, or an address of mail.
        case notify(String)
        /// `[end:|range:]JSON`, or a text.
        case publish(String)
        /// What the next steps drive; several in a row are driven alike.
        case target(String)

        var option: String {
            switch self {
            case .set: "--set"
            case .action: "--action"
            case .ceiling: "--ceiling"
            case .notify: "--notify"
            case .publish: "--publish"
            case .target: "--target"
            }
        }

        /// Whether it is for the targets before it.
        var isDriving: Bool {
            switch self {
            case .set, .action: true
            case .ceiling, .notify, .publish, .target: false
            }
        }
    }

    package var title: String?
    /// Seconds; as all numbers here, as they were written.
    package var pause: String?
    package var missed: String?

    // WHEN
    package var thing: String?
    /// `F>=V`, or a field alone.
    package var when: [String] = []
    package var edge: String?
    /// `--for`.
    package var hold: String?
    package var margin: String?
    package var device: [String] = []
    package var threshold: String?
    package var start: String?
    package var end: String?
    package var days: String?
    /// `--from` and `--until`: the first and the last date of the schedule.
    package var from: String?
    package var until: String?
    package var cron: [String] = []
    package var once: [String] = []
    package var enter: [String] = []
    package var exit: [String] = []
    /// `--rssi` and `--gone`: of the beacons that are entered or left.
    package var rssi: String?
    package var gone: String?
    package var near: [String] = []
    package var far: [String] = []
    /// `--who`: whose coming and going it is.
    package var who: String?
    package var level: [String] = []

    // IF
    package var between: [String] = []

    // THEN
    package var steps: [Step] = []
    package var channels: [String] = []
    package var text: String?

    package init() {}

    /// The rule in our own form.
    ///
    /// - Throws: `invalid_value`, with the option at fault.
    package func json() throws(Refusal) -> JSONObject { try written().json }

    /// Reads the rule.
    ///
    /// - Throws: What is refused, with the option that it came from before the sentence.
    package func rule() throws(Refusal) -> ReadRule {
        let words = try written()
        do throws(Refusal) {
            return try RuleReader(thing: thing).read(.object(words.json), as: .rule)
        } catch {
            guard let option = words.option(at: error.field) else { throw error }
            throw Refusal(error.code, sentence(error.message, about: error.field), field: option)
        }
    }

    /// A refusal in the words of the command line: who gave an option does not know our form and its members.
    ///
    /// - Parameters:
    ///   - message: The sentence, which may begin with the member.
    ///   - field: The member of the rule, such as `when[0].at`.
    package func sentence(_ message: String, about field: String?) -> String {
        guard let field, let option = (try? written())?.option(at: field) else { return message }
        guard message.hasPrefix(field) else { return "\(option): \(message)" }
        let rest = message.dropFirst(field.count)
        return rest.hasPrefix(" ") || rest.hasPrefix(":") ? option + rest : "\(option): \(message)"
    }

    private func written() throws(Refusal) -> RuleWords {
        var words = RuleWords(self)
        try words.addTriggers()
        try words.addConditions()
        try words.addActions()
        try words.addRest()
        return words
    }
}
