package import OperatingSystem

/// What one part of the program adds to the configuration file.
package struct ConfigurationSection: Sendable {
    /// A sentence for each section of the file, by path: `sensors.beacons`.
    package let summaries: [String: String]
    /// In the order in which they are printed.
    package let keys: [ConfigurationKey]
    /// What a running node exchanges at a reload; every other value needs another daemon.
    let exchangeable: [ExchangeableValues]
    /// What several keys must agree on.
    package let rules: [ConfigurationRule]
    /// What is legal, and hardly meant: a warning.
    package let advice: [ConfigurationRule]
    /// Files that are read together with the configuration.
    package let files: [ConfigurationFile]
    /// Files that are read only when the daemon uses them; until then, only `check` looks at them.
    package let usedLater: [ConfigurationFile]

    package init(
        summaries: [String: String] = [:],
        keys: [ConfigurationKey] = [],
        exchangeable: [ExchangeableValues] = [],
        rules: [ConfigurationRule] = [],
        advice: [ConfigurationRule] = [],
        files: [ConfigurationFile] = [],
        usedLater: [ConfigurationFile] = []
    ) {
        (self.summaries, self.keys, self.exchangeable) = (summaries, keys, exchangeable)
        (self.rules, self.advice) = (rules, advice)
        (self.files, self.usedLater) = (files, usedLater)
    }
}

/// The defaults of the values that each ``ConfigurationSection`` is decoded into.
///
/// A capability adds its own in its folder; its name is also that of the values in ``TrilateralConfiguration``. Each has
/// another type.
///
///     extension ConfigurationDefaults {
///         package var map: MapConfiguration { MapConfiguration() }
///     }
package struct ConfigurationDefaults: Sendable {}

/// A file that a key names and that is read together with the configuration, such as a password.
package struct ConfigurationFile: Sendable {
    /// The key that names the file.
    let path: String
    /// Reads the file if there is one to read; returns a warning if something about it should change.
    let load: @Sendable (inout LoadedConfiguration) -> Result<String?, FileError>

    package init(
        _ path: String,
        load: @escaping @Sendable (inout LoadedConfiguration) -> Result<String?, FileError>
    ) {
        (self.path, self.load) = (path, load)
    }
}
