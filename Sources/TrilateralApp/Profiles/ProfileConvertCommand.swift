import ArgumentParser
import Foundation
import Profiles
import Settings

/// `trilateral profile convert`: a file of an AMAP application in our form.
struct ProfileConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write a file with profiles in our form, as YAML or JSON.",
        discussion: """
            All values and unknown keys stay. Comments and appSecret go, which is said on standard error. Writes to \
            standard output unless --output names a file, which is replaced.
            """
    )

    @Argument(file: "The file to convert, YAML or JSON.")
    var file: String

    @Flag(help: "Write JSON instead of YAML.")
    var json = false

    @Option(file: "The file to write.")
    var output: String?

    func validate() throws {
        guard let output, Self.isSameFile(file, output) else { return }
        throw ValidationError("--output: \(output) is the file to convert; name another one")
    }

    func run() throws {
        let files = ProfileFiles(paths: [file])
        let sources = try files.sources()
        // What is wrong in it would be wrong in the other form too.
        let reading = ProfileReading(of: sources, modules: nil)
        for problem in reading.problems where problem.severity == .error { StandardError.print("\(problem)") }
        guard !reading.hasErrors,
            let form = sources.first.flatMap({ ProfileForm($0, as: json ? .json : .yaml) })
        else { throw ExitCode.dataError }
        for omission in form.omissions { StandardError.report("\(omission)") }
        let text = try json ? form.json : form.yaml
        guard let output else { return try StandardOutput.write(text) }
        try OutputFile(output, replaces: true).write(text)
    }

    private static func isSameFile(_ first: String, _ second: String) -> Bool {
        let paths = [first, second].map { URL(filePath: $0).standardizedFileURL.resolvingSymlinksInPath() }
        return paths[0] == paths[1]
    }
}
