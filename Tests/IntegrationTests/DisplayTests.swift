import Foundation
import TestSupport
import Testing

/// The example display of contrib/display: MQTT over a WebSocket, in a real browser.
@Suite(.enabled(if: Mosquitto.isExpected && Browser.isExpected), .timeLimit(.minutes(3)))
struct DisplayTests {
    @Test func `the example display shows what happens, switches the thing, and says whether it is there`()
        async throws
    {
        var options = MosquittoOptions()
        let web = try LoopbackSocket.freePort()
        options.lines = ["listener \(web) 127.0.0.1", "protocol websockets"]
        try await withMosquitto(options) { broker in
            let keys = ["frames.enabled": "true", "device.allow_set": "true"]
            try await withHome(keys, port: broker.port) { home, _ in
                let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent()
                let page = root.appending(path: "contrib/display/index.html").path
                // Debian's Python, which has Debian's selenium.
                let check = try ChildProcess(
                    "/usr/bin/python3",
                    [
                        "-B", root.appending(path: "Tests/Interop/display.py").path, page, "\(broker.port)",
                        "\(web)", home.root,
                    ],
                    output: home.folder.path("display")
                )
                let status = await check.end(within: .seconds(150))
                await check.destroy()
                #expect(status == 0, "\(home.folder.read("display"))")
            }
        }
    }
}

/// Debian's Chromium, driven by its selenium.
private enum Browser {
    /// True if there is a browser to drive: also in CI when it is missing, so that the test fails there.
    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || (access("/usr/bin/chromedriver", X_OK) == 0 && access(selenium, F_OK) == 0)
    }

    private static let selenium = "/usr/lib/python3/dist-packages/selenium"
}
