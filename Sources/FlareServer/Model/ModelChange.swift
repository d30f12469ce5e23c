/// A change of many objects at once, made by the command line.
package struct ModelChange: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case `import`(ModelImportMode)
        /// Orphans were removed.
        case tidy
    }

    package let kind: Kind
    /// How many objects were stored or removed.
    package let objects: Int
    /// The user of this machine who requested it; `nil` if the system does not say.
    package let user: String?

    package init(_ kind: Kind, objects: Int, by user: String?) {
        (self.kind, self.objects, self.user) = (kind, objects, user)
    }
}

/// Receives changes of many objects, after they are made.
///
/// Called on the hub's executor.
package typealias ModelChangeRecord = @Sendable (ModelChange) -> Void
