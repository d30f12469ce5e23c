/// Rules that get entities, as a slice of the state has them.
package protocol AnnouncedRules {
    /// The name of those changes of the slice whose parts are slugs of rules that are new, gone, or have another title.
    static var announcedChanges: String { get }
    /// Whether the rules are known.
    var isLoaded: Bool { get }
    /// The slugs of all rules.
    var ruleSlugs: [String] { get }

    /// The title of a rule; `nil` if there is none.
    func title(ofRule slug: String) -> String?
}
