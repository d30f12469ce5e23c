/// What is wrong in a file, and where.
package struct ProfileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// An error makes the configuration unusable; after a warning it is used as the message says.
    package enum Severity: String, Sendable, Hashable {
        case error, warning
    }

    /// The kind of problem, for programs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case badJSON = "bad_json"
        case missingComma = "missing_comma"
        case closedEarly = "closed_early"
        case missingField = "missing_field"
        case wrongType = "wrong_type"
        case invalidValue = "invalid_value"
        case outOfRange = "out_of_range"
        case duplicate
        case unknownControl = "unknown_control"
        case unknownScreen = "unknown_screen"
        case unknownColour = "unknown_colour"
        case unknownClass = "unknown_class"
        case unknownKey = "unknown_key"
        case missingRole = "missing_role"
        case tooLarge = "too_large"
    }

    /// As it was given.
    package let file: String
    package let position: SourcePosition
    package let severity: Severity
    package let code: Code
    package let message: String

    package init(
        file: String,
        position: SourcePosition,
        severity: Severity = .error,
        code: Code,
        message: String
    ) {
        (self.file, self.position) = (file, position)
        (self.severity, self.code, self.message) = (severity, code, message)
    }

    /// `FILE:LINE:COLUMN: error|warning: CODE: MESSAGE`.
    package var description: String {
        "\(file):\(position.line):\(position.column): \(severity.rawValue): \(code.rawValue): \(message)"
    }
}
