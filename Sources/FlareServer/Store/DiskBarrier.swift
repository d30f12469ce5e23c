import Dispatch
import Glibc
import SystemPackage

/// Brings what was committed to the disk without holding up who commits: `synchronous: full`.
///
/// A commit writes to the write-ahead log at once, and waits for nothing. One `fdatasync` of that file then makes
/// everything durable that was committed before it began; commits that come meanwhile share the next one.
// @unchecked: the descriptor is touched on the queue only.
final class DiskBarrier: @unchecked Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "trilateral.flare.disk")
    private var descriptor: Int32 = -1

    /// - Parameter path: The write-ahead log's.
    init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits on a thread of its own until everything written so far is on the disk.
    /// - Parameter done: Called there, with the system's error when the disk did not take it.
    func pass(_ done: @escaping @Sendable (Errno?) -> Void) {
        queue.async { done(self.synchronize()) }
    }

    private func synchronize() -> Errno? {
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0, fdatasync(descriptor) == 0 else { return Errno(rawValue: errno) }
        return nil
    }
}
