/// A station's end of one connection: it waits for the greeting, tells its address, and waits until the resolver closes.
package struct UpdateDelivery: DirectoryExchange {
    package enum Result: Sendable, Hashable {
        /// The resolver has read it. The protocol does not say whether it counts.
        case delivered
        /// No greeting in time, or another one.
        case notTaken
        /// There was no connection, and why: `the connection was refused`.
        case unreachable(String)
    }

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

    package mutating func received(_ bytes: [UInt8], now: Int64) -> [DirectoryAction<Result>] {
        // An acknowledgement has no form; whatever follows the greeting is one.
        guard phase == .greeting else { return [] }
        switch buffer.append(bytes) {
        case .incomplete: return []
        case .refused: return end(.notTaken)
        case .complete(let message):
            guard ResolverQuery.isGreeting(message) else { return end(.notTaken) }
            (phase, deadline) = (.closing, now + ResolverQuery.patience)
            return [.send(update)]
        }
    }

    /// The connection could not be made, or has ended: the resolver closes after the commit.
    package mutating func closed() -> [DirectoryAction<Result>] {
        end(phase == .closing ? .delivered : .notTaken)
    }

    package mutating func tick(now: Int64) -> [DirectoryAction<Result>] {
        now >= deadline ? end(.notTaken) : []
    }

    private mutating func end(_ result: Result) -> [DirectoryAction<Result>] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.end(result)]
    }
}
