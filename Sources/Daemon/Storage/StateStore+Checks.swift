/// When the databases were checked.
extension StateStore {
    private static let checkKey = "checked"

    /// When a full check found all databases sound the last time; milliseconds since 1970.
    package func lastCheck() throws(StateStoreError) -> Int64? {
        try read { try Self.setting(Self.checkKey, $0).flatMap { Int64($0) } }
    }

    package func setLastCheck(_ time: Int64) throws(StateStoreError) {
        try write { try Self.set(Self.checkKey, "\(time)", $0) }
    }
}
