import Daemon
import Foundation
import JSON
import TestSupport
import Testing

/// The list of what the program is made of, contrib/sbom, as far as it decides about licences; contrib/check runs all of it.
@Suite(
    .enabled(if: ChildProcess.find("python3") != nil || ProcessInfo.processInfo.environment["CI"] != nil),
    .timeLimit(.minutes(1))
)
struct SBOMTests {
    @Test(
        arguments: [
            ("Apache License\n   Version 2.0, January 2004\n 3. Grant of Patent License.", "Apache-2.0"),
            (
                """
                Apache License Version 2.0, January 2004. Grant of Patent License.
                ## Runtime Library Exception to the Apache 2.0 License: ##
                """, "Apache-2.0 WITH Swift-exception"
            ),
            ("GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007", "GPL"),
            ("Do what you like with it.", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `a licence is recognised by its text, and an unknown text is none`(text: String, licence: String?)
        async throws
    {
        #expect(try await Self.answer("recognised", to: text) == (licence.map { .string($0) } ?? .null))
    }

    @Test func `our own licence is recognised`() async throws {
        #expect(try await Self.answer("recognised", to: Contrib.text("LICENSE")) == "Apache-2.0")
    }

    @Test(
        arguments: [
            ("MIT", true), ("Apache-2.0 WITH LLVM-exception", true), ("EPL-2.0 OR BSD-3-Clause", true),
            ("MIT AND BSD-3-Clause", true), ("EPL-2.0", false), ("MIT AND EPL-2.0", false),
            ("AGPL-3.0-only", false), ("MIT AND (AGPL-3.0-only OR EPL-2.0)", false), ("", false),
        ]
    )
    func `an expression is accepted if each part is, or one of a choice`(
        expression: String,
        isAccepted: Bool
    )
        async throws
    {
        #expect(try await Self.answer("is_accepted", to: expression) == .bool(isAccepted))
    }

    @Test func `the list has the program's version`() async throws {
        #expect(try await Self.answer("program_version") == .string(ProgramInfo.currentVersion))
    }

    /// What a function of the script returns, for a text if it wants one.
    private static func answer(_ function: String, to text: String? = nil) async throws -> JSONValue {
        let python = """
            import importlib.machinery, importlib.util, json, sys
            loader = importlib.machinery.SourceFileLoader("sbom", sys.argv[1])
            script = importlib.util.module_from_spec(importlib.util.spec_from_loader("sbom", loader))
            loader.exec_module(script)
            print(json.dumps(getattr(script, sys.argv[2])(*sys.argv[3:])))
            """
        let path = Contrib.root.appending(path: "contrib/sbom").path(percentEncoded: false)
        return try await withTemporaryFolder { folder in
            let output = folder.path("output")
            let child = try ChildProcess(
                "/usr/bin/env",
                ["python3", "-B", "-c", python, path, function] + (text.map { [$0] } ?? []),
                output: output
            )
            let status = await child.end(within: .seconds(30))
            await child.destroy()
            try #require(status == 0, "\(folder.read("output"))")
            return try JSONValue(
                parsing: folder.read("output").trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
    }
}
