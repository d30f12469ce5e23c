import Foundation
import TestSupport
import Testing

/// The example display of contrib/display: MQTT over a WebSocket, in a real browser.
@Suite(.enabled(if: Mosquitto.isExpected && Browser.isExpected), .timeLimit(.minutes(3)))
struct DisplayTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The access list of its page of instructions, for another node.
    private func accessList(root: String) throws -> String {
        let page = try String(
            contentsOf: Self.folder.appending(path: "contrib/display/README.md"),
            encoding: .utf8
        )
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("user ") || $0.hasPrefix("topic ") }
        return lines.joined(separator: "\n").replacing("trilateral/demo", with: root) + "\n"
    }

    @Test(arguments: [false, true])
    func `the example display shows what happens, switches the thing, and says whether it is there`(
        hasUsers: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let (port, web) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try await withEmptyHome(port: port, waits: false) { home, _ in
                var options = MosquittoOptions()
                options.port = port
                options.lines = ["listener \(web) 127.0.0.1", "protocol websockets"]
                var keys = ["frames.enabled": "true", "device.allow_set": "true"]
                if hasUsers {
                    let list = try accessList(root: home.root)
                    try folder.write("user trilateral\ntopic readwrite #\n\n" + list, to: "acl")
                    try folder.write("secret\n", to: "password")
                    options.users = ["trilateral": "secret", "wall": "panel"]
                    options.lines.append("acl_file \(folder.path("acl"))")
                    keys["mqtt.username"] = "trilateral"
                    keys["mqtt.password_file"] = folder.path("password")
                }
                try await withMosquitto(options) { broker in
                    try await home.take()
                    try await home.start(keys)
                    let page = Self.folder.appending(path: "contrib/display/index.html").path
                    // Debian's Python, which has Debian's selenium.
                    let check = try ChildProcess(
                        "/usr/bin/python3",
                        [
                            "-B", Self.folder.appending(path: "Tests/Interop/display.py").path, page,
                            "\(broker.port)", "\(web)", home.root,
                        ] + (hasUsers ? ["trilateral", "secret", "wall", "panel"] : []),
                        output: folder.path("display")
                    )
                    let status = await check.end(within: .seconds(150))
                    await check.destroy()
                    #expect(status == 0, "\(folder.read("display"))")
                }
            }
        }
    }
}
