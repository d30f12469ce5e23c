package import SystemPackage
import Threading

/// Switches a scanner on and off, from any thread.
package final class ScanSwitch: Sendable {
    /// What is wanted of the scanner.
    struct Wish: Sendable, Hashable {
        var isOn: Bool
        var isEnding = false
    }

    private let wish: Locked<Wish>
    private let change: EventFD
    /// Readable when the wish may have changed.
    var descriptor: Int32 { change.descriptor }

    /// - Throws: The system's error when the process may open no more descriptors.
    package init(isOn: Bool = true) throws(Errno) {
        wish = Locked(Wish(isOn: isOn))
        change = try EventFD()
    }

    package func set(on: Bool) {
        wish.withLock { $0.isOn = on }
        change.signal()
    }

    func end() {
        wish.withLock { $0.isEnding = true }
        change.signal()
    }

    /// The scanner may be started again.
    func begin() { wish.withLock { $0.isEnding = false } }

    /// What is wanted now; the descriptor is quiet until it changes.
    func read() -> Wish {
        change.clear()
        return wish.withLock { $0 }
    }
}
