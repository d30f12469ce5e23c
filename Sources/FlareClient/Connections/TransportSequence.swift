package import SocketIO

/// The ways in which a session is tried, and which one comes next.
///
/// What worked last is tried first. A server that refuses one way is asked for the next at once; one that says
/// nothing is left alone for a while, and asked for the next way then.
package struct TransportSequence: Sendable, Hashable {
    private let all: [ClientSession.Approach]
    private var index = 0
    /// How many have failed since the last pause.
    private var failed = 0
    private var upgrades = true

    /// - Parameter all: At least one.
    package init(_ all: [ClientSession.Approach]) { self.all = all }

    package var current: ClientSession.Approach {
        var approach = all[index % all.count]
        approach.upgrades = approach.upgrades && upgrades
        return approach
    }

    package mutating func joined() { failed = 0 }

    /// A session is over; one that was stranded by the way to a websocket is followed by one that does not try it.
    package mutating func ended(_ reason: ClientSessionEnd) { upgrades = reason != .stranded }

    /// Goes on to the next way, if another might do better.
    /// - Returns: Whether it is to be tried at once.
    package mutating func goOn(after reason: ClientSessionEnd) -> Bool {
        guard reason.allowsOtherApproach else {
            failed = 0
            return false
        }
        index = (index + 1) % all.count
        failed += 1
        if case .timedOut = reason { failed = 0 }
        guard failed > 0, failed < all.count else {
            failed = 0
            return false
        }
        return true
    }
}
