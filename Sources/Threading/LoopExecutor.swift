import Glibc
import Synchronization
package import SystemPackage

/// A serial executor for tasks, actors and closures.
///
/// Actors on this executor may call each other as plain functions (`onExecutor`), since only one of them runs at a time.
/// A thread that submits work can run it itself, because waking the executor's own thread takes longer than most of the
/// work: see ``lend(_:)``.
package final class LoopExecutor: TaskExecutor, SerialExecutor {
    /// How long a thread that lends itself works for others.
    private static let lendingTime = Duration.milliseconds(2)

    private let queue: WorkQueue
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Starts the executor's own thread.
    ///
    /// - Parameter now: The clock of timers, which also limits how long a lent thread works.
    /// - Throws: The system's error if it allows no further thread.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws(Errno) {
        self.now = now
        queue = WorkQueue(now)
        // The thread retains the queue and not the executor, so that it ends when the executor is released.
        let (queue, serial) = (queue, asUnownedSerialExecutor())
        let task = asUnownedTaskExecutor()
        let thread = try POSIXThread {
            while let batch = queue.next() {
                var end = now() + Self.lendingTime
                for work in batch {
                    work.run(serial, task)
                    guard queue.hasEndings, now() >= end else { continue }
                    queue.endBatch()
                    end = now() + Self.lendingTime
                }
                queue.endBatch()
            }
        }
        thread.detach()
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) { queue.append(.job(UnownedJob(job))) }

    /// Runs a closure after all work that was submitted before it.
    ///
    /// When called on the executor, the closure runs after the current work.
    package func perform(_ body: @escaping @Sendable () -> Void) { queue.append(.closure(body)) }

    /// Runs a closure after a delay, unless the executor has been released by then.
    ///
    /// The executor's own thread waits for it: no task has to be woken first.
    package func perform(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.append(.closure(body), at: now() + delay)
    }

    /// Returns when a closure that is submitted now has run, or the task is cancelled.
    package func nextTurn() async {
        let (turn, end) = AsyncStream.makeStream(of: Never.self)
        perform { end.finish() }
        for await _ in turn {}
    }

    /// Runs a closure when the present batch of work is done, or has taken two milliseconds.
    ///
    /// For what is done once rather than after each piece of work; called on the executor.
    package func performAtRest(_ body: @escaping @Sendable () -> Void) {
        checkIsolated()
        queue.addEnding(body)
    }

    /// Whether the calling code runs on this executor.
    package var isCurrent: Bool { queue.isWorker }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() { precondition(isCurrent, "not called on the loop") }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Runs a body on the calling thread, and then, on the same thread, the work that the body has submitted.
    ///
    /// If the executor is busy on another thread, that thread runs the work. After two milliseconds the executor's own
    /// thread runs what is left.
    package func lend(_ body: () -> Void) {
        guard queue.begin() else { return body() }
        body()
        if let batch = queue.borrow() { run(batch) }
    }

    /// Runs a body on the executor, on the calling thread and at once; it may call actors of the executor.
    ///
    /// - Returns: The body's result; `nil`, without running the body, if the executor has other work.
    package func runIfFree<Result>(_ body: () throws -> Result) rethrows -> Result? {
        if queue.isWorker { return try body() }
        guard queue.claim() else { return nil }
        defer { run([]) }
        return try body()
    }

    /// Runs borrowed work, and work that is submitted meanwhile, until the time is up.
    private func run(_ borrowed: [Work]) {
        var batch = borrowed
        let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        let end = now() + Self.lendingTime
        while true {
            for index in batch.indices {
                if index > 0, now() >= end {
                    queue.endBatch()
                    return queue.giveBack(batch[index...])
                }
                batch[index].run(serial, task)
            }
            queue.endBatch()
            guard let next = queue.borrowMore(isLast: now() >= end) else { return }
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

/// Work in the order of submission, for the owner thread, which waits for it, or for a thread that borrows it.
// @unchecked: mutable state is accessed only while the mutex is held, except what is atomic and what only the worker uses.
private final class WorkQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Work] = []
    /// The thread that runs work, or 0; changed only with the mutex.
    private let workerThread = Atomic<pthread_t>(0)
    /// Whether the owner was woken and has not started yet.
    private var isOwnerCalled = false
    /// Threads that will borrow the work they submit.
    private var lenders: [pthread_t] = []
    private var isClosed = false
    /// Work whose time has not come, the next one last.
    private var timers: [(due: ContinuousClock.Instant, work: Work)] = []
    private let now: @Sendable () -> ContinuousClock.Instant
    /// What is to run at the end of a batch; used only by the thread that runs work.
    private var endings: [@Sendable () -> Void] = []

    init(_ now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        mutex.initialize(to: pthread_mutex_t())
        arrival.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(arrival, &attributes)
        pthread_condattr_destroy(&attributes)
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

    /// The thread that runs work; there is at most one.
    private var worker: pthread_t? {
        get {
            let thread = workerThread.load(ordering: .relaxed)
            return thread == 0 ? nil : thread
        }
        set { workerThread.store(newValue ?? 0, ordering: .relaxed) }
    }

    /// Needs no mutex: only the thread itself enters and removes its own identifier.
    var isWorker: Bool { worker.map(isSelf) ?? false }

    private func isSelf(_ thread: pthread_t) -> Bool { pthread_equal(thread, pthread_self()) != 0 }

    func append(_ work: Work) {
        callOwner {
            waiting.append(work)
            return !lenders.contains(where: isSelf)
        }
    }

    /// Appends work when its time has come; of two with the same time the one that came first is first.
    func append(_ work: Work, at due: ContinuousClock.Instant) {
        let isNext = locked {
            let index = timers.firstIndex { $0.due <= due } ?? timers.endIndex
            timers.insert((due, work), at: index)
            return index == timers.endIndex - 1
        }
        if isNext { pthread_cond_signal(arrival) }
    }

    func close() {
        callOwner {
            isClosed = true
            return true
        }
    }

    /// Changes the queue, and wakes the owner if the change returns `true` and no thread is running work.
    private func callOwner(after change: () -> Bool) {
        let isToBeWoken = locked {
            guard change(), worker == nil, !isOwnerCalled else { return false }
            isOwnerCalled = true
            return true
        }
        // After unlocking, so that the thread does not wake up to a locked mutex.
        if isToBeWoken { pthread_cond_signal(arrival) }
    }

    // MARK: The owner

    /// Waits for work; `nil` once the queue is closed and empty.
    func next() -> [Work]? {
        locked {
            if isWorker { worker = nil }
            isOwnerCalled = worker == nil && !waiting.isEmpty
            while true {
                appendDue()
                if isOwnerCalled, !waiting.isEmpty, worker == nil { break }
                if isClosed, worker == nil, waiting.isEmpty { return nil }
                if waiting.isEmpty { isOwnerCalled = false }
                wait()
            }
            isOwnerCalled = false
            worker = pthread_self()
            return take()
        }
    }

    /// Work whose time has come is done by the owner, or by the thread that works already.
    private func appendDue() {
        guard !timers.isEmpty else { return }
        let now = now()
        while let next = timers.last, next.due <= now {
            timers.removeLast()
            waiting.append(next.work)
            if worker == nil { isOwnerCalled = true }
        }
    }

    /// Waits for work, or until the time of the next timer.
    private func wait() {
        guard let next = timers.last else {
            pthread_cond_wait(arrival, mutex)
            return
        }
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = max(next.due - now(), .zero).components
        // Rounded up to a microsecond: an earlier end would only mean another wait.
        let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000) + 1000
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(arrival, mutex, &end)
    }

    private func take() -> [Work] {
        let batch = waiting
        waiting.removeAll()
        return batch
    }

    // MARK: The end of a batch

    var hasEndings: Bool { !endings.isEmpty }

    func addEnding(_ body: @escaping @Sendable () -> Void) { endings.append(body) }

    func endBatch() {
        while !endings.isEmpty {
            let batch = endings
            endings.removeAll(keepingCapacity: true)
            for ending in batch { ending() }
        }
    }

    // MARK: A borrower

    /// Registers the calling thread as a lender.
    /// - Returns: `false` if it is registered, or runs work, already.
    func begin() -> Bool {
        locked {
            guard !isWorker, !lenders.contains(where: isSelf) else { return false }
            lenders.append(pthread_self())
            return true
        }
    }

    /// The waiting work, if no thread runs any.
    func borrow() -> [Work]? {
        locked {
            lenders.removeAll(where: isSelf)
            guard worker == nil, !isOwnerCalled, !waiting.isEmpty else { return nil }
            worker = pthread_self()
            return take()
        }
    }

    /// Makes the calling thread the worker, if there is none and no work is waiting.
    func claim() -> Bool {
        locked {
            guard worker == nil, !isOwnerCalled, waiting.isEmpty else { return false }
            worker = pthread_self()
            return true
        }
    }

    /// Work that was submitted meanwhile; `nil` if there is none, or if the owner is to run it.
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

    /// Puts borrowed work back at the front, and wakes the owner for it.
    func giveBack(_ rest: ArraySlice<Work>) {
        locked {
            waiting.insert(contentsOf: rest, at: 0)
            worker = nil
            isOwnerCalled = true
        }
        pthread_cond_signal(arrival)
    }
}
