/// Other daemons that publish on our topics, recognised by the epochs in their info.
package struct DuplicateNodeDetector: Sendable {
    package enum Outcome: Sendable {
        /// It came over a lost link: whether the daemon is still there is unknown.
        case ignored
        case recorded
        /// Send our own info, so that the other daemon learns of us as well.
        case answer
    }

    /// A duplicate that shows itself again is answered again after so many milliseconds: it may have lost its link.
    private static let pause: Int64 = 5000
    /// The most duplicates that are remembered and answered.
    private static let capacity = 100

    private var answeredAt: [String: Int64] = [:]
    private var isLinkUp = false

    package init() {}

    /// Records another daemon's info.
    ///
    /// Not each one is answered: two daemons would answer each other for ever.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func receive(_ epoch: String, at now: Int64) -> Outcome {
        guard isLinkUp else { return .ignored }
        if let last = answeredAt[epoch] {
            guard now - last >= Self.pause else { return .recorded }
        } else {
            guard answeredAt.count < Self.capacity else { return .recorded }
        }
        answeredAt[epoch] = now
        return .answer
    }

    package var isEmpty: Bool { answeredAt.isEmpty }

    package mutating func linkCameUp() { isLinkUp = true }

    /// The link is lost; call ``removeAll()`` as well.
    package mutating func linkWentDown() { isLinkUp = false }

    /// Forgets all duplicates; those that are still there show themselves again.
    package mutating func removeAll() { answeredAt.removeAll() }
}
