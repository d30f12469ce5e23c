import NIOCore
import Threading

/// An event loop as the place where tasks run.
///
/// A request is read and answered there. While it runs there it lends its thread to the hub, so that neither side has
/// to wake another thread.
final class EventLoopThread: TaskExecutor {
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
