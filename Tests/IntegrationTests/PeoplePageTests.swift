import Foundation
import TestSupport
import Testing

/// The pages of users in a real browser.
@Suite(
    .enabled(if: Mosquitto.isExpected),
    .enabled(if: Browser.isExpected, "contrib/setup --tests installs the browser"),
    .mosquitto,
    .timeLimit(.minutes(5))
)
struct PeoplePageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test
    func `people sign up, sign in, set a new password, and an owner sets up a thing and claims another`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let port = try LoopbackSocket.freePort()
            let address = "http://127.0.0.1:\(port)"
            let keys = [
                "web.listen": "127.0.0.1:\(port)", "web.public_url": address, "mqtt.username": "trilateral",
                "people.sign_up": "verified", "people.forgot": "true",
            ]
            try await visitor.whileStarting { try await home.start(keys) }
            try #require(await home.logs("web: \(address)"))
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-B", Self.root.appending(path: "Tests/Interop/people.py").path, address,
                    "\(SharedMosquitto.broker.port)", home.root, try await home.signInLink(),
                ],
                output: home.folder.path("people")
            )
            let status = await script.end(within: .seconds(240))
            await script.destroy()
            #expect(status == 0, "\(home.folder.read("people"))")
        }
    }
}
