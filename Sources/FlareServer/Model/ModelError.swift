/// A problem in a model file, and its location.
package struct ModelError: Sendable, Hashable, CustomStringConvertible {
    /// For instance `environments[0].zones[1].things[2].position.x`, or `line 3, column 14` in invalid JSON; empty
    /// for the whole file.
    package let place: String
    package let message: String
    /// Whether it is an existing object that may be replaced.
    package let isReplaceable: Bool

    package init(place: String, message: String, isReplaceable: Bool = false) {
        self.place = place
        self.message = message
        self.isReplaceable = isReplaceable
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// The problems in a model file.
package struct ModelErrors: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [ModelError]
    /// Whether the whole file was read; otherwise there may be more problems.
    package let areAll: Bool

    package init(problems: [ModelError], areAll: Bool = true) {
        self.problems = problems
        self.areAll = areAll
    }

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
