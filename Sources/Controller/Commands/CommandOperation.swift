package import JSON
package import Things

/// What a command asks for: one type a command, in its owner's folder.
///
/// Interfaces, policies, the command log and explanations know no command by name; they ask the members here. How a
/// command arrives is its ``CommandDescriptor``.
package protocol CommandOperation: Sendable, Hashable {
    /// What the policies are asked before it is performed; `nil` if it asks them itself, once it knows its object.
    var permission: ChangeRequest.Kind? { get }
    /// What it is about, if the command alone says so.
    var answerTarget: Answer.Target? { get }
    /// The last level of the response topic.
    var subject: Answer.Subject { get }
    /// Whether it changes nothing, here or elsewhere: of such commands the log keeps only the refusals.
    var onlyReads: Bool { get }
    /// Whether it stores its own row of the log: of such commands the log keeps only the refusals, too.
    var keepsOwnRow: Bool { get }

    /// What was asked for, as the command log calls it: `set`, `thing rm`.
    var logName: String { get }
    /// The name of its object as received, for the log of what was not found.
    var logTarget: String? { get }
    /// The values for the command log; `nil` for none.
    var logValues: JSONValue? { get }
    /// The command in words, for explanations; `nil` if they leave it out.
    var summary: CommandSummary? { get }

    /// Performs it, or begins to.
    ///
    /// - Parameter command: To be accepted or refused exactly once, now or later.
    /// - Throws: Why it is refused.
    func perform(_ command: inout PendingCommand, in controller: inout DeviceController) throws(Refusal)
}

extension CommandOperation {
    package var answerTarget: Answer.Target? { nil }
    package var subject: Answer.Subject { .set }
    package var onlyReads: Bool { false }
    package var keepsOwnRow: Bool { false }
    package var logTarget: String? { nil }
}

extension Command {
    /// An operation, whichever it is.
    package struct Operation: Sendable, Hashable {
        package let base: any CommandOperation

        package init(_ base: some CommandOperation) { self.base = base }

        package static func == (one: Self, other: Self) -> Bool {
            func isEqual<Base: CommandOperation>(_ base: Base) -> Bool {
                other.base as? Base == base
            }
            return isEqual(one.base)
        }

        package func hash(into hasher: inout Hasher) { base.hash(into: &hasher) }
    }
}

/// A command in words without its values, such as `set color of desk-lamp`.
package struct CommandSummary: Sendable {
    /// The object at the end of it.
    package enum Object: Sendable {
        case none
        /// The slug of the answer's target, or else this name.
        case target(String?)
    }

    private let verb: String
    private let names: [String]
    private let object: Object

    /// - Parameter names: What is done or set, of bounded length.
    package init(_ verb: String, _ names: [String] = [], of object: Object = .none) {
        (self.verb, self.names, self.object) = (verb, names, object)
    }

    /// - Parameter slug: That of the target, if it was found.
    func text(_ slug: String?) -> String {
        let words = names.isEmpty ? verb : "\(verb) \(names.sorted().joined(separator: ", "))"
        guard case .target(let name) = object, let name = slug ?? name else { return words }
        return words + (names.isEmpty ? " " : " of ") + name
    }
}
