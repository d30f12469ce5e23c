import Dispatch
import Glibc
import SystemPackage

/// Makes commits durable in the background, for `synchronous: full`.
///
/// A commit writes to the write-ahead log and does not wait. One `fdatasync` of that file then makes all earlier
/// commits durable; commits in the meantime share the next one.
// @unchecked: the descriptor is used on the queue only.
final class DiskBarrier: @unchecked Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "trilateral.flare.disk")
    private var descriptor: Int32 = -1

    /// - Parameter path: The write-ahead log.
    init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Synchronizes the log in the background.
    /// - Parameter completion: Called on another thread, with the system's error on failure.
    func synchronize(_ completion: @escaping @Sendable (Errno?) -> Void) {
        queue.async { completion(self.synchronizeNow()) }
    }

    private func synchronizeNow() -> Errno? {
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0, fdatasync(descriptor) == 0 else { return Errno(rawValue: errno) }
        return nil
    }
}
