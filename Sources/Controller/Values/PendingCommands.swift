import Flare
import Things

/// Commands that wait for more than one job at the server: for a place, the configuration, or several objects.
struct PendingCommands: Sendable {
    /// How many commands may wait for the same.
    static let capacity = 1000

    /// The choice of an environment that is selected once its place is read.
    private(set) var choice: PendingChoice?
    private var refreshes: [PendingRefresh] = []
    private var reloads: [PendingCommand] = []
    private var joint: [Int: JointCommand] = [:]
    private var nextJoint = 0

    // MARK: The choice of an environment

    mutating func choose(_ choice: PendingChoice) { self.choice = choice }

    /// Removes the choice, if it is meant.
    mutating func removeChoice(where isMeant: (FlareID) -> Bool = { _ in true }) -> PendingChoice? {
        guard let choice, isMeant(choice.environment) else { return nil }
        self.choice = nil
        return choice
    }

    // MARK: Refreshes

    var canRefresh: Bool { refreshes.count < Self.capacity }

    mutating func append(_ refresh: PendingRefresh) { refreshes.append(refresh) }

    /// A place was read.
    /// - Returns: The commands that need no further reply.
    mutating func placeRead(_ environment: FlareID) -> [PendingCommand] {
        var ended: [PendingCommand] = []
        var left: [PendingRefresh] = []
        for var refresh in refreshes {
            if refresh.environment == environment { refresh.replies -= 1 }
            if refresh.replies > 0 { left.append(refresh) } else { ended.append(refresh.pending) }
        }
        refreshes = left
        return ended
    }

    mutating func removeRefreshes(where isMeant: (FlareID) -> Bool) -> [PendingCommand] {
        let removed = refreshes.filter { isMeant($0.environment) }
        refreshes.removeAll { isMeant($0.environment) }
        return removed.map(\.pending)
    }

    // MARK: Reloads of the configuration

    var canReload: Bool { reloads.count < Self.capacity }

    /// - Returns: Whether this is the first, so that the configuration has to be read.
    mutating func append(reload: PendingCommand) -> Bool {
        reloads.append(reload)
        return reloads.count == 1
    }

    mutating func removeReloads() -> [PendingCommand] {
        defer { reloads.removeAll() }
        return reloads
    }

    // MARK: Commands on several objects

    /// - Returns: The number that its parts carry.
    mutating func append(_ command: JointCommand) -> Int {
        defer { nextJoint += 1 }
        joint[nextJoint] = command
        return nextJoint
    }

    /// A part has ended.
    /// - Returns: The whole command after its last part.
    mutating func partEnded(_ number: Int, _ refusal: Refusal?) -> JointCommand? {
        guard var command = joint[number] else { return nil }
        command.left -= 1
        command.refusal = command.refusal ?? refusal
        joint[number] = command.left > 0 ? command : nil
        return command.left > 0 ? nil : command
    }
}

/// A command whose answer is still owed.
struct PendingCommand: Sendable {
    let command: Command
    let subject: Answer.Subject
    let target: Answer.Target?
    var accepted: [String: JSONValue] = [:]
    var rejected: [String: RefusalCode] = [:]
    /// The number of the ``JointCommand`` that this is a part of.
    var joint: Int?
}

/// A command that is answered when all of its parts, one for each object, have ended.
struct JointCommand: Sendable {
    let pending: PendingCommand
    /// How many of them have not ended.
    var left: Int
    /// Why the first of those that failed did.
    var refusal: Refusal?
}

/// A choice of an environment, which is selected once its place is read.
struct PendingChoice: Sendable {
    let environment: FlareID
    let pending: PendingCommand
    let cause: ChangeEvent.Cause
}

/// A refresh, with the number of replies until one comes that was asked for after it.
struct PendingRefresh: Sendable {
    let environment: FlareID
    let pending: PendingCommand
    var replies: Int
}
