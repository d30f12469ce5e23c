package import Settings

/// Who may drive what.
package struct ControlConfiguration: Sendable, Hashable {
    /// Things and zones that nobody may drive: short names, ids, or `all`.
    package var readOnly: [String] = []
}

extension ConfigurationDefaults {
    package var control: ControlConfiguration { ControlConfiguration() }
}

extension ConfigurationSection {
    static let control = ConfigurationSection(
        summaries: ["control": "Who may drive what."],
        keys: ConfigurationKey.table([
            .init("control.read_only", \.control.readOnly, .list(.text(upTo: 64), upTo: 1000)):
                "Things and zones that nobody may drive, by short name or id; all for every thing."
        ]),
        exchangeable: [.init(\.control)]
    )
}
