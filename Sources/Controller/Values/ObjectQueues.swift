import Flare

/// The job queues of all objects; objects without jobs have no queue.
struct ObjectQueues: Sendable {
    private var queues: [ObjectReference: ObjectQueue] = [:]
    /// The changes that the server will report for actions that were sent.
    var echoes = ActionEchoes()

    /// The objects that have jobs, sorted.
    var objects: [ObjectReference] { queues.keys.sorted() }

    subscript(object: ObjectReference) -> ObjectQueue? { queues[object] }

    /// Whether an object has no jobs.
    func isIdle(_ object: ObjectReference) -> Bool { queues.index(forKey: object) == nil }

    /// Appends a job to the queue of an object, unless the queue is full.
    /// - Returns: The waiting jobs that it supersedes, and whether it was appended.
    mutating func append(_ job: Job, on object: ObjectReference) -> (overtaken: [Job], isAppended: Bool) {
        let overtaken = queues[object]?.removeOvertaken(by: job) ?? []
        guard queues[object, default: ObjectQueue()].waiting.count < ObjectQueue.capacity else {
            return (overtaken, false)
        }
        queues[object, default: ObjectQueue()].waiting.append(job)
        return (overtaken, true)
    }

    /// Removes the next waiting job of an object; `nil` while another one is running.
    mutating func removeNext(of object: ObjectReference) -> Job? {
        guard let index = queues.index(forKey: object), queues.values[index].running == nil else {
            return nil
        }
        guard !queues.values[index].waiting.isEmpty else {
            queues.remove(at: index)
            return nil
        }
        return queues.values[index].waiting.removeFirst()
    }

    /// Marks a job as running, with what was sent for it.
    mutating func begin(_ job: consuming Job, _ sent: consuming SentOrder, on object: ObjectReference) {
        guard let index = queues.index(forKey: object) else {
            queues[object] = ObjectQueue(running: job, sent: sent)
            return
        }
        queues.values[index].running = job
        queues.values[index].sent = sent
    }

    /// Removes the next waiting jobs of an object that are sent together.
    mutating func removeNext(of object: ObjectReference, in batch: EdgeBatch) -> [Job] {
        let jobs = Array(queues[object]?.waiting.prefix { $0.batch?.id == batch.id } ?? [])
        queues[object]?.waiting.removeFirst(jobs.count)
        return jobs
    }

    /// Marks jobs as running together, with what was sent for them.
    mutating func begin(_ jobs: [Job], _ sent: SentOrder, on object: ObjectReference) {
        guard let first = jobs.first else { return }
        begin(first, sent, on: object)
        if jobs.count > 1 { queues[object]?.companions = Array(jobs.dropFirst()) }
    }

    /// Ends the jobs that run together after the reply to what was sent.
    /// - Returns: The jobs in order; none if they were cancelled.
    mutating func endAll(_ way: SentOrder.Way, on object: ObjectReference) -> [Job] {
        guard let queue = queues[object], let (job, _) = end(way, on: object) else { return [] }
        queues[object]?.companions = []
        return [job] + queue.companions
    }

    /// Ends the running job after the reply to what was sent.
    /// - Returns: The job, and what it asked for; `nil` if it was cancelled.
    mutating func end(
        _ way: SentOrder.Way,
        on object: ObjectReference
    ) -> (job: Job, order: ObjectOrder)? {
        guard let index = queues.index(forKey: object), let ended = queues.values[index].end(way) else {
            return nil
        }
        if queues.values[index].waiting.isEmpty { queues.remove(at: index) }
        return ended
    }

    /// Removes all jobs, sorted by object.
    mutating func removeAll() -> [Job] {
        defer { queues.removeAll() }
        return objects.flatMap { queues[$0]?.jobs ?? [] }
    }

    /// Removes all jobs of an object.
    mutating func removeAll(of object: ObjectReference) -> [Job] {
        queues.removeValue(forKey: object)?.jobs ?? []
    }

    /// Removes the waiting jobs of an object, but not what has happened already.
    mutating func removeWaiting(of object: ObjectReference) -> [Job] {
        guard let waiting = queues[object]?.waiting else { return [] }
        queues[object]?.waiting = waiting.filter(\.hasHappened)
        return waiting.filter { !$0.hasHappened }
    }

    /// Removes the remaining work of a running job after its current request.
    /// - Returns: The command that was cut short; `nil` if there was no remaining work.
    mutating func cutShort(_ object: ObjectReference) -> PendingCommand? {
        guard let job = queues[object]?.running, !job.rest.isEmpty else { return nil }
        queues[object]?.running?.command = nil
        queues[object]?.running?.rest = []
        return job.command
    }

    /// Finds the job of a command.
    /// - Returns: The object and the number of jobs ahead (`nil` for a running job); `nil` if not found.
    func position(
        ofTicket ticket: Int,
        from actor: Command.Actor,
        to node: String?
    ) -> (object: ObjectReference, ahead: Int?)? {
        func isOf(_ job: Job) -> Bool {
            guard let command = job.command?.command, command.owner == nil else { return false }
            return command.ticket == ticket && command.actor == actor && command.node == node
        }
        for (object, queue) in queues {
            if let running = queue.running, isOf(running) || queue.companions.contains(where: isOf) {
                return (object, nil)
            }
            if let index = queue.waiting.firstIndex(where: isOf) { return (object, index + 1) }
        }
        return nil
    }
}
