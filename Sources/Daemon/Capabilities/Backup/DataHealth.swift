/// When backups and checks of the databases were good, for those who report it.
package struct DataHealth: Sendable, Hashable {
    /// When the last good backup of the schedule was made; milliseconds since 1970, UTC.
    package let lastBackup: Int64?
    /// When all databases were found sound the last time by a full check.
    package let lastCheck: Int64?
}
