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
            let user = try await run("user", "add", "ben")
            #expect(user.status == 0, "\(user.output)")
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
            let granted = try await run("grant", "add", "ben", "device:cat", "read")
            #expect(granted.status == 0 && !granted.output.contains("no device"), "\(granted.output)")
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

    @Test
    func `a device that a verb adds has a node at once, and one that is removed leaves broker and place`()
        async throws
    {
        try await withHome(["flare.server.listen": "127.0.0.1:0"]) { home, wall in
            let state = home.folder.path("state")
            let (cat, dog) = ("\(home.node)-cat", "\(home.node)-dog")
            func run(_ words: String...) async throws -> Program.End {
                try await Program.run(words + ["--state", state], in: home.folder)
            }
            let port = try SharedMosquitto.broker.port
            try await wall.awaits("device") { $0["id"] != nil }
            try await withVisitor(to: "\(home.root)-cat", port: port) { visitor in
                let own = await wall.said(on: "status")
                #expect(
                    try await run("device", "add", cat, "--name", "Tom", "--heard-as", "name:tom").status == 0
                )
                #expect(
                    try await run("device", "add", dog, "--name", "Rex", "--heard-as", "name:rex").status == 0
                )
                try await visitor.awaits("status", "online")
                let made = try await visitor.awaits("device") { $0["id"]?.string != nil }
                let id = try #require(made["id"]?.string)
                try await wall.awaits("devices") { $0.array?.count == 3 }
                #expect(try await home.rest("GET", "/environments/-/devices/\(id)").status == 200)
                // A reload leaves the devices of the database where they are.
                #expect(try await wall.ask("request/reload", "{}").outcome == "ok")
                try await wall.awaits("devices") { $0.array?.count == 3 }

                #expect(try await run("device", "rm", cat, "--place").status == 0)
                try await visitor.awaits("status", "")
                try await wall.awaits("devices") { $0.array?.count == 2 }
                let kept = try await retainedMessages(port: port)
                #expect(kept.keys.filter { $0.contains(cat) } == [])
                #expect(kept.keys.contains { $0 == "\(home.root)-dog/device" })
                // The answer of the original for what is not there.
                let path = "/environments/-/devices/\(id)"
                #expect(await eventually { (try? await home.rest("GET", path).body) == "null" })
                #expect(await wall.said(on: "status") == own, "the first node has not gone")

                #expect(
                    try await run("device", "add", cat, "--name", "Tom", "--heard-as", "name:tom").status == 0
                )
                let again = try await visitor.awaits("device") { $0["id"]?.string.map { $0 != id } ?? false }
                #expect(again["name"] == "Tom")
            }
        }
    }
}
