package import GRDB

/// A database of which a copy can be made while it is used.
package struct DatabaseSource: Sendable {
    /// Does a piece of work with the connection of whoever has the file open, and returns what the work returns.
    package typealias Perform =
        @Sendable (_ work: @escaping @Sendable (Database) throws -> Bool) async throws -> Bool

    /// The name of its file, such as `flare.db`.
    package let name: String
    package let path: String
    /// `nil` if others may open the file as well.
    let perform: Perform?

    /// - Parameter perform: Of a file that its owner has locked; uses the same connection each time. What the owner changes
    ///   between two pieces of work comes into the copy as well. Without it the file is opened once more, and the copy is of
    ///   one moment.
    package init(name: String, path: String, perform: Perform? = nil) {
        (self.name, self.path, self.perform) = (name, path, perform)
    }
}
