/// What is wrong with a model file, and where.
package struct ModelError: Sendable, Hashable, CustomStringConvertible {
    /// As in `environments[0].zones[1].things[2].position.x`, or `line 3, column 14` where the text is no JSON;
    /// empty for the file as a whole.
    package let place: String
    package let message: String
    /// Whether it is an object that is there already, and that may be replaced.
    package let isReplaceable: Bool

    package init(place: String, message: String, isReplaceable: Bool = false) {
        self.place = place
        self.message = message
        self.isReplaceable = isReplaceable
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// All that is wrong with a model file.
package struct ModelErrors: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [ModelError]
    /// Whether the file was read to its end; else there may be more.
    package let areAll: Bool

    package init(problems: [ModelError], areAll: Bool = true) {
        self.problems = problems
        self.areAll = areAll
    }

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
