package import SocketIO

/// Selects the next combination of transport and revision.
///
/// The one that worked last is tried first. After a refusal the next one is tried at once; after a timeout, only after
/// the usual pause.
package struct TransportSequence: Sendable, Hashable {
    private let all: [ClientSession.Approach]
    private var index = 0
    /// The number of failed attempts since the last pause.
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

    /// Records the end of a session; after a stranded upgrade to a WebSocket, the next session does not try one.
    package mutating func ended(_ reason: ClientSessionEnd) { upgrades = reason != .stranded }

    /// Advances to the next combination, if the reason allows that.
    /// - Returns: Whether to try it at once.
    package mutating func advance(after reason: ClientSessionEnd) -> Bool {
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
