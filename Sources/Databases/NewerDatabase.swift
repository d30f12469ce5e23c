package import OperatingSystem

/// Why a database is left alone: a newer version of the program has changed it.
package struct NewerDatabase: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    /// The steps that this program does not know.
    package let steps: [String]
    /// The last step that it knows.
    package let known: String
    /// The version that made the last step; `nil` if the file does not say.
    package let program: ProgramVersion?

    package init(path: String, steps: [String], known: String, program: ProgramVersion?) {
        (self.path, self.steps, self.known, self.program) = (path, steps, known, program)
    }

    package var description: String {
        let current = ProgramVersion.current
        // A build between two versions may have steps of the next one.
        let newer = program.flatMap { $0 > current ? $0 : nil }
        let maker = newer.map { "trilateral \($0), which is newer" } ?? "a newer version of trilateral"
        let advice = newer.map { "install \($0) or a later version" } ?? "install that version or a later one"
        return """
            \(path) was written by \(maker) (step \(steps.joined(separator: ", "))); this is trilateral \(current), which \
            knows the steps up to \(known): \(advice), or restore a backup that this version made (trilateral restore)
            """
    }
}
