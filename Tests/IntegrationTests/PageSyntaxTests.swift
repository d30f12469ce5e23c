import Foundation
import TestSupport
import Testing

/// The parser that contrib/setup installs.
private enum Parser {
    static let python = Interop.python("browser")

    /// True if there is one: also in CI when it is missing, so that the test fails there.
    static var isExpected: Bool {
        let files = try? FileManager.default.subpathsOfDirectory(
            atPath: python.replacing("bin/python", with: "lib")
        )
        return ProcessInfo.processInfo.environment["CI"] == "true"
            || files?.contains { $0.hasSuffix("esprima/parser.py") } == true
    }
}

/// What the scripts of the pages are written in.
@Suite(.enabled(if: Parser.isExpected), .timeLimit(.minutes(5)))
struct PageSyntaxTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Web/Page").path

    private func problems(in folder: String, _ output: TemporaryFolder) async throws -> (
        status: Int32?, text: String
    ) {
        let child = try ChildProcess(
            Parser.python,
            ["-B", Interop.program("syntax"), folder],
            output: output.path("syntax")
        )
        let status = await child.end(within: .seconds(280))
        await child.destroy()
        return (status, output.read("syntax"))
    }

    @Test func `the oldest browsers of the manual can read every script`() async throws {
        try await withTemporaryFolder { folder in
            let found = try await problems(in: Self.page, folder)
            #expect(found.status == 0, "\(found.text)")
        }
    }

    @Test(arguments: [
        "const a = b?.c;", "a = b ?? c;", "class A { x = 1 }", "try { a(); } catch { b(); }", "[1].flat();",
        "Object.fromEntries(a);", "new AbortController();",
    ])
    func `what is newer is found`(text: String) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder.path("scripts"),
                withIntermediateDirectories: true
            )
            try folder.write(text + "\n", to: "scripts/new.js")
            let found = try await problems(in: folder.path("scripts"), folder)
            #expect(found.status == 1 && found.text.contains("new.js"), "\(found.text)")
        }
    }
}
