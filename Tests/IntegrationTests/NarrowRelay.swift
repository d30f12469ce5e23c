import Foundation
import Synchronization
import TestSupport

/// Stands between daemon and broker, and lets a given number of messages of the first connection through, and no more.
///
/// A broker that is killed when it is full was killed in the middle, however fast or slow the machine is.
final class NarrowRelay: Sendable {
    let port: Int
    private let listener: LoopbackSocket
    private let broker: Int
    private let mark: [UInt8]
    /// How many marks may still pass; `nil` after the first connection.
    private let left: Mutex<Int?>

    /// - Parameter mark: What the messages that count have, and no others.
    init(to broker: Int, count: Int, of mark: String) throws {
        listener = try LoopbackSocket.listening()
        port = listener.port
        self.broker = broker
        self.mark = Array(mark.utf8)
        left = Mutex(count)
        Thread.detachNewThread { [self] in
            while let daemon = try? listener.accept() { take(daemon) }
        }
    }

    var isFull: Bool { left.withLock { $0 == 0 } }

    func stop() { listener.shut() }

    private func take(_ daemon: LoopbackSocket) {
        guard let broker = try? LoopbackSocket.connected(to: broker) else { return daemon.shut() }
        let isLimited = left.withLock { $0 != nil }
        Thread.detachNewThread { [self] in
            while case let bytes = daemon.receive(), !bytes.isEmpty {
                let passed = isLimited ? take(bytes) : bytes
                guard (try? broker.send(passed)) != nil, passed.count == bytes.count else { break }
            }
            if !isLimited { broker.shut() }
        }
        Thread.detachNewThread { [self] in
            while case let bytes = broker.receive(), !bytes.isEmpty, (try? daemon.send(bytes)) != nil {}
            // The broker has ended: what comes next may pass.
            left.withLock { $0 = nil }
            daemon.shut()
        }
    }

    /// The part of the bytes that may pass.
    ///
    /// A mark that comes in two parts counts as none.
    private func take(_ bytes: [UInt8]) -> [UInt8] {
        left.withLock { left in
            guard var count = left else { return bytes }
            var rest = bytes[...]
            while count > 0, let found = rest.firstRange(of: mark) {
                rest = rest[found.upperBound...]
                count -= 1
            }
            left = count
            return count > 0 ? bytes : Array(bytes[..<rest.startIndex])
        }
    }
}
