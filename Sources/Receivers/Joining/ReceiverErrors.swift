package import Flare
package import Positioning

/// The constant errors of receivers: by how much each one measures everything stronger than the others do.
///
/// An error belongs to the receiver, its antenna and what it stands behind, so all devices learn it together. What all
/// receivers have in common cannot be told from the power of a device and stays with the offset of its estimator.
package struct ReceiverErrors: Sendable, Hashable {
    private struct Learnt: Sendable, Hashable {
        /// dB.
        var error: Double
        var fixes: Int
    }

    package static let most = 256
    /// Fixes after which an error is worth storing.
    package static let enoughFixes = 30
    /// Fixes that a stored error counts for.
    private static let restoredFixes = 100
    /// Fewer other receivers than this do not determine a position, which then follows the error.
    package static let leastOthers = 3
    /// dB; a receiver that is worse is broken or stands elsewhere, which the health of beacons says.
    package static let largest = 40.0
    private static let largestStep = 6.0
    private static let leastGain = 0.02
    /// Fixes that an error of zero counts for at first.
    private static let doubt = 15.0

    private var learnt: [String: Learnt] = [:]

    package init() {}

    /// Uses what an earlier run has learnt, dB; not of a receiver that something is known of.
    package mutating func restore(_ receiver: String, _ error: Double) {
        guard learnt[receiver] == nil, learnt.count < Self.most, error.isFinite,
            error.magnitude <= Self.largest
        else { return }
        learnt[receiver] = Learnt(error: error, fixes: Self.restoredFixes)
    }

    /// Learns from one fix of a device, whose measured levels were corrected by what is known.
    package mutating func learn(_ found: [ReceiverError]) {
        let corrections = found.map { correction(of: $0.receiver) }
        for (error, correction) in zip(found, corrections) {
            learn(error.receiver, error: error.decibels + correction, others: found.count - 1)
        }
    }

    /// - Parameters:
    ///   - error: The level that the receiver measured, uncorrected, minus the level that is expected at the fix and
    ///     minus the device's offset, dB.
    ///   - others: How many other receivers the fix is based on.
    private mutating func learn(_ receiver: String, error: Double, others: Int) {
        guard error.isFinite, others >= Self.leastOthers else { return }
        guard var entry = learnt[receiver] ?? (learnt.count < Self.most ? Learnt(error: 0, fixes: 0) : nil)
        else {
            return
        }
        let gain = max(Self.leastGain, 1 / Double(entry.fixes + 2))
        entry.error += gain * min(max(error - entry.error, -Self.largestStep), Self.largestStep)
        entry.error = min(max(entry.error, -Self.largest), Self.largest)
        entry.fixes = min(entry.fixes + 1, 1_000_000)
        learnt[receiver] = entry
    }

    /// What is subtracted from a level of the receiver, dB; 0 for one that nothing is known of.
    package func correction(of receiver: String) -> Double {
        guard let entry = learnt[receiver] else { return 0 }
        return trusted(entry) - common
    }

    /// The errors to store, dB.
    package var known: [String: Double] {
        learnt.filter { $0.value.fixes >= Self.enoughFixes }.mapValues { ($0.error * 10).rounded() / 10 }
    }

    /// Forgets those that are not of the place.
    package mutating func keep(_ receivers: Set<String>) {
        learnt = learnt.filter { receivers.contains($0.key) }
    }

    private func trusted(_ entry: Learnt) -> Double {
        entry.error * Double(entry.fixes) / (Double(entry.fixes) + Self.doubt)
    }

    /// What the errors have in common.
    private var common: Double {
        guard learnt.count > 1 else { return 0 }
        return learnt.values.reduce(0) { $0 + trusted($1) } / Double(learnt.count)
    }
}

/// Which fixes of a device teach the errors of receivers.
///
/// Walls and furniture make errors that last as long as the device stands, and would be learnt as the receivers' own.
package struct ReceiverLessons: Sendable {
    private static let leastMetres = 1.0
    private var taughtAt: Point3D?

    package init() {}

    /// Whether the device has moved enough since the last lesson.
    package mutating func isDue(at place: Point3D) -> Bool {
        if let taughtAt, place.squareInPlane(to: taughtAt) < Self.leastMetres * Self.leastMetres {
            return false
        }
        taughtAt = place
        return true
    }
}
