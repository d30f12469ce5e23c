/// What was found in one file.
struct ProfileFindings {
    /// More are counted but not listed: a file of one mistake a line must not fill the memory.
    static let maximumProblems = 1000
    /// Hints cost more than all else; the first of so many names get one.
    private static let maximumHints = 100

    let file: String
    private(set) var errors = 0
    private(set) var warnings = 0
    var types = 0
    var properties = 0
    private var listed: [ProfileProblem] = []
    private var hints = 0

    init(_ source: ProfileSource) {
        file = source.file
        for problem in source.problems {
            add(problem.code, problem.severity, at: problem.position) { problem.message }
        }
    }

    mutating func add(
        _ code: ProfileProblem.Code,
        _ severity: ProfileProblem.Severity,
        at position: SourcePosition,
        _ message: () -> String
    ) {
        if severity == .error { errors += 1 } else { warnings += 1 }
        guard listed.count < Self.maximumProblems else { return }
        listed.append(
            ProfileProblem(
                file: file,
                position: position,
                severity: severity,
                code: code,
                message: message()
            )
        )
    }

    /// Whether a hint may be looked for; each answer counts.
    mutating func mayHint() -> Bool {
        hints += 1
        return hints <= Self.maximumHints
    }

    /// In the order of the file.
    mutating func sorted() -> [ProfileProblem] {
        if errors + warnings > Self.maximumProblems {
            errors += 1
            let rest = ProfileProblem(
                file: file,
                position: .start,
                code: .tooLarge,
                message: "the file has over \(Self.maximumProblems) problems; the others are not listed"
            )
            listed.insert(rest, at: 0)
        }
        // Stable: problems of one place stay as they were found.
        return listed.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }.map(\.element)
    }
}
