import ArgumentParser
import Controller
import Flare
package import FlareServer
import Foundation
import Logging

/// `trilateral import`: takes a place into the database.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a model: environments with their zones, things and devices.",
        discussion: """
            All or nothing: every problem is told with its place in the file, and then nothing is changed. The daemon \
            must not run on the same state folder meanwhile. "-" reads standard input.
            """
    )

    @Argument(help: ArgumentHelp("The model, JSON.", valueName: "file"))
    var model: String

    @Flag(help: "Only look for problems.")
    var check = false

    @Flag(help: "Replace objects that are there already, instead of refusing them.")
    var replace = false

    @OptionGroup var state: StateOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let file = ModelFile(path: model, command: "import")
        let folderPath = state.path ?? StateFolder.standard(environment)
        let database = URL(filePath: folderPath).appending(path: "flare.db").path(percentEncoded: false)
        if check, !FileManager.default.fileExists(atPath: database) {
            // Nothing to hold it against, and checking makes nothing.
            return try file.conclude(file.examine())
        }
        let folder = try state.folder(environment)
        try await folder.withHub(command: "import") { hub in
            if check {
                var report = try file.examine()
                if let tree = report.tree {
                    report.add(errors: await hub.problems(importing: tree, replacing: replace))
                    report.add(warnings: await hub.doubles(importing: tree))
                }
                try file.conclude(report)
            } else {
                try await file.importInto(hub, replacing: replace, environment)
            }
        }
    }
}

/// `trilateral export`: writes everything that the database holds as a model.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export everything as a model that import reads.",
        discussion:
            "The daemon must not run on the same state folder meanwhile. \"-\" writes to standard output."
    )

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var model: String

    @Flag(help: "Overwrite a file that is there already.")
    var force = false

    @OptionGroup var state: StateOption

    func run() async throws {
        if model != "-", !force, FileManager.default.fileExists(atPath: model) {
            StandardError.print(
                "trilateral export: \(model) is there already; --force overwrites it, - writes to standard output"
            )
            throw ExitCode.cannotCreate
        }
        let folder = try state.folder()
        guard FileManager.default.fileExists(atPath: folder.flareDatabase) else {
            StandardError.print(
                "trilateral export: there is no \(folder.flareDatabase); name the state folder with --state"
            )
            throw ExitCode.noInput
        }
        try await folder.withHub(command: "export") { hub in
            let export = await hub.exportModel()
            for orphan in export.orphans {
                StandardError.print(
                    "trilateral export: left out: \(orphan.kind.rawValue) \(orphan.id) belongs to nothing that exists"
                )
            }
            if model == "-" {
                Terminal.output.write(String(decoding: export.bytes, as: UTF8.self))
                return
            }
            do {
                try Data(export.bytes).write(to: URL(filePath: model), options: .atomic)
            } catch {
                StandardError.print(
                    "trilateral export: \(model) cannot be written: \(error.localizedDescription)"
                )
                throw ExitCode.cannotCreate
            }
        }
    }
}

/// A model file as a command names it.
package struct ModelFile: Sendable {
    let path: String
    let command: String

    package init(path: String, command: String) {
        self.path = path
        self.command = command
    }

    /// Reads the file and reports what is wrong in it.
    ///
    /// - Throws: An exit code when it cannot be read or has errors; the reason was reported.
    func read() throws -> ModelTree {
        let report = try examine()
        for line in report.lines(mostWarnings: Self.mostRemarks) { StandardError.print(line) }
        if let tree = report.tree { return tree }
        StandardError.print("trilateral \(command): \(report.summary); nothing was changed")
        throw ExitCode.dataError
    }

    /// All that is wrong in the file.
    ///
    /// - Throws: An exit code when it cannot be read; the reason was reported.
    func examine() throws -> ModelReport {
        switch FileContents.read(path == "-" ? "/dev/stdin" : path, upTo: ModelTree.maximumBytes) {
        case .success(let contents):
            return ModelReport(on: contents.bytes, path: path)
        case .failure(let fault):
            StandardError.print("trilateral \(command): \(path) \(fault.message)")
            throw ExitCode.noInput
        }
    }

    /// Reports every problem, and last how many there are.
    ///
    /// - Throws: An exit code when there are errors; warnings are none.
    func conclude(_ report: ModelReport) throws {
        for line in report.lines() { StandardError.print(line) }
        print(report.summary)
        if report.hasErrors { throw ExitCode.dataError }
    }

    func importInto(_ hub: FlareHub, replacing: Bool, _ environment: [String: String]) async throws {
        let tree = try read()
        let doubles = await hub.doubles(importing: tree)
        let bar = Locked(ProgressBar.onStandardError("importing", environment: environment))
        do {
            try await hub.importModel(tree, replacing: replacing) { done, total in
                if let text = bar.withLock({ $0.update(done: done, of: total) }) { StandardError.write(text) }
            }
        } catch let problems as ModelProblems {
            throw report(problems)
        }
        StandardError.write(bar.withLock { $0.finish("\(tree.records.count) objects") })
        warn(ofDoubles: doubles)
    }

    /// Says what is there twice now, or would be, and how it is not.
    func warn(ofDoubles doubles: [ModelProblem]) {
        guard !doubles.isEmpty else { return }
        tell(doubles.map(\.description), as: "warning")
        let advice =
            "to change what is there, export it, edit that file (it has the ids), and import it with --replace"
        tell([advice], as: "warning")
    }

    /// Tells the first of many remarks.
    private func tell(_ remarks: [String], as kind: String) {
        for remark in remarks.prefix(Self.mostRemarks) {
            StandardError.print("trilateral \(command): \(path): \(kind): \(remark)")
        }
        let more = remarks.count - Self.mostRemarks
        if more > 0 { StandardError.print("trilateral \(command): \(path): \(kind): … and \(more) more") }
    }

    private static let mostRemarks = 20

    /// Tells every problem.
    func report(_ problems: ModelProblems) -> ExitCode {
        for line in lines(problems) { StandardError.print(line) }
        return .dataError
    }

    /// What is said of problems.
    ///
    /// How many there are, the first thousand that are to be mended in the file, and the first twenty objects that are
    /// there already. A file with very many is not read to its end: how many there are is not known then.
    package func lines(_ problems: ModelProblems) -> [String] {
        let count = problems.problems.count
        let number = count == 1 ? "1 problem" : "\(problems.areAll ? "" : "more than ")\(count) problems"
        let heading = "trilateral \(command): \(path): \(number); nothing was changed"
        let replaceable = problems.problems.filter(\.isReplaceable)
        let wrong = Self.first(1000, of: problems.problems.filter { !$0.isReplaceable })
        let rest = problems.areAll ? [] : ["  … and more: the file was not read on"]
        guard !replaceable.isEmpty else { return [heading] + wrong + rest }
        let advice =
            "trilateral \(command): --replace puts the file's objects in the place of those that are there"
        return [heading] + wrong + Self.first(Self.mostRemarks, of: replaceable) + rest + [advice]
    }

    private static func first(_ most: Int, of problems: [ModelProblem]) -> [String] {
        let more = problems.count - most
        return problems.prefix(most).map { "  \($0)" } + (more > 0 ? ["  … and \(more) more"] : [])
    }
}

extension StateFolder {
    /// Opens the Flare database for one command and closes it again.
    ///
    /// - Throws: An exit code; what is wrong was told.
    func withHub(command: String, _ body: (FlareHub) async throws -> Void) async throws {
        do {
            let store = try FlareStore(file: flareDatabase)
            let logger = Logger(label: command) { _ in SwiftLogNoOpLogHandler() }
            let hub = try FlareHub(
                store: store,
                clock: { RuntimeClock.now().wallMilliseconds },
                logger: logger
            )
            try await body(hub)
            try store.close()
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.print("trilateral \(command): \(error)")
            throw DaemonRunner.exitCode(error)
        }
    }
}
