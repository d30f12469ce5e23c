package import SystemPackage
import Threading

/// Switches a scanner on and off from any thread.
package final class ScanSwitch: Sendable {
    /// The requested state of the scanner.
    struct Request: Sendable, Hashable {
        var isOn: Bool
        var isEnding = false
    }

    private let request: Locked<Request>
    private let change: EventFD
    /// Readable when the request may have changed.
    var descriptor: Int32 { change.descriptor }

    /// - Throws: The system's error when the process has no descriptor left.
    package init(isOn: Bool = true) throws(Errno) {
        request = Locked(Request(isOn: isOn))
        change = try EventFD()
    }

    package func set(on: Bool) {
        request.withLock { $0.isOn = on }
        change.signal()
    }

    func end() {
        request.withLock { $0.isEnding = true }
        change.signal()
    }

    /// Allows the scanner to be started again.
    func begin() { request.withLock { $0.isEnding = false } }

    /// The current request; resets the descriptor.
    func read() -> Request {
        change.clear()
        return request.withLock { $0 }
    }
}
