import ArgumentParser
import Daemon
package import FlareServer
import Foundation
import OperatingSystem
import Threading

/// A model file as a command names it.
package struct ModelFile: Sendable {
    let path: String
    let command: String
    /// The names of the profiles that the objects can have; `nil` if only the built-in ones are known.
    let profiles: [String]?

    package init(path: String, command: String? = nil, profiles: [String]? = nil) {
        (self.path, self.command, self.profiles) = (path, command ?? StandardError.verb, profiles)
    }

    /// What was read of a file without errors.
    struct Contents: Sendable {
        let bytes: [UInt8]
        let tree: ModelTree
    }

    /// Reads the file and reports what is wrong in it.
    ///
    /// - Throws: ``VerbError`` when it cannot be read or has errors.
    func read() throws -> Contents {
        let report = try examine()
        for line in report.lines(mostWarnings: Self.mostRemarks) { StandardError.print(line) }
        if let contents = report.contents { return contents }
        throw VerbError("\(report.summary); nothing was changed", .dataError)
    }

    /// All that is wrong in the file.
    ///
    /// - Throws: ``VerbError`` when it cannot be read.
    func examine() throws -> ModelReport {
        switch FileContents.readInput(path, upTo: ModelTree.maximumBytes) {
        case .success(let contents):
            return ModelReport(on: contents.bytes, path: path, profiles: profiles)
        case .failure(let fault):
            throw VerbError("\(path) \(fault.message)", ExitCode(fault))
        }
    }

    /// As ``show(_:)``.
    ///
    /// - Throws: An exit code when there are errors; warnings are none.
    func conclude(_ report: ModelReport) throws {
        try show(report)
        if report.hasErrors { throw ExitCode.dataError }
    }

    /// Reports every problem, and last how many there are.
    func show(_ report: ModelReport) throws(OutputError) {
        for line in report.lines() { StandardError.print(line) }
        try StandardOutput.print(report.summary)
    }

    /// Imports the file, and says so; asks on a terminal when objects are there already and nothing was said about them.
    func importInto(
        _ backend: ModelBackend,
        _ contents: Contents,
        _ mode: ModelImportMode,
        _ environment: [String: String]
    ) async throws {
        let bar = Locked(ProgressBar.onStandardError("importing", environment: environment))
        let doubles: [ModelError]
        do {
            doubles = try await backend.importModel(contents, mode) { done, total in
                if let text = bar.withLock({ $0.update(done: done, of: total) }) { StandardError.write(text) }
            }
        } catch let problems as ModelErrors {
            guard mode == .refuse, problems.problems.allSatisfy(\.isReplaceable), canAsk else {
                throw report(problems)
            }
            let count = problems.problems.count == 1 ? "1 object" : "\(problems.problems.count) objects"
            let question = """
                \(path): \(count) of \(contents.tree.records.count) exist already. \
                [r]eplace them (values that the file does not have are lost), [a]dd them a second time, or [c]ancel?
                """
            switch try await StandardInput.ask(question + " ")?.lowercased().first {
            case "r": return try await importInto(backend, contents, .replace, environment)
            case "a": return try await importInto(backend, contents, .add, environment)
            default:
                throw VerbError("nothing was changed", .failure)
            }
        }
        StandardError.write(bar.withLock { $0.removal })
        let count = contents.tree.records.count
        try StandardOutput.print("imported \(count == 1 ? "1 object" : "\(count) objects")")
        warn(ofDoubles: mode == .add ? [] : doubles)
    }

    /// Whether somebody is there who can be asked.
    private var canAsk: Bool { path != "-" && StandardInput.canAsk }

    /// Says what is there twice now, or would be, and how it is not.
    func warn(ofDoubles doubles: [ModelError]) {
        guard !doubles.isEmpty else { return }
        for remark in doubles.prefix(Self.mostRemarks) { StandardError.report("\(path): warning: \(remark)") }
        let more = doubles.count - Self.mostRemarks
        if more > 0 { StandardError.report("\(path): warning: … and \(more) more") }
        StandardError.report(
            "\(path): warning: to change existing objects, export them, edit that file (it has the ids), and import it with --replace"
        )
    }

    private static let mostRemarks = 20

    /// Tells every problem.
    func report(_ problems: ModelErrors) -> ExitCode {
        for line in lines(problems) { StandardError.print(line) }
        return .dataError
    }

    /// What is said of problems.
    ///
    /// How many there are, the first thousand that are to be mended in the file, and the first twenty objects that are
    /// there already. A file with very many is not read to its end: how many there are is not known then.
    package func lines(_ problems: ModelErrors) -> [String] {
        let count = problems.problems.count
        let number = count == 1 ? "1 problem" : "\(problems.areAll ? "" : "more than ")\(count) problems"
        let heading = "trilateral \(command): \(path): \(number); nothing was changed"
        let replaceable = problems.problems.filter(\.isReplaceable)
        let wrong = Self.first(1000, of: problems.problems.filter { !$0.isReplaceable })
        let rest = problems.areAll ? [] : ["  … and more: reading stopped here"]
        guard !replaceable.isEmpty else { return [heading] + wrong + rest }
        let advice = ["trilateral \(command): \(Self.advice)"]
        return [heading] + wrong + Self.first(Self.mostRemarks, of: replaceable.outermost) + rest + advice
    }

    /// How objects that are there already can be imported.
    package static let advice =
        "--replace replaces existing objects by those of the file, and values that the file does not have are lost; "
        + "--add adds them a second time"

    private static func first(_ most: Int, of problems: [ModelError]) -> [String] {
        let more = problems.count - most
        return problems.prefix(most).map { "  " + TerminalText.visible("\($0)") }
            + (more > 0 ? ["  … and \(more) more"] : [])
    }
}
