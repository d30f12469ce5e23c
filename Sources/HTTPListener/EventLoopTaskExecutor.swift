package import NIOCore
package import Threading

/// Runs the tasks of requests on an event loop.
///
/// While a task runs, the loop's thread is lent to an executor, so that a request needs no thread switch.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop
    private let executor: LoopExecutor

    /// - Parameter executor: The executor that answers the requests.
    package init(_ loop: any EventLoop, lendingTo executor: LoopExecutor) {
        (self.loop, self.executor) = (loop, executor)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in
            executor.lend { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
