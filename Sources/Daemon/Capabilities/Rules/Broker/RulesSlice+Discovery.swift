import HomeAssistant
import Rules
import Text

extension RulesSlice: AnnouncedRules {
    /// A firing changes no entity.
    package static var announcedChanges: String { nameChanges }

    package var ruleSlugs: [String] { Array(slugs.keys) }

    package func title(ofRule slug: String) -> String? {
        number(of: slug).flatMap { rules[$0] }.map { SecretMask.tokens.masked($0.entry.rule.title) }
    }
}
