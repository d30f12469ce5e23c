/// What an owner says of the place: which thing of it a binding is to become, or where a new one is to be made.
///
/// - Source: contrib/contract/bindings.md, "In the place".
package struct PlaceWish: Sendable, Hashable {
    /// By slug or identifier.
    package var thing: String?
    /// By slug, identifier or name.
    package var zone: String?

    package init(thing: String? = nil, zone: String? = nil) { (self.thing, self.zone) = (thing, zone) }

    package var isEmpty: Bool { thing == nil && zone == nil }
}
