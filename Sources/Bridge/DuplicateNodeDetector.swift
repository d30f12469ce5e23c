/// Other daemons that speak on our topics, by the epochs in their info.
struct DuplicateNodeDetector: Sendable {
    /// After so many milliseconds one that is heard again is answered again: it may have lost its link meanwhile.
    private static let pause: Int64 = 5000
    /// Of more than so many none is answered any more.
    private static let capacity = 100

    private var answeredAt: [String: Int64] = [:]

    /// Notes a rival.
    ///
    /// - Parameter now: Steady milliseconds.
    /// - Returns: Whether it is to be told our info, so that it learns of us as well. Not each time: two would answer
    ///   each other for ever.
    mutating func heard(_ epoch: String, at now: Int64) -> Bool {
        if let last = answeredAt[epoch] {
            guard now - last >= Self.pause else { return false }
        } else {
            guard answeredAt.count < Self.capacity else { return false }
        }
        answeredAt[epoch] = now
        return true
    }

    var isEmpty: Bool { answeredAt.isEmpty }

    /// Who is still there will be heard again.
    mutating func forget() { answeredAt.removeAll() }
}
