import CBluetooth
import Glibc

/// Switches a scanner on and off, from any thread.
package final class ScanSwitch: Sendable {
    /// What is wanted of the scanner.
    struct Wish: Sendable, Hashable {
        var isOn: Bool
        var isEnding = false
    }

    private let wish: Locked<Wish>
    /// Readable when the wish may have changed.
    let descriptor: Int32

    package init(isOn: Bool = true) {
        wish = Locked(Wish(isOn: isOn))
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "no descriptor is left: \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    package func set(on: Bool) {
        wish.withLock { $0.isOn = on }
        ring()
    }

    func end() {
        wish.withLock { $0.isEnding = true }
        ring()
    }

    /// The scanner may be started again.
    func begin() { wish.withLock { $0.isEnding = false } }

    /// What is wanted now; the descriptor is quiet until it changes.
    func read() -> Wish {
        var rings: eventfd_t = 0
        _ = eventfd_read(descriptor, &rings)
        return wish.withLock { $0 }
    }

    private func ring() { _ = eventfd_write(descriptor, 1) }
}
