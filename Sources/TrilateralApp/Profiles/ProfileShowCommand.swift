import ArgumentParser
import Foundation
import JSON
import Profiles
import Settings
import Text

/// `trilateral profile show`: the profiles that there are, or the properties of one.
struct ProfileShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the profiles, or the properties of one.",
        discussion: """
            Without a name it prints a line a profile: name, model, where it is from, and the number of its properties. \
            With a name it prints a line a property: name, rw or r, type, limits, step and unit of its numbers, the words \
            that set takes, actions, control, platform in Home Assistant, roles, flags; - stands for nothing. The \
            profiles are the built-in ones and those of the configuration, or with --file those of the files.
            """
    )

    @Argument(help: "A profile, as NAME or NAME/MODEL.")
    var name: String?

    @Option(
        name: .customLong("file"),
        help: ArgumentHelp(
            "Show the profiles of this file instead of those of the configuration; can be given several times.",
            valueName: "file"
        ),
        completion: .file()
    )
    var files: [String] = []

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print a file with profiles, to copy from.")
    var yaml = false

    func validate() throws {
        if json, yaml { throw ValidationError("--json and --yaml exclude each other; give one of them") }
    }

    func run() throws {
        let library = try library()
        let shown = try name.map { [try Self.profile($0, in: library)] }
        if yaml {
            let form = ProfileForm(of: shown ?? library.profiles, strings: library.strings, as: .yaml)
            return try StandardOutput.write(form.yaml)
        }
        switch (shown?.first, json) {
        case (let profile?, true): try StandardOutput.print(ProfileReport.json(of: profile).text)
        case (let profile?, false): try StandardOutput.print(ProfileReport.table(of: profile))
        case (nil, true):
            try StandardOutput.print(JSONValue.array(library.profiles.map(ProfileReport.summary)).text)
        case (nil, false): try StandardOutput.print(ProfileReport.table(of: library.profiles))
        }
    }

    private func library() throws -> ProfileLibrary {
        let isConfigured = files.isEmpty || file.path != nil
        let daemon = DaemonLocator(ProcessInfo.processInfo.environment).only
        let settings = isConfigured ? try file.load(of: daemon).values.profiles : nil
        guard !files.isEmpty else { return settings?.library ?? .builtIn }
        let all = ProfileFiles(paths: (settings?.files ?? []) + files)
        return try all.reading(modules: settings?.classes).library
    }

    /// The profile of a name; without one the program ends with 65.
    private static func profile(_ name: String, in library: ProfileLibrary) throws -> Profile {
        let named = library.profiles.filter { $0.name == name }
        if let plain = named.first(where: { $0.model == nil }) ?? (named.count == 1 ? named.first : nil) {
            return plain
        }
        if let exact = library.profiles.first(where: { ProfileReport.fullName(of: $0) == name }) {
            return exact
        }
        guard named.isEmpty else {
            let forms = QuotedValue.list(named.map(ProfileReport.fullName))
            throw VerbError(
                "several profiles are called \(QuotedValue.of(name)); say which: \(forms)",
                .dataError
            )
        }
        let titled = library.profiles.filter { $0.title == name }.map {
            QuotedValue.of(ProfileReport.fullName(of: $0))
        }
        let title = titled.isEmpty ? "" : "; that is the title of \(QuotedValue.list(titled))"
        let hint = NearestName.hint(for: name, among: Set(library.profiles.map(\.name)).sorted())
        let advice = !title.isEmpty ? title : hint.isEmpty ? "; without a name all are shown" : hint
        throw VerbError("there is no profile \(QuotedValue.of(name))\(advice)", .dataError)
    }
}
