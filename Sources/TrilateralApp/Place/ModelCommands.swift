import ArgumentParser
import Daemon
import Flare
import FlareServer
import Foundation
import Settings

/// `trilateral import`: imports a place into the database.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a model: environments with their zones, things and devices.",
        discussion: """
            The whole file is imported, or nothing: if it has errors, each is reported with its place in the file and \
            nothing is changed; of objects that exist already, the outermost. An object without "_id" is taken for the object of its name in the same zone or \
            environment. It works while the daemon runs, over its socket, and while it does not. "-" reads standard input.
            """
    )

    @Argument(file: "The model file (JSON).")
    var model: String

    @Flag(help: "Only check the file; change nothing.")
    var check = false

    @Flag(
        help:
            """
            Replace objects that exist already, each as a whole: values that the file does not have are lost. Without \
            it they are refused.
            """
    )
    var replace = false

    @Flag(help: "Add objects that exist already a second time.")
    var add = false

    @OptionGroup var state: StateOption
    @OptionGroup var file: ConfigurationOption
    @OptionGroup var token: FormerTokenOption

    func validate() throws {
        if replace, add { throw ValidationError("--replace and --add exclude each other; give one of them") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let location: StateLocation
        do {
            location = try state.location(environment)
        } catch let error as VerbError where check && error.code == .usage {
            // Checking changes nothing, and needs no folder.
            let report = try ModelFile(
                path: model,
                profiles: self.file.profiles(of: nil, environment: environment)
            )
            .examine()
            StandardError.report("only the file was checked, not a database: \(error.message)")
            return try ModelFile(path: model).conclude(report)
        }
        let profiles = self.file.profiles(of: location.daemon, environment: environment)
        let file = ModelFile(path: model, profiles: profiles)
        let database = URL(filePath: location.path).appending(path: "flare.db").path(percentEncoded: false)
        if check, !FileManager.default.fileExists(atPath: database) {
            // Nothing to hold it against, and checking makes nothing.
            return try file.conclude(file.examine())
        }
        let mode: ModelImportMode = add ? .add : replace ? .replace : .refuse
        // A file that is missing makes no folder.
        var report = check ? try file.examine() : nil
        let contents = try check ? report?.contents : file.read()
        let folder = try location.open()
        if let contents {
            do {
                try await folder.withModel { backend in
                    guard check else {
                        try await file.importInto(backend, contents, mode, environment)
                        if case .database = backend { await location.noteStored() }
                        return
                    }
                    do {
                        report?.add(warnings: try await backend.importModel(contents, mode, isCheck: true))
                    } catch let problems as ModelErrors {
                        report?.add(errors: problems.problems)
                    }
                }
            } catch {
                guard let report else { throw error }
                var end = error
                if let error = error as? VerbError {
                    StandardError.report(error.message)
                    end = error.code
                }
                StandardError.report("only the file was checked, not the database")
                try file.show(report)
                throw end
            }
        }
        if let report { try file.conclude(report) }
    }
}

/// `trilateral export`: writes everything that the database holds as a model.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export everything as a model file that import reads.",
        discussion: """
            It works while the daemon runs, over its socket, and while it does not. "-" writes to standard output.
            """
    )

    @Argument(file: "The file to write.")
    var model: String

    @Flag(help: "Overwrite a file that exists already.")
    var force = false

    @OptionGroup var state: StateOption
    @OptionGroup var token: FormerTokenOption
    @OptionGroup var file: FormerConfigurationOption

    func run() async throws {
        if model != "-", !force, FileManager.default.fileExists(atPath: model) {
            throw VerbError(
                "\(model) exists already; --force overwrites it, and - writes to standard output",
                .cannotCreate
            )
        }
        let folder = try state.location().open()
        try folder.requireModel()
        try await folder.withModel { backend in
            let export = try await backend.exportModel()
            for orphan in export.orphans {
                StandardError.report(
                    "left out: \(orphan.kind.rawValue) \(orphan.id) belongs to no zone or environment that exists; "
                        + "trilateral tidy removes such objects"
                )
            }
            if model == "-" {
                try StandardOutput.write(String(decoding: export.bytes, as: UTF8.self))
            } else {
                try OutputFile(model, replaces: force).write(export.bytes)
            }
        }
    }
}
