/// What a thing's data name, if no profile follows from it.
package struct MissingProfile: Sendable, Hashable {
    /// The key in its data.
    package let key: String
    package let name: String
    /// The models of the types that share the name; empty if nobody has it.
    package let models: [String]
}
