import Text

/// The path and the query of a request, both as they were sent.
/// - Source: RFC 9112 3.2.1.
package struct RequestTarget: Sendable {
    package let path: Substring
    /// What follows the question mark; `nil` without one.
    package let query: Substring?

    package init(_ target: String) {
        let mark = target[...].firstPlace(of: "?")
        path = target[..<(mark ?? target.endIndex)]
        query = mark.map { target[target.utf8.index(after: $0)...] }
    }

    /// The parts of the query, such as `a=1`; empty ones do not count.
    package var parameters: [Substring] { query?.parts(between: "&").filter { !$0.isEmpty } ?? [] }
}
