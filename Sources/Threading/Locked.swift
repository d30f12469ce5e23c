import Glibc

/// A value that is protected by a lock.
///
/// It uses a pthread mutex: on Linux the thread sanitizer reports false races for `Synchronization.Mutex`.
///
/// What calls the body is inlinable, so that each use in another module is compiled for its types.
// @unchecked: the value is accessed only between lock and unlock.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Not a member of the class: the lock keeps accesses apart already, so that nothing else needs to watch them.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads or changes the value.
    ///
    /// The body must not finish streams, resume continuations or call callbacks.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Returns `nil`, without calling the body, if the lock is held.
    @inlinable
    package func withLockIfFree<Result>(_ body: (inout Value) -> sending Result) -> sending Result? {
        guard locksIfFree() else { return nil }
        defer { unlock() }
        return body(&value.pointee)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
    @usableFromInline func locksIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }
}
