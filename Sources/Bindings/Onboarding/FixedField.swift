/// A field of a binding that is fixed when it was given, or when the first owner has onboarded the thing.
///
/// The raw value is its name in `ignored`.
/// - Source: contrib/contract/bindings.md, "Fixed fields".
package enum FixedField: String, Sendable, Hashable, CaseIterable {
    case type = "thingType"
    case properties = "thingProperties"
    case interval
}
