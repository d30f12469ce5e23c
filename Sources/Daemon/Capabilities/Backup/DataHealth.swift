package import Databases

/// What is known of the databases and their backups, for those who report it.
package struct DataHealth: Sendable, Hashable {
    /// The files in the state folder, with their logs; those that are not there are left out.
    package let databases: [Backup.File]
    /// When the last good backup of the schedule was made; milliseconds since 1970, UTC.
    package let lastBackup: Int64?
    /// When all databases were found sound the last time by a full check.
    package let lastCheck: Int64?
}
