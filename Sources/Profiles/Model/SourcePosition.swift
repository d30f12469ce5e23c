/// A place in a file, counted from 1 in Unicode scalars.
package struct SourcePosition: Sendable, Hashable, Comparable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
