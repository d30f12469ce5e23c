/// The system gives too little of something; says of what, and how to change that.
package struct ResourceError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
