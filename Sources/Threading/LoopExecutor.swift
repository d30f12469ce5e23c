import Glibc
package import SystemPackage

/// One thread's turn at a time for parts that belong together: tasks, actors and plain closures.
///
/// Actors with this executor may call each other as plain functions (`assumeIsolated`), since only one of them ever
/// runs. A thread that brings work can do it itself instead of waking the executor's own thread, which would take
/// longer than most of the work: see ``lend(_:)``.
package final class LoopExecutor: TaskExecutor, SerialExecutor {
    private let queue = WorkQueue()

    /// Starts the executor's own thread.
    /// - Throws: The system's error when it allows no further thread.
    package init() throws(Errno) {
        // The thread holds the queue and not the executor, so that it ends with it.
        let (queue, serial) = (queue, asUnownedSerialExecutor())
        let task = asUnownedTaskExecutor()
        let thread = try POSIXThread {
            while let batch = queue.next() {
                for work in batch { work.run(serial, task) }
            }
        }
        thread.detach()
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) { queue.append(.job(UnownedJob(job))) }

    /// Runs a closure after all work that was brought before it; never before this call returns on the executor itself.
    package func perform(_ body: @escaping @Sendable () -> Void) { queue.append(.closure(body)) }

    /// Whether the calling code runs on this executor.
    package var isCurrent: Bool { queue.isWorker }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() { precondition(isCurrent, "not called on the loop") }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Runs a body on the calling thread, and then, on the same thread, the work that it has brought.
    ///
    /// While the executor is busy elsewhere, the work stays there. After two milliseconds the executor's own thread
    /// takes over.
    package func lend(_ body: () -> Void) {
        guard queue.begin() else { return body() }
        body()
        if let batch = queue.borrow() { run(batch) }
    }

    /// Runs a body on the executor, by the calling thread and at once: actors of the executor may be called in it.
    ///
    /// - Returns: What the body returns; `nil`, and the body is not run, when the executor has other work.
    package func runIfFree<Result>(_ body: () throws -> Result) rethrows -> Result? {
        if queue.isWorker { return try body() }
        guard queue.claim() else { return nil }
        defer { run([]) }
        return try body()
    }

    /// Runs borrowed work, and what comes meanwhile.
    private func run(_ borrowed: [Work]) {
        var batch = borrowed
        let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        let end = ContinuousClock.now + .milliseconds(2)
        while true {
            for work in batch { work.run(serial, task) }
            guard let next = queue.borrowMore(isLast: ContinuousClock.now >= end) else { return }
            batch = next
        }
    }
}

private enum Work: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)

    func run(_ serial: UnownedSerialExecutor, _ task: UnownedTaskExecutor) {
        switch self {
        case .job(let job): job.runSynchronously(isolatedTo: serial, taskExecutor: task)
        case .closure(let body): body()
        }
    }
}

/// Work in the order in which it came, for one thread that waits for it, or for one that borrows it.
// @unchecked: what can change is touched only while the mutex is held.
private final class WorkQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Work] = []
    /// The thread that works: one work after the other is done.
    private var worker: pthread_t?
    private var isOwnerCalled = false
    /// Threads that are about to borrow what they bring.
    private var lenders: [pthread_t] = []
    private var isClosed = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        arrival.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrival, nil)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(mutex)
        arrival.deallocate()
        mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    var isWorker: Bool { locked { worker.map(isSelf) ?? false } }

    private func isSelf(_ thread: pthread_t) -> Bool { pthread_equal(thread, pthread_self()) != 0 }

    func append(_ work: Work) {
        callOwner {
            waiting.append(work)
            return !lenders.contains(where: isSelf)
        }
    }

    func close() {
        callOwner {
            isClosed = true
            return true
        }
    }

    /// Changes something, and wakes the owner if nobody works and the change says so.
    private func callOwner(after change: () -> Bool) {
        let isToBeWoken = locked {
            guard change(), worker == nil, !isOwnerCalled else { return false }
            isOwnerCalled = true
            return true
        }
        // Only then, so that the thread does not wake to a locked mutex.
        if isToBeWoken { pthread_cond_signal(arrival) }
    }

    // MARK: The owner

    /// Everything that has come; waits until something has, and returns `nil` when nothing more can.
    func next() -> [Work]? {
        locked {
            if worker.map(isSelf) ?? false { worker = nil }
            isOwnerCalled = worker == nil && !waiting.isEmpty
            while !isOwnerCalled || waiting.isEmpty || worker != nil {
                if isClosed, worker == nil, waiting.isEmpty { return nil }
                if waiting.isEmpty { isOwnerCalled = false }
                pthread_cond_wait(arrival, mutex)
            }
            isOwnerCalled = false
            worker = pthread_self()
            return take()
        }
    }

    private func take() -> [Work] {
        let batch = waiting
        waiting.removeAll()
        return batch
    }

    // MARK: A borrower

    /// Lets the calling thread ask for what it appends from now on.
    /// - Returns: Whether it may; not while it works here already.
    func begin() -> Bool {
        locked {
            guard !(worker.map(isSelf) ?? false), !lenders.contains(where: isSelf) else { return false }
            lenders.append(pthread_self())
            return true
        }
    }

    /// What has come, if nobody works on it.
    func borrow() -> [Work]? {
        locked {
            lenders.removeAll(where: isSelf)
            guard worker == nil, !isOwnerCalled, !waiting.isEmpty else { return nil }
            worker = pthread_self()
            return take()
        }
    }

    /// Lets the calling thread work, if nobody does and nothing has come.
    func claim() -> Bool {
        locked {
            guard worker == nil, !isOwnerCalled, waiting.isEmpty else { return false }
            worker = pthread_self()
            return true
        }
    }

    /// What has come meanwhile; `nil` when there is nothing, or the owner shall have it.
    func borrowMore(isLast: Bool) -> [Work]? {
        let (batch, isToBeWoken) = locked { () -> ([Work]?, Bool) in
            if !waiting.isEmpty, !isLast { return (take(), false) }
            worker = nil
            isOwnerCalled = !waiting.isEmpty || isClosed
            return (nil, isOwnerCalled)
        }
        if isToBeWoken { pthread_cond_signal(arrival) }
        return batch
    }
}
