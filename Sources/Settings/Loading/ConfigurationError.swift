/// Where a value of the configuration comes from.
package enum ConfigurationOrigin: Sendable, Hashable {
    /// Line and column count from 1.
    case file(String, line: Int, column: Int)
    /// A whole file: one that cannot be read.
    case wholeFile(String)
    case variable(String)
    /// The daemon that runs on this machine.
    case running
    case standard
}

extension ConfigurationOrigin: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let name, let line, let column): "\(name):\(line):\(column)"
        case .wholeFile(let name), .variable(let name): name
        case .running: "the running daemon"
        case .standard: "default"
        }
    }
}

/// Something wrong in the configuration: where, which key, what, and what is legal.
package struct ConfigurationError: Sendable, Hashable {
    package var origin: ConfigurationOrigin
    /// The key's path; empty where no key can be named.
    package var path: String
    package var message: String

    package init(_ origin: ConfigurationOrigin, _ path: String, _ message: String) {
        self.origin = origin
        self.path = path
        self.message = message
    }
}

extension ConfigurationError: CustomStringConvertible {
    package var description: String {
        let place = origin == .standard ? nil : origin.description
        return [place, path.isEmpty ? nil : path, message].compactMap { $0 }.joined(separator: ": ")
    }
}

extension ConfigurationErrors: CustomStringConvertible {
    package var description: String { problems.map { "\($0)" }.joined(separator: "; ") }
}

/// Every problem of a configuration at once, in the order of the file, then of the variables.
package struct ConfigurationErrors: Error, Sendable, Hashable {
    package let problems: [ConfigurationError]

    package init(_ problems: [ConfigurationError]) { self.problems = problems }

    /// That of a key whose value turns out not to work.
    package init(_ path: String, _ message: String) {
        problems = [ConfigurationError(.standard, path, message)]
    }

    /// The report for a person: a headline and a line for each problem.
    package func report(by command: String) -> String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        let lines = problems.inOrder.map { "  \($0)" }
        return (["trilateral \(command): config: \(count)"] + lines).joined(separator: "\n")
    }
}

extension [ConfigurationError] {
    /// Those of files first, line by line.
    package var inOrder: [ConfigurationError] {
        enumerated().sorted { left, right in
            switch (left.element.origin, right.element.origin) {
            case (.file(let name, let line, let column), .file(let other, let otherLine, let otherColumn)):
                (name, line, column, left.offset) < (other, otherLine, otherColumn, right.offset)
            case (.file, _): true
            case (_, .file): false
            default: left.offset < right.offset
            }
        }
        .map(\.element)
    }
}
