/// A path whose parts are fixed or vary, as `users/{user}/password`.
///
/// It is exact: every part counts, also an empty one, as after a slash at the end.
package struct PathTemplate: Sendable, Hashable, CustomStringConvertible {
    /// Parts that vary have names in braces.
    package let description: String
    /// `nil` for a part that varies.
    private let parts: [String?]

    package init(_ description: String) {
        self.description = description
        parts = description.split(separator: "/", omittingEmptySubsequences: false).map {
            $0.hasPrefix("{") ? nil : String($0)
        }
    }

    /// How many parts it has; of an absolute path with the empty one before the first slash.
    package var count: Int { parts.count }

    /// The parts of a path that vary; `nil` for another path.
    ///
    /// - Parameter path: Its parts, decoded; of an absolute path the first one is empty.
    package func values(in path: [String]) -> [String]? {
        guard path.count == parts.count else { return nil }
        var values: [String] = []
        for (own, other) in zip(parts, path) {
            guard let own else {
                values.append(other)
                continue
            }
            guard own == other else { return nil }
        }
        return values
    }
}
