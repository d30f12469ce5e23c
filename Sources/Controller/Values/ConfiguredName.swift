package import Flare
import Text

/// A short name or identifier of an object that the configuration gives.
package struct ConfiguredName: Sendable, Hashable {
    /// The configuration's key, such as `control.read_only`.
    package let key: String
    package let text: String
    /// What it may name.
    package let kinds: [FlareClass]
    /// The alert that says which names nothing has.
    package static let alert = "names"

    /// Whether a name that has this one as short name is meant, too.
    private let isName: Bool

    /// - Parameter isName: Whether "Table lamp" stands for `table-lamp`.
    package init(_ text: String, in key: String, _ kinds: [FlareClass], isName: Bool = false) {
        (self.text, self.key, self.kinds, self.isName) = (text, key, kinds, isName)
    }

    /// Whether it names something that is there.
    ///
    /// - Parameter isThere: Whether there is an object that has a short name.
    private func means(_ slugs: SlugRegistry, _ isThere: (ObjectReference) -> Bool) -> Bool {
        let words = [text] + (isName ? [SlugRegistry.slug(from: text)].compactMap(\.self) : [])
        return kinds.contains { kind in
            ([FlareID(text)] + words.map { slugs.id(of: $0, kind: kind) }).contains {
                $0.map { isThere(ObjectReference(kind, $0)) } ?? false
            }
        }
    }

    /// A sentence for each name that nothing has.
    ///
    /// - Parameters:
    ///   - isThere: Whether there is an object that has a short name.
    ///   - limit: How many sentences; finding what was meant is expensive.
    /// - Returns: The sentences, and how many more there would be.
    package static func problems(
        of names: [ConfiguredName],
        in slugs: SlugRegistry,
        limit: Int,
        where isThere: (ObjectReference) -> Bool = { _ in true }
    ) -> (sentences: [String], more: Int) {
        func exists(_ object: ObjectReference) -> Bool {
            slugs[object.kind, object.id] != nil && isThere(object)
        }
        let unknown = names.filter { !$0.means(slugs, exists) }
        let sentences = unknown.prefix(limit).map { name in
            let candidates = name.kinds.flatMap { kind in
                slugs.objects(of: kind).filter(exists).compactMap { slugs[kind, $0.id] }
            }
            let kinds = name.kinds.map(\.rawValue).joined(separator: " or ")
            let hint = NearestName.hint(for: name.text, among: candidates.sorted())
            return "\(name.key) names \(QuotedValue.of(name.text)), which is no \(kinds)\(hint)"
        }
        return (sentences, unknown.count - sentences.count)
    }
}

/// The alert about names in the configuration that no thing and no zone has.
struct UnknownNames: Sendable {
    private static let alert = ConfiguredName.alert
    /// Most names that the alert shows.
    private static let limit = 5

    /// Whether objects have come or gone, or the configuration has changed, since the names were looked up.
    private var isDue = true

    mutating func objectsChanged() { isDue = true }

    /// Looks all names up again if need be, once the names of everything are known.
    mutating func update(in core: inout ControllerCore, isElsewhereRead: Bool) {
        guard isDue, core.state.isPlaceKnown, !core.state.isStale, isElsewhereRead else { return }
        isDue = false
        let state = core.state
        let (problems, more) = ConfiguredName.problems(
            of: core.configuration.names,
            in: state.slugs,
            limit: Self.limit
        ) { state.isAnywhere($0) }
        guard !problems.isEmpty else { return core.clear(Self.alert) }
        let rest = more > 0 ? "; and \(more) more" : ""
        let text = "Names in the configuration without effect: \(problems.joined(separator: "; "))\(rest)"
        core.raise(Self.alert, .warning, text + (text.hasSuffix("?") ? "" : "."))
    }

    /// Forgets what belongs to a place that is left.
    mutating func forget(in core: inout ControllerCore) {
        isDue = true
        core.clear(Self.alert)
    }
}
