import Flare

/// The job queues of all objects; an object without jobs has none.
struct ObjectQueues: Sendable {
    private var queues: [ObjectReference: ObjectQueue] = [:]

    /// The objects that have jobs, in order.
    var objects: [ObjectReference] { queues.keys.sorted() }

    subscript(object: ObjectReference) -> ObjectQueue? { queues[object] }

    /// Appends a job to the queue of an object.
    /// - Returns: The waiting jobs that it makes pointless, and whether it was appended: a full queue takes none.
    mutating func append(_ job: Job, on object: ObjectReference) -> (overtaken: [Job], isAppended: Bool) {
        let overtaken = queues[object]?.removeOvertaken(by: job) ?? []
        guard queues[object, default: ObjectQueue()].waiting.count < ObjectQueue.capacity else {
            return (overtaken, false)
        }
        queues[object, default: ObjectQueue()].waiting.append(job)
        return (overtaken, true)
    }

    /// Removes the next job of an object when none is with the server.
    mutating func removeNext(of object: ObjectReference) -> Job? {
        guard let queue = queues[object], queue.running == nil else { return nil }
        guard !queue.waiting.isEmpty else {
            queues[object] = nil
            return nil
        }
        return queues[object]?.waiting.removeFirst()
    }

    /// The server is asked for a job.
    mutating func begin(_ job: Job, _ request: FlareRequest, on object: ObjectReference) {
        queues[object, default: ObjectQueue()].running = job
        queues[object]?.sent = request
    }

    /// The server has answered.
    /// - Returns: The job that the request belongs to; `nil` when it was given up.
    mutating func end(_ request: FlareRequest, on object: ObjectReference) -> Job? {
        guard let queue = queues[object], let job = queue.running, queue.sent == request else { return nil }
        queues[object]?.running = nil
        queues[object]?.sent = nil
        return job
    }

    /// Removes everything, in the order of the objects.
    mutating func removeAll() -> [Job] {
        defer { queues.removeAll() }
        return objects.flatMap { object in
            queues[object].map { [$0.running].compactMap { $0 } + $0.waiting } ?? []
        }
    }

    /// Removes the jobs of an object that were not sent.
    mutating func removeWaiting(of object: ObjectReference) -> [Job] {
        guard let waiting = queues[object]?.waiting else { return [] }
        queues[object]?.waiting = []
        return waiting
    }

    /// Ends a running job of several steps with the step that is with the server.
    /// - Returns: The command that loses its other steps.
    mutating func cutShort(_ object: ObjectReference) -> PendingCommand? {
        guard let job = queues[object]?.running, !job.rest.isEmpty else { return nil }
        queues[object]?.running?.command = nil
        queues[object]?.running?.rest = []
        return job.command
    }

    /// Where the job of a command is.
    /// - Returns: The object, and how many jobs are ahead of it; `nil` when it is with the server.
    func position(
        ofTicket ticket: Int,
        from speaker: Command.Speaker
    ) -> (object: ObjectReference, ahead: Int?)? {
        func isOf(_ job: Job) -> Bool {
            job.command?.command.ticket == ticket && job.command?.command.speaker == speaker
        }
        for (object, queue) in queues {
            if let running = queue.running, isOf(running) { return (object, nil) }
            if let index = queue.waiting.firstIndex(where: isOf) { return (object, index + 1) }
        }
        return nil
    }
}
