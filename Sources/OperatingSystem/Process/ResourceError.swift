/// A system resource is exhausted; the description names it and says what to do.
package struct ResourceError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
