import Flare
package import JSON
import Things

/// Commands that wait for an environment to be read, for the configuration, or for several objects.
struct PendingCommands: Sendable {
    /// Maximum number of waiting refreshes, and of waiting reloads.
    static let capacity = 1000

    /// The chosen environment, which is selected once its zones and things are read.
    private(set) var choice: PendingChoice?
    private var refreshes: [PendingRefresh] = []
    private var reloads: [PendingCommand] = []
    private var joint: [Int: JointCommand] = [:]
    private var nextJoint = 0
    private(set) var edits: [PendingEdit] = []
    /// The last commands with their answers.
    var journal = CommandJournal()

    // MARK: Environment selection

    mutating func choose(_ choice: PendingChoice) { self.choice = choice }

    /// Removes and returns the choice if its environment matches.
    mutating func removeChoice(where isMeant: (FlareID) -> Bool = { _ in true }) -> PendingChoice? {
        guard let choice, isMeant(choice.environment) else { return nil }
        self.choice = nil
        return choice
    }

    // MARK: Refreshes

    var canRefresh: Bool { refreshes.count < Self.capacity }

    mutating func append(_ refresh: PendingRefresh) { refreshes.append(refresh) }

    /// Counts a reply with an environment's zones and things, or with the environments if it is `nil`.
    /// - Returns: The refreshes that need no further reply.
    mutating func placeRead(_ environment: FlareID?) -> [PendingRefresh] {
        var ended: [PendingRefresh] = []
        var left: [PendingRefresh] = []
        for var refresh in refreshes {
            if refresh.environment == environment { refresh.replies -= 1 }
            if refresh.replies > 0 { left.append(refresh) } else { ended.append(refresh) }
        }
        refreshes = left
        return ended
    }

    mutating func removeRefreshes(where isMeant: (FlareID?) -> Bool) -> [PendingRefresh] {
        defer { refreshes.removeAll { isMeant($0.environment) } }
        return refreshes.filter { isMeant($0.environment) }
    }

    // MARK: Objects made, changed as a whole, and removed

    /// Maximum number of waiting ones.
    static let editCapacity = 100

    var canEdit: Bool { edits.count < Self.editCapacity }

    mutating func append(_ edit: PendingEdit) { edits.append(edit) }

    /// Removes the first that waits for the reply to a request; `nil` for none.
    mutating func removeEdit(_ request: FlareRequest) -> PendingEdit? {
        guard let index = edits.firstIndex(where: { $0.request == request }) else { return nil }
        return edits.remove(at: index)
    }

    /// The names of what somebody who may not see everything is making now.
    ///
    /// A number after the slug would tell the maker of a hidden object of this name.
    func privateNames(_ core: ControllerCore) -> [FlareClass: Set<String>] {
        edits.reduce(into: [:]) { names, edit in
            guard case .create(let kind, let new, _, _) = edit.request, let name = new.name,
                !core.seesEverything(edit.pending.command.caller)
            else { return }
            names[kind, default: []].insert(name)
        }
    }

    mutating func removeEdits() -> [PendingCommand] {
        defer { edits.removeAll() }
        return edits.map(\.pending)
    }

    // MARK: Configuration reloads

    var canReload: Bool { reloads.count < Self.capacity }

    /// Appends a reload command.
    /// - Returns: Whether it is the first one, so that the configuration must be read.
    mutating func append(reload: PendingCommand) -> Bool {
        reloads.append(reload)
        return reloads.count == 1
    }

    mutating func removeReloads() -> [PendingCommand] {
        defer { reloads.removeAll() }
        return reloads
    }

    // MARK: Commands on several objects

    /// Appends a command on several objects.
    /// - Returns: The number that its parts refer to.
    mutating func append(_ command: JointCommand) -> Int {
        defer { nextJoint += 1 }
        joint[nextJoint] = command
        return nextJoint
    }

    /// Records the end of one part.
    /// - Returns: The whole command after its last part, else `nil`.
    mutating func partEnded(_ number: Int, _ refusal: Refusal?) -> JointCommand? {
        guard var command = joint[number] else { return nil }
        command.left -= 1
        command.refusal = command.refusal ?? refusal
        joint[number] = command.left > 0 ? command : nil
        return command.left > 0 ? nil : command
    }
}

/// A command that has not been answered yet.
package struct PendingCommand: Sendable {
    package let command: Command
    let subject: Answer.Subject
    package var target: Answer.Target?
    /// The fields that were accepted, with their values.
    package var accepted: JSONObject = [:]
    var rejected: [String: RefusalCode] = [:]
    var warnings: [Answer.Warning] = []
    /// The place that was read for it.
    var place: PlaceContents?
    /// The number of the ``JointCommand`` it belongs to; `nil` if none.
    var joint: Int?
}

/// A command on several objects, answered once all of its parts have ended.
struct JointCommand: Sendable {
    let pending: PendingCommand
    /// Number of parts that have not ended.
    var left: Int
    /// The first failure; `nil` if none.
    var refusal: Refusal?
}

/// A choice of an environment, which is selected once its zones and things are read.
struct PendingChoice: Sendable {
    let environment: FlareID
    let pending: PendingCommand
    let cause: ChangeEvent.Cause
}

/// A change that the server has not confirmed yet.
struct PendingEdit: Sendable {
    let request: FlareRequest
    /// The environment of the object; `nil` for an environment.
    let environment: FlareID?
    let pending: PendingCommand
}

/// A command that waits for a reading, with the number of replies until one is newer than the command.
struct PendingRefresh: Sendable {
    /// The environment that is read; `nil` for the list of them.
    let environment: FlareID?
    let pending: PendingCommand
    var replies: Int
    var next = Next.accept

    /// What is done when the place was read.
    enum Next: Sendable {
        case accept
        /// Answered with the place.
        case show
        /// Performed, with what is in the place.
        case edit(any PlaceOperation)
    }
}

extension Answer {
    /// The answer to a command, as yet without an outcome.
    init(to pending: PendingCommand) {
        self.init(
            ticket: pending.command.ticket,
            tx: pending.command.tx,
            subject: pending.subject,
            target: pending.target
        )
        (actor, node) = (pending.command.actor, pending.command.node)
    }
}
