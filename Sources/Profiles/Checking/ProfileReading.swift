/// Files, checked together and joined with the built-in profiles.
package struct ProfileReading: Sendable {
    /// What one file has.
    package struct FileSummary: Sendable, Hashable {
        /// As it was given.
        package let file: String
        package let types: Int
        package let properties: Int
        package let errors: Int
        package let warnings: Int
    }

    /// What the files say; with errors, as much of it as could be understood.
    package let library: ProfileLibrary
    /// All of them, by file and place.
    package let problems: [ProfileProblem]
    package let files: [FileSummary]

    /// - Parameter modules: The classes of own modules; `nil` if nobody knows them.
    package init(of sources: [ProfileSource], modules: Set<String>? = nil) {
        self.init(of: sources, modules: modules, onto: ProfileLibrary.builtIn.profiles)
    }

    init(of sources: [ProfileSource], modules: Set<String>?, onto builtIn: [Profile]) {
        var checker = ProfileChecker(sources, modules: modules ?? [])
        var problems: [ProfileProblem] = []
        for index in checker.findings.indices { problems += checker.findings[index].sorted() }
        files = checker.findings.map {
            FileSummary(
                file: $0.file,
                types: $0.types,
                properties: $0.properties,
                errors: $0.errors,
                warnings: $0.warnings
            )
        }
        self.problems = problems
        var library = checker.library
        let kept = builtIn.filter {
            checker.typePlaces[ProfileChecker.TypeName(name: $0.name, model: $0.model)] == nil
        }
        library.profiles = kept + checker.profiles
        self.library = library
    }

    package var hasErrors: Bool { files.contains { $0.errors > 0 } }
}
