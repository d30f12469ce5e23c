/// A regular expression for the names of access points.
package struct SSIDExpression: Sendable, Hashable {
    package let pattern: String

    package init(pattern: String) { self.pattern = pattern }
}
