/// The texts of all languages, by key.
package struct StringTables: Sendable, Hashable {
    /// By language, then by key.
    package private(set) var tables: [String: [String: String]] = [:]

    package init() {}

    /// Adds a text; a later one replaces an earlier one.
    package mutating func add(_ text: String, for key: String, in language: String) {
        tables[language, default: [:]][key] = text
    }

    package var languages: [String] { tables.keys.sorted() }

    /// The text in the language, else in the part of its tag before `-`, else in English; `nil` without one.
    package func text(_ key: String, in language: String) -> String? {
        if let text = tables[language]?[key] { return text }
        if let dash = language.firstIndex(of: "-"), let text = tables[String(language[..<dash])]?[key] {
            return text
        }
        return tables["en"]?[key]
    }
}
