package import Settings

/// Where and how often backups are made.
package struct BackupSettings: Sendable, Hashable {
    /// `nil` for `backups` in the state folder.
    package var folder: String?
    package var keep = 3
    /// 0 for none but those that somebody asks for.
    package var everyHours = 24

    package init() {}
}

extension ConfigurationDefaults {
    package var backup: BackupSettings { BackupSettings() }
}

extension ConfigurationSection {
    static let backup = ConfigurationSection(
        summaries: ["backup": "Copies of the databases, made while the daemon runs."],
        keys: ConfigurationKey.table([
            .init("backup.folder", \.backup.folder, .optional(.path)):
                "The folder of the backups; null for backups in the state folder. On another disk they outlive this one.",
            .init("backup.keep", \.backup.keep, .integer(1...1000)):
                "How many backups are kept.",
            .init("backup.every_hours", \.backup.everyHours, .integer(0...168)):
                "How often a backup is made, hours; 0 makes none.",
        ]),
        exchangeable: [.init(\.backup)]
    )
}
