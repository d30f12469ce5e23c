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

    /// - Parameter stored: Errors that an earlier run has learnt, dB.
    package init(stored: [String: Double] = [:]) {
        for (name, error) in stored.sorted(by: { $0.key < $1.key }).prefix(Self.most)
        where error.isFinite && error.magnitude <= Self.largest {
            learnt[name] = Learnt(error: error, fixes: Self.restoredFixes)
        }
    }

    /// Learns from one fix of a device.
    ///
    /// - Parameters:
    ///   - residual: The level that the receiver measured, uncorrected, minus the level that is expected at the fix, dB.
    ///   - offset: The device's own offset among the receivers, dB.
    ///   - others: How many other receivers the fix is based on.
    package mutating func learn(_ receiver: String, residual: Double, offset: Double, others: Int) {
        let error = residual - offset
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

    /// Forgets a receiver that stands elsewhere now, or that was replaced.
    package mutating func forget(_ receiver: String) { learnt[receiver] = nil }

    /// Forgets those that are gone from the place.
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
