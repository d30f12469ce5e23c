/// A change of many objects at once, made by the command line while the server runs.
package struct ModelChange: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The mode is unknown where the import was refused before its content was read.
        case `import`(ModelImportMode?)
        /// Orphans were removed.
        case tidy
    }

    package let kind: Kind
    /// How many objects were stored or removed.
    package let objects: Int
    /// Who requested it; `nil` for a part of this program.
    package let visitor: FlareVisitor?

    package init(_ kind: Kind, objects: Int = 0, _ visitor: FlareVisitor? = nil) {
        (self.kind, self.objects, self.visitor) = (kind, objects, visitor)
    }
}

/// Is told of changes of many objects, after they are made, and why one was refused, if it was.
///
/// Called on the hub's executor.
package typealias ModelChangeRecord = @Sendable (ModelChange, _ refusal: String?) -> Void
