import Text

/// Warnings about components that could not be announced, each once in a run.
struct DiscoveryWarnings: Sendable {
    /// Limits the memory for things that change all the time.
    private static let capacity = 100

    private var pending: [String] = []
    private var issued: Set<String> = []

    mutating func record(_ leftOut: [ComponentName], of device: String) {
        guard !leftOut.isEmpty, issued.count < Self.capacity else { return }
        let warning =
            "\(device) has too many entities for a discovery message of \(DeviceAnnouncement.sizeLimit) bytes; "
            + "not announced to Home Assistant: \(QuotedValue.list(leftOut.map(\.key)))"
        if issued.insert(warning).inserted { pending.append(warning) }
    }

    mutating func drain() -> [String] {
        defer { pending.removeAll() }
        return pending
    }
}
