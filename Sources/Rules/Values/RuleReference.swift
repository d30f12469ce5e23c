package import Flare

/// A thing or a zone that a rule names.
///
/// As the rule comes in, the text is a slug, an identifier, or the identifier of a binding (`th.…`). A stored
/// rule has identifiers only: see ``Rule/resolved(by:)``.
package struct RuleReference: Sendable, Hashable {
    package let kind: FlareClass
    package let text: String

    package init(_ kind: FlareClass, _ text: String) { (self.kind, self.text) = (kind, text) }

    package init(_ kind: FlareClass, _ id: FlareID) { self.init(kind, id.description) }

    package static func thing(_ text: String) -> Self { Self(.thing, text) }
    package static func zone(_ text: String) -> Self { Self(.zone, text) }

    /// The identifier; of a rule that is not resolved, `nil` for every other text.
    package var id: FlareID? { FlareID(text) }
}
