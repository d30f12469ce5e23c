/// A station's end of one connection: it waits for the greeting, tells its address, and waits until the resolver closes.
package struct UpdateDelivery: DirectoryExchange {
    /// Whether the update was delivered.
    package typealias Result = Bool

    private enum Phase: Sendable, Hashable {
        case greeting, closing, ended
    }

    private let update: [UInt8]
    private var phase = Phase.greeting
    private var buffer = MessageBuffer()
    /// When to call ``tick(now:)``.
    package private(set) var deadline: Int64

    /// - Parameters:
    ///   - update: The message.
    ///   - now: The moment at which the connection is attempted, milliseconds.
    package init(_ update: [UInt8], now: Int64) {
        (self.update, deadline) = (update, now + ResolverQuery.patience)
    }

    package mutating func received(_ bytes: [UInt8], now: Int64) -> [DirectoryAction<Bool>] {
        // An acknowledgement has no form; whatever follows the greeting is one.
        guard phase == .greeting else { return [] }
        switch buffer.append(bytes) {
        case .incomplete: return []
        case .refused: return end(false)
        case .complete(let message):
            guard ResolverQuery.isGreeting(message) else { return end(false) }
            (phase, deadline) = (.closing, now + ResolverQuery.patience)
            return [.send(update)]
        }
    }

    /// The connection could not be made, or has ended: the resolver closes after the commit.
    package mutating func closed() -> [DirectoryAction<Bool>] { end(phase == .closing) }

    package mutating func tick(now: Int64) -> [DirectoryAction<Bool>] { now >= deadline ? end(false) : [] }

    private mutating func end(_ isDelivered: Bool) -> [DirectoryAction<Bool>] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.end(isDelivered)]
    }
}
