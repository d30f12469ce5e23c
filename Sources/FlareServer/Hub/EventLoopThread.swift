import NIOCore

/// An event loop as the place where tasks run.
///
/// A request is read there and answered there; on threads of their own its task and the hub would each wake another
/// thread for it, which takes longer than the request.
final class EventLoopThread: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
