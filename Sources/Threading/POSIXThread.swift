import Glibc
package import SystemPackage

/// A thread for work that waits for the system most of the time, and so must not hold one of the task pool.
///
/// All signals are blocked on it; the threads that wait for signals receive them. Call exactly one of ``join()`` and
/// ``detach()``.
package struct POSIXThread: Sendable {
    private let thread: pthread_t

    /// Starts the work on a new thread.
    /// - Throws: The system's error when it allows no further thread; the work was not begun then.
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

    /// Waits until the work is done.
    package func join() { pthread_join(thread, nil) }

    /// Lets the thread end by itself.
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
