import JSON

/// What a thing at the edge has reported and done while the Flare server could not store it.
struct UnstoredValues: Sendable {
    /// So many values are kept; the newest ones beyond that.
    static let capacity = 1000

    private(set) var reported: JSONObject = [:]
    /// What it was asked to do, which does not make a value read-only.
    private(set) var done: JSONObject = [:]

    /// Takes over newer values. What was reported once counts as reported.
    mutating func add(_ values: JSONObject, isReported: Bool) {
        if reported.count + done.count + values.count > Self.capacity { (reported, done) = ([:], [:]) }
        for (key, value) in values {
            if isReported || reported[key] != nil {
                reported[key] = value
                done[key] = nil
            } else {
                done[key] = value
            }
        }
    }
}
