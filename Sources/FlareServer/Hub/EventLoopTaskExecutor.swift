import NIOCore
import Threading

/// Runs the tasks of requests on an event loop.
///
/// While a task runs, the loop's thread is lent to the hub, so that a request needs no thread switch.
final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop
    private let hub: LoopExecutor

    init(_ loop: any EventLoop, lendingTo hub: LoopExecutor) { (self.loop, self.hub) = (loop, hub) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in
            hub.lend { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
