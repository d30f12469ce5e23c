/// Everything that a configuration file may contain.
///
/// Decoding, `--print`, the example file, the environment variables and the hints in error messages all work from it.
package struct ConfigurationSchema: Sendable {
    /// Every key, in the order of the example file.
    package let keys: [ConfigurationKey]
    /// What a running node exchanges at a reload.
    package let exchangeable: [ExchangeableValues]
    let summaries: [String: String]
    let rules: [ConfigurationRule]
    let advice: [ConfigurationRule]
    let files: [ConfigurationFile]
    let usedLater: [ConfigurationFile]
    /// The paths of all sections.
    let sections: Set<String>
    private let keysByPath: [String: ConfigurationKey]

    /// - Parameter sections: What the capabilities add. No two keys may have the same path.
    package init(_ sections: [ConfigurationSection]) {
        let all = [ConfigurationSection.basics] + sections + [.remainder]
        keys = Self.grouped(all.flatMap(\.keys))
        exchangeable = all.flatMap(\.exchangeable)
        summaries = all.reduce(into: [:]) { $0.merge($1.summaries) { first, _ in first } }
        rules = all.flatMap(\.rules)
        advice = all.flatMap(\.advice)
        files = all.flatMap(\.files)
        usedLater = all.flatMap(\.usedLater)
        self.sections = Set(
            keys.flatMap { key in
                let parts = key.path.split(separator: ".")
                return (1..<parts.count).map { parts.prefix($0).joined(separator: ".") }
            }
        )
        keysByPath = Dictionary(uniqueKeysWithValues: keys.map { ($0.path, $0) })
    }

    /// What another configuration may not change in a running node; all exchangeable values are defaults.
    package func fixed(of configuration: TrilateralConfiguration) -> TrilateralConfiguration {
        exchangeable.reduce(into: configuration) { $1.reset(&$0) }
    }

    func key(_ path: String) -> ConfigurationKey? { keysByPath[path] }

    /// Keys of one top-level section together, where the first of them stands.
    private static func grouped(_ keys: [ConfigurationKey]) -> [ConfigurationKey] {
        var order: [Substring] = []
        var groups: [Substring: [ConfigurationKey]] = [:]
        for key in keys {
            let section = key.path.prefix { $0 != "." }
            if groups[section] == nil { order.append(section) }
            groups[section, default: []].append(key)
        }
        return order.flatMap { groups[$0] ?? [] }
    }
}
