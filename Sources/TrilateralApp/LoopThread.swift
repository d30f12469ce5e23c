import Glibc

/// One thread for the parts that hand work to each other all the time: the controller, the bridge, the link to the
/// embedded server.
///
/// A command goes through each of them, some twice. On threads of their own every step would wake another one, which
/// takes longer than most of the steps.
final class LoopThread: TaskExecutor {
    private let jobs = JobQueue()

    init() {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(jobs: jobs, executor: asUnownedTaskExecutor()))
        let failure = pthread_create(&thread, nil, { Work.run($0) }, work.toOpaque())
        precondition(failure == 0, "cannot start a thread: \(String(cString: strerror(failure)))")
        pthread_detach(thread)
    }

    // Nobody runs here any more who would keep this alive.
    deinit { jobs.close() }

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    /// What the thread holds: not the executor, so that it ends with it.
    private final class Work {
        private let jobs: JobQueue
        private let executor: UnownedTaskExecutor

        init(jobs: JobQueue, executor: UnownedTaskExecutor) {
            self.jobs = jobs
            self.executor = executor
        }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let argument else { return nil }
            // Signals are for the threads that wait for them.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            while let batch = work.jobs.next() {
                for job in batch { job.runSynchronously(on: work.executor) }
            }
            return nil
        }
    }
}

/// Jobs in the order in which they came, for one thread that waits for them.
// @unchecked: what can change is touched only while the mutex is held.
private final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [UnownedJob] = []
    private var isIdle = false
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

    func append(_ job: UnownedJob) { change { $0.waiting.append(job) } }

    func close() { change { $0.isClosed = true } }

    /// Everything that has come; waits until something has, and returns `nil` when nothing more can.
    func next() -> [UnownedJob]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty {
            guard !isClosed else { return nil }
            isIdle = true
            pthread_cond_wait(arrival, mutex)
        }
        isIdle = false
        let batch = waiting
        waiting.removeAll()
        return batch
    }

    private func change(_ body: (JobQueue) -> Void) {
        pthread_mutex_lock(mutex)
        body(self)
        let isToBeWoken = isIdle
        isIdle = false
        pthread_mutex_unlock(mutex)
        // Only then, so that the thread does not wake to a locked mutex.
        if isToBeWoken { pthread_cond_signal(arrival) }
    }
}
