import Foundation
import TestSupport

/// Runs `trilateral rule simulate`, as it was built beside these tests, in a folder of its own.
struct SimulationDesk: Sendable {
    struct End: Sendable {
        let status: Int32?
        let output: String
        let errors: String

        /// The rows without the header.
        var rows: [String] { output.split(separator: "\n").dropFirst().map(String.init) }
    }

    let folder: TemporaryFolder

    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "trilateral").path(percentEncoded: false)

    static let night = #"""
        {"title":"Night","when":[{"on":"schedule","startTimeEachDay":"02:30:00","endTimeEachDay":"04:00:00"}],
         "then":[{"set":{"on":true},"target":"thing:lamp"},{"set":{"on":false},"target":"thing:lamp","at":"end"}]}
        """#
    static let oneDay = ["--from", "2026-06-01", "--until", "2026-06-02"]
    static let berlin = ["--zone", "Europe/Berlin"]

    /// - Parameters:
    ///   - words: After the verb; files are in the folder.
    ///   - variables: Of the environment, such as `TZ=UTC`.
    func run(_ words: [String], _ variables: [String] = []) async throws -> End {
        let (output, errors) = ("output-\(UUID().uuidString)", "errors-\(UUID().uuidString)")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let shell = "cd '\(folder.path)' && exec 2>'\(errors)' && exec \"$0\" \"$@\""
        let child = try ChildProcess(
            "/usr/bin/env",
            ["-i", "PATH=\(path)", "HOME=\(folder.path)"] + variables
                + ["/bin/bash", "-c", shell, Self.program, "rule", "simulate"] + words,
            output: folder.path(output)
        )
        let status = await child.end(within: .seconds(30))
        await child.destroy()
        return End(status: status, output: folder.read(output), errors: folder.read(errors))
    }

    /// Simulates one day of June in Berlin.
    func day(_ rules: String, _ words: [String] = []) async throws -> End {
        try folder.write(rules, to: "rules.json")
        return try await run(["rules.json"] + Self.oneDay + Self.berlin + words)
    }
}

/// Runs the body with a folder that has `night.json`.
func withSimulationDesk(_ body: (SimulationDesk) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        try folder.write(SimulationDesk.night, to: "night.json")
        try await body(SimulationDesk(folder: folder))
    }
}
