import Settings

/// Which configuration is in effect, and whether it is valid.
package struct ConfigurationFacts: Sendable {
    package static let check = "configuration"
    private static let mostLines = 20

    /// `nil` for none.
    package var file: String?
    /// As `check` prints them.
    package var problems: [String] = []
    package var warnings: [String] = []
    package var hints: [String] = []

    package init() {}

    package var verdicts: [DoctorVerdict] {
        let name = file ?? "no file, only the defaults and the environment"
        let shown = problems.prefix(Self.mostLines).map {
            DoctorVerdict(
                Self.check,
                .problem,
                $0,
                advice: "correct it; trilateral check shows every mistake"
            )
        }
        let advice = warnings.prefix(Self.mostLines).map { DoctorVerdict(Self.check, .warning, $0) }
        let valid = problems.isEmpty ? [DoctorVerdict(Self.check, .ok, "\(name): valid")] : []
        let more = problems.count - shown.count + warnings.count - advice.count
        let rest =
            more > 0 ? [DoctorVerdict(Self.check, .hint, "\(more) more; trilateral check shows all")] : []
        let known = hints.map { DoctorVerdict(Self.check, .hint, $0) }
        return valid + shown + advice + rest + known
    }

    static func gathered(_ context: DoctorContext) -> ConfigurationFacts {
        var facts = ConfigurationFacts()
        facts.file = context.configurationFile
        let check = ConfigurationCheck(
            file: context.configurationFile,
            environment: context.environment,
            unit: context.unitOfFile
        )
        facts.problems = check.problems.map(\.description)
        facts.warnings = check.warnings
        facts.hints = check.hints
        return facts
    }
}
