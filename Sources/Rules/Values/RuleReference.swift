package import Flare

/// A thing or a zone that a rule names.
///
/// As the rule comes in, the text is a slug, an identifier, or the identifier of a binding (`th.…`). A stored
/// rule has identifiers only: see ``Rule/resolved(by:)``.
package struct RuleReference: Sendable, Hashable {
    package let kind: FlareClass
    private let name: Name

    private enum Name: Sendable, Hashable {
        /// Of a text that spells the identifier as it is written here: rules name more objects than there are.
        case id(FlareID)
        case text(String)
    }

    package init(_ kind: FlareClass, _ text: String) {
        self.kind = kind
        let id = FlareID(text)
        name = id.flatMap { $0.description == text ? .id($0) : nil } ?? .text(text)
    }

    package init(_ kind: FlareClass, _ id: FlareID) { (self.kind, name) = (kind, .id(id)) }

    package static func thing(_ text: String) -> Self { Self(.thing, text) }
    package static func zone(_ text: String) -> Self { Self(.zone, text) }

    package var text: String {
        switch name {
        case .id(let id): id.description
        case .text(let text): text
        }
    }

    /// The identifier; of a rule that is not resolved, `nil` for every other text.
    package var id: FlareID? {
        switch name {
        case .id(let id): id
        case .text(let text): FlareID(text)
        }
    }
}
