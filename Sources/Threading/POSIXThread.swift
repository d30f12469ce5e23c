import Glibc
package import SystemPackage

/// A thread for blocking work, which must not occupy a thread of the task pool.
///
/// All signals are blocked on it. Call exactly one of ``join()`` and ``detach()``.
package struct POSIXThread: Sendable {
    private let thread: pthread_t

    /// Starts the work on a new thread.
    /// - Throws: The system's error if it allows no further thread; the work was not started then.
    package init(_ work: @escaping @Sendable () -> Void) throws(Errno) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(work))
        let error = pthread_create(&thread, nil, { Box.run($0) }, box.toOpaque())
        guard error == 0 else {
            box.release()
            throw Errno(rawValue: error)
        }
        self.thread = thread
    }

    /// Waits until the work has ended.
    package func join() { pthread_join(thread, nil) }

    /// Releases the thread when the work has ended.
    package func detach() { pthread_detach(thread) }

    private final class Box: Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let argument else { return nil }
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
            return nil
        }
    }
}
