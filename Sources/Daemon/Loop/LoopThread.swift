import Glibc
import SystemPackage
package import Threading

/// One thread for the parts that hand work to each other all the time: the controller, the bridge, the link to the
/// embedded server.
///
/// A command goes through each of them, some twice. On threads of their own every step would wake another one, which
/// takes longer than most of the steps.
///
/// Where another thread only brings something and would then wait, it does the work itself: see ``lend(_:)``.
package final class LoopThread: TaskExecutor {
    private let jobs = JobQueue()

    /// - Throws: ``ResourceError`` when the system allows no further thread.
    package init() throws(ResourceError) {
        // The thread holds the jobs and not the executor, so that it ends with it.
        let (jobs, executor) = (jobs, asUnownedTaskExecutor())
        do throws(Errno) {
            let thread = try POSIXThread {
                while let batch = jobs.next() {
                    for job in batch { job.runSynchronously(on: executor) }
                }
            }
            thread.detach()
        } catch {
            throw ResourceError("cannot start a thread: \(error)")
        }
    }

    // Nobody runs here any more who would keep this alive.
    deinit { jobs.close() }

    package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    /// Does something on the calling thread, and then there, too, what that has given this one to do.
    ///
    /// To wake a thread takes longer than a command's whole way, and on another processor the caches are cold. Whatever
    /// this one is doing already it goes on with itself; and it takes over when the calling thread has worked for two
    /// milliseconds.
    package func lend(_ work: () -> Void) {
        jobs.begin()
        work()
        guard var batch = jobs.borrow() else { return }
        let end = ContinuousClock.now + .milliseconds(2)
        while true {
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            guard let next = jobs.borrowMore(isLast: ContinuousClock.now >= end) else { return }
            batch = next
        }
    }
}

/// Jobs in the order in which they came, for one thread that waits for them, or one that borrows them.
// @unchecked: what can change is touched only while the mutex is held.
private final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [UnownedJob] = []
    /// Who works: jobs are done one after the other.
    private var worker = Worker.nobody
    /// The thread that is about to borrow what it brings.
    private var bringer: pthread_t?
    private var isClosed = false

    private enum Worker { case nobody, owner, borrower }

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

    func append(_ job: UnownedJob) {
        change {
            waiting.append(job)
            return bringer.map { pthread_equal($0, pthread_self()) == 0 } ?? true
        }
    }

    func close() {
        change {
            isClosed = true
            return true
        }
    }

    /// Changes something, and wakes the owner if nobody works and the change says so.
    private func change(_ body: () -> Bool) {
        let isToBeWoken = locked {
            let isWanted = body() && worker == .nobody
            // Whoever comes next need not wake it as well.
            if isWanted { worker = .owner }
            return isWanted
        }
        // Only then, so that the thread does not wake to a locked mutex.
        if isToBeWoken { pthread_cond_signal(arrival) }
    }

    // MARK: The owner

    /// Everything that has come; waits until something has, and returns `nil` when nothing more can.
    func next() -> [UnownedJob]? {
        locked {
            if worker == .owner, waiting.isEmpty, !isClosed { worker = .nobody }
            while worker != .owner || waiting.isEmpty {
                if isClosed, worker != .borrower, waiting.isEmpty { return nil }
                pthread_cond_wait(arrival, mutex)
            }
            return take()
        }
    }

    private func take() -> [UnownedJob] {
        let batch = waiting
        waiting.removeAll()
        return batch
    }

    // MARK: A borrower

    /// What the calling thread appends from now on it will ask for itself.
    func begin() { locked { bringer = pthread_self() } }

    /// What has come, if nobody works on it.
    func borrow() -> [UnownedJob]? {
        locked {
            bringer = nil
            guard worker == .nobody, !waiting.isEmpty else { return nil }
            worker = .borrower
            return take()
        }
    }

    /// What has come meanwhile; `nil` when there is nothing, or the owner shall have it.
    func borrowMore(isLast: Bool) -> [UnownedJob]? {
        let (batch, isToBeWoken) = locked { () -> ([UnownedJob]?, Bool) in
            if !waiting.isEmpty, !isLast { return (take(), false) }
            worker = waiting.isEmpty && !isClosed ? .nobody : .owner
            return (nil, worker == .owner)
        }
        if isToBeWoken { pthread_cond_signal(arrival) }
        return batch
    }
}
