/// A place in a file, counted from 1: lines, and Unicode scalars in a line.
package struct FilePosition: Sendable, Hashable, Comparable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    /// The first place of a file.
    package static let start = FilePosition(line: 1, column: 1)

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
