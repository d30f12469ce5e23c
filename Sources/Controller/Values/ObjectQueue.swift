import Flare
import Things

/// The jobs for one object: one at a time is with the server, the others wait in order.
///
/// That keeps the order of changes to an object whatever the way to the server does, and lets a newer value
/// overtake one that has not been sent yet.
struct ObjectQueue: Sendable {
    /// How many jobs may wait for one object.
    static let capacity = 1000

    var running: Job?
    /// What the server was asked for the running job.
    var sent: FlareRequest?
    var waiting: [Job] = []

    /// Takes out what a newer job makes pointless, up to the last job that is bound to its place.
    mutating func removeOvertaken(by newer: Job) -> [Job] {
        var overtaken: [Job] = []
        for index in waiting.indices.reversed() {
            guard !waiting[index].isBoundToOrder else { break }
            if waiting[index].isOvertaken(by: newer) { overtaken.append(waiting.remove(at: index)) }
        }
        return overtaken.reversed()
    }
}

/// One change that the server is asked for.
struct Job: Sendable {
    enum Work: Sendable {
        /// Values for the object's data, over a time in seconds or at once.
        case write([String: DataWrite], transition: Double?)
        /// A step of a running transition: values on the way, which are not shown.
        case step([String: JSONValue], isLast: Bool)
        case action(String)
        case position(Point3D)
        case name(String, environment: FlareID)
    }

    var work: Work
    /// What follows once the work is confirmed; a failure ends it all.
    var rest: [Work] = []
    /// Who wants it, when somebody waits for the answer.
    var command: PendingCommand?
    var cause: ChangeEvent.Cause

    init(work: Work, command: PendingCommand?, cause: ChangeEvent.Cause) {
        self.work = work
        self.command = command
        self.cause = cause
    }

    /// Whether what comes of it depends on what was before, so that nothing may overtake it.
    var isBoundToOrder: Bool {
        switch work {
        case .write(let writes, _): !rest.isEmpty || writes.values.contains(.toggle)
        case .action, .step: true
        case .position, .name: !rest.isEmpty
        }
    }

    /// Whether a newer job for the same object makes this one pointless before it is sent.
    func isOvertaken(by newer: Job) -> Bool {
        guard !isBoundToOrder, !newer.isBoundToOrder else { return false }
        return switch (work, newer.work) {
        case (.write(let mine, _), .write(let theirs, _)): mine.keys.allSatisfy { theirs[$0] != nil }
        case (.position, .position), (.name, .name): true
        default: false
        }
    }
}
