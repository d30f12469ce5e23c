import Flare
import JSON
import Things

/// The job queue of one object: one job is sent at a time, the others wait in order.
///
/// This preserves the order of changes on any link, and lets a newer value supersede an unsent one.
struct ObjectQueue: Sendable {
    /// Maximum number of waiting jobs.
    static let capacity = 1000

    var running: Job?
    /// What was sent for the running job.
    var sent: SentOrder?
    /// The other jobs of its batch, in order.
    var companions: [Job] = []
    var waiting: [Job] = []

    /// All of them, in order.
    var jobs: [Job] { [running].compactMap(\.self) + companions + waiting }

    /// Removes the running job if this was sent for it.
    mutating func end(_ way: SentOrder.Way) -> (job: Job, order: ObjectOrder)? {
        guard sent?.way == way, let job = running, let order = sent?.order else { return nil }
        (running, sent) = (nil, nil)
        return (job, order)
    }

    /// Removes the waiting jobs that a newer one supersedes, back to the last job that depends on order.
    mutating func removeOvertaken(by newer: Job) -> [Job] {
        var overtaken: [Job] = []
        for index in waiting.indices.reversed() {
            guard !waiting[index].isBoundToOrder else { break }
            if waiting[index].isOvertaken(by: newer) { overtaken.append(waiting.remove(at: index)) }
        }
        return overtaken.reversed()
    }
}

/// One change to request from the server, or from a thing at the edge.
struct Job: Sendable {
    enum Work: Sendable {
        /// A change of the object's data, with the length of the transition in seconds; `nil` for none.
        case write(ThingPatch, transition: Double?)
        /// A step of a running transition, with intermediate values.
        case step(ThingPatch, isLast: Bool)
        case action(String)
        case position(Point3D)
        case name(String, environment: FlareID)
        /// What a thing at the edge has reported, for the server alone.
        case report(JSONObject)
        /// What a thing at the edge has done, for the server alone; the command is accepted once that is stored.
        indirect case done(EdgeDone)

        var isReport: Bool { if case .report = self { true } else { false } }
    }

    var work: Work
    /// Work to do after this work is confirmed; a failure cancels it.
    var rest: [Work] = []
    /// The command to answer; `nil` if none.
    var command: PendingCommand?
    var cause: ChangeEvent.Cause

    /// The values with which a thing at the edge is by now; `nil` for what is only asked for.
    var outcome: JSONObject? {
        switch work {
        case .report(let values): values
        case .done(let done): if case .values(let values) = done.order { values } else { nil }
        case .write, .step, .action, .position, .name: nil
        }
    }

    /// Whether it is something that a thing at the edge has done or reported, for the server to know.
    var hasHappened: Bool {
        switch work {
        case .report, .done: true
        case .write, .step, .action, .position, .name: false
        }
    }

    /// With which others it is sent to a thing at the edge; `nil` if alone.
    var batch: EdgeBatch? { command?.command.batch }

    /// Whether the result depends on earlier jobs, so that no job may overtake it.
    var isBoundToOrder: Bool {
        switch work {
        case _ where batch != nil: true
        case .write(let patch, _): !rest.isEmpty || patch.isToggling
        case .action, .step, .done: true
        case .position, .name, .report: !rest.isEmpty
        }
    }

    /// Whether a newer job for the same object supersedes this one before it is sent.
    func isOvertaken(by newer: Job) -> Bool {
        guard !isBoundToOrder, !newer.isBoundToOrder else { return false }
        return switch (work, newer.work) {
        case (.write(let mine, _), .write(let theirs, _)): theirs.covers(mine)
        case (.position, .position), (.name, .name): true
        case (.report(let mine), .report(let theirs)): mine.allSatisfy { theirs[$0.key] != nil }
        default: false
        }
    }
}
