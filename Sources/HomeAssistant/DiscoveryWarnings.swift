import Things

/// What could not be told to Home Assistant, a sentence each, once in a run.
struct DiscoveryWarnings: Sendable {
    /// Whoever changes a thing all the time shall not fill the memory.
    private static let capacity = 100

    private var open: [String] = []
    private var made: Set<String> = []

    mutating func note(_ leftOut: [ComponentName], of device: String) {
        guard !leftOut.isEmpty, made.count < Self.capacity else { return }
        let remark =
            "\(device) has more than a message of \(DeviceAnnouncement.sizeLimit) bytes can tell; "
            + "Home Assistant is not told of: \(QuotedValue.list(leftOut.map(\.key)))"
        if made.insert(remark).inserted { open.append(remark) }
    }

    mutating func take() -> [String] {
        defer { open.removeAll() }
        return open
    }
}
