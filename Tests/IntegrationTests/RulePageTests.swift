import Foundation
import TestSupport
import Testing

/// The pages of rules in a real browser.
@Suite(
    .enabled(if: Mosquitto.isExpected),
    .enabled(if: Browser.isExpected, "contrib/setup --tests installs the browser"),
    .mosquitto,
    .timeLimit(.minutes(5))
)
struct RulePageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test
    func `a rule is made on the page, read back as a sentence, tested, run, looked back at and switched off`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let port = try LoopbackSocket.freePort()
            let address = "http://127.0.0.1:\(port)"
            try await visitor.whileStarting {
                try await home.start(["web.listen": "127.0.0.1:\(port)", "web.public_url": address])
            }
            try #require(await home.logs("web: \(address)"))
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-B", Self.root.appending(path: "Tests/Interop/rules.py").path, address,
                    try await home.signInLink(),
                ],
                output: home.folder.path("rules")
            )
            let status = await script.end(within: .seconds(240))
            await script.destroy()
            #expect(status == 0, "\(home.folder.read("rules"))")
        }
    }
}
