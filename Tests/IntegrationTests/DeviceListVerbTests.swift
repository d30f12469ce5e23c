import Foundation
import JSON
import TestSupport
import Testing

/// The verbs of `device` while a daemon runs.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct DeviceListVerbTests {
    @Test func `a running daemon lists, changes and removes devices, and prints no key`() async throws {
        let key = "ec0234a357c8ad05341010a60a397d9b"
        try await withHome(["flare.server.listen": "127.0.0.1:0"]) { home, _ in
            let state = home.folder.path("state")
            func run(_ words: String...) async throws -> Program.End {
                try await Program.run(words + ["--state", state], in: home.folder)
            }
            #expect(await eventually { FileManager.default.fileExists(atPath: state + "/admin.sock") })
            try home.folder.write("\(key)\n", to: "key")
            let file = home.folder.path("key")
            #expect(chmod(file, 0o600) == 0)
            let added = try await run(
                "device",
                "add",
                "cat",
                "--name",
                "Tom",
                "--kind",
                "pet",
                "--irk-file",
                file
            )
            #expect(added.status == 0, "\(added.output)")
            let again = try await run("device", "add", "cat", "--name", "Tom", "--heard-as", "name:tom")
            #expect(again.status == 1 && again.output.contains("there is a device cat already"))
            let list = try await run("device", "list", "--json")
            let rows = try JSONValue(parsing: Array(list.output.utf8)).array ?? []
            #expect(rows.map { $0["node"] } == ["cat"] && rows.first?["heard_as"] == ["irk:***"])
            #expect(try await run("device", "edit", "cat", "--heard-as", "name:tom").status == 0)
            let shown = try await run("device", "show", "cat")
            #expect(shown.output.contains("name:tom") && !shown.output.contains("irk"), "\(shown.output)")
            let heard = try await run("device", "heard", "--seconds", "0", "--json")
            #expect(heard.status == 0 && heard.output == "[]\n", "\(heard.output)")
            #expect(try await run("device", "rm", "cat").status == 0)
            let gone = try await run("device", "show", "cat")
            #expect(gone.status == 66 && gone.output.contains("there is no device"), "\(gone.output)")
            let log = try await run("log", "--json")
            #expect(log.output.contains("\"kind\":\"device list add\"") && !log.output.contains(key))
        }
    }
}
