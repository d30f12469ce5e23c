/// What is wrong with a model file, and where.
package struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
    /// As in `environments[0].zones[1].things[2].position.x`, or `line 3, column 14` where the text is no JSON;
    /// empty for the file as a whole.
    package let place: String
    package let message: String

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// All that is wrong with a model file.
package struct ModelProblems: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [ModelProblem]

    package init(problems: [ModelProblem]) { self.problems = problems }

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
