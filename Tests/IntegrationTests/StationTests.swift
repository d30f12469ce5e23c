import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// The stations that are registered on the command line.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct StationTests {
    @Test func `a station is registered, found again, changed and forgotten`() async throws {
        try await withTemporaryFolder { folder in
            let database = folder.path("r.db")
            let resolver = try Program.start(
                ["resolver", "--listen", "127.0.0.1:0", "--db", database],
                in: folder,
                output: folder.path("log")
            )
            func place() -> String? {
                folder.read("log").components(separatedBy: "listening on ").dropFirst().first?
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            _ = await eventually { place() != nil }
            let asked = ["--resolver", try #require(place())]
            try folder.write("geheim-4711\n", to: "password")
            try folder.write("\n", to: "empty")
            func station(_ words: String...) async throws -> (status: Int32, output: String) {
                let words = ["station"] + words + ["--state", folder.path("state")]
                let end = try await Program.run(words, in: folder)
                #expect(!end.output.contains("geheim"))
                return (end.status ?? -1, end.output)
            }
            func add(_ words: String...) async throws -> (status: Int32, output: String) {
                let password =
                    words.contains("--password-file") ? [] : ["--password-file", folder.path("password")]
                let all = ["station", "add", "--state", folder.path("state")] + words + password
                let end = try await Program.run(all, in: folder)
                #expect(!end.output.contains("geheim"))
                return (end.status ?? -1, end.output)
            }
            try FileManager.default.createDirectory(
                atPath: folder.path("state"),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let none = try await station("list")
            #expect(none.status == 0 && none.output.contains("trilateral station add"))
            let unknown = try await add("--serial", "aabbccddeeff", "--name", "shop", asked[0], asked[1])
            #expect(unknown.status == 66 && unknown.output.contains("aabbccddeeff is not known"))
            let empty = try await add("--name", " ", "--password-file", folder.path("empty"))
            #expect(empty.status == 64 && empty.output.contains("empty: serial, name, password"), "\(empty)")
            let free = try LoopbackSocket.freePort()
            let gone = try await add("--serial", "x", "--name", "x", "--resolver", "127.0.0.1:\(free)")
            #expect(gone.status == 75 && gone.output.contains("the connection was refused"))
            _ = try await Program.run(
                ["resolver", "set", "aabbccddeeff", "192.0.2.7", "--db", database],
                in: folder
            )
            let added = try await add("--serial", "AA-BB-CC-DD-EE-FF", "--name", "shop", asked[0], asked[1])
            #expect(added.status == 0, "\(added)")
            #expect(added.output.hasSuffix("registered shop (aa:bb:cc:dd:ee:ff) at 192.0.2.7\n"))
            let again = try await add("--serial", "aabbccddeeff", "--name", "other", asked[0], asked[1])
            #expect(again.status == 1 && again.output.contains("registered already"))
            #expect(
                try await station("refresh", "shop", asked[0], asked[1]).output.columns
                    == "STATION\tADDRESS\tRESULT\nshop\t192.0.2.7\tunchanged\n"
            )
            _ = try await Program.run(
                ["resolver", "set", "aabbccddeeff", "192.0.2.8", "--db", database],
                in: folder
            )
            #expect(
                try await station("refresh", asked[0], asked[1]).output.columns.hasSuffix(
                    "shop\t192.0.2.8\tchanged\n"
                )
            )
            #expect(try await station("edit", "shop", "--url", "ftp://x").status == 65)
            #expect(try await station("edit", "shop", "--name", "store").status == 0)
            let list = try await station("list")
            #expect(list.output.columns.contains("\naa:bb:cc:dd:ee:ff\tstore\t192.0.2.8\t20"), "\(list)")
            #expect(try await station("rm", "aabbccddeeff").status == 0)
            #expect(try await station("rm", "store").status == 66)
            resolver.signal(SIGTERM)
            _ = await resolver.end(within: .seconds(10))
            await resolver.destroy()
        }
    }

    @Test func `a daemon finds its server again at another address`() async throws {
        try await withEmptyHome { home, visitor in
            let (server, port) = (home.folder.path("server"), try LoopbackSocket.freePort())
            let database = home.folder.path("r.db")
            let resolver = try Program.start(
                ["resolver", "--listen", "127.0.0.1:0", "--db", database],
                in: home.folder,
                output: home.folder.path("resolver")
            )
            func place() -> String? {
                home.folder.read("resolver").components(separatedBy: "listening on ").dropFirst().first?
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            _ = await eventually { place() != nil }
            let asked = try #require(place())
            try home.folder.write("geheim-4711\n", to: "password")
            try home.folder.write(Place.model, to: "place.json")
            _ = try await Program.run(
                ["resolver", "set", "shop-1", "127.0.0.2", "--db", database],
                in: home.folder
            )
            let file = "flare: {mode: remote, remote: {serial: shop, resolver: \"\(asked)\"}}\n"
            try await home.start(file: file)
            // Not registered yet: it waits.
            try await visitor.awaits("alert/flare-address") {
                $0["message"]?.string?.contains("trilateral station add") == true
            }
            // It ends at once also while it waits.
            #expect(await home.stop() == 0)
            try await home.start(file: file)
            let added = try await Program.run(
                [
                    "station", "add", "--serial", "shop-1", "--name", "shop", "--resolver", asked,
                    "--password-file", home.folder.path("password"), "--url", "http://127.0.0.1:\(port)",
                    "--state", home.state,
                ],
                in: home.folder
            )
            #expect(added.status == 0, "\(added.output)")
            // Nothing answers at 127.0.0.2: by now the server has moved.
            let serving = try Program.start(
                [
                    "serve", "--listen", "127.0.0.3:\(port)", "--state", server, "--import",
                    home.folder.path("place.json"),
                ],
                in: home.folder,
                output: home.folder.path("serve")
            )
            try await visitor.awaits("alert/flare-address") {
                $0["message"]?.string?.hasPrefix("shop is still at 127.0.0.2") == true
            }
            _ = try await Program.run(
                ["resolver", "set", "shop-1", "127.0.0.3", "--db", database],
                in: home.folder
            )
            try await visitor.awaits("health") {
                $0["links"]?["flare"] == true && $0["counters"]?["flare_address_changes"] == 1
            }
            try await visitor.awaits("alert/flare-address", "")
            try await visitor.awaits("environment") { $0["name"] == "Flat" }
            // The new address is tried before anybody says that it does not work.
            let alerts = await visitor.objects(on: "alert/flare-address").compactMap { $0["message"]?.string }
            #expect(!alerts.contains { $0.contains("127.0.0.3") }, "\(alerts)")
            #expect(await home.log.contains("the Flare server is not found"))
            #expect(await !home.log.contains("geheim"))
            // A list of another folder, with an address of yesterday.
            let other = ["--state", home.folder.path("other"), "--resolver", asked]
            let again = try await Program.run(
                [
                    "station", "add", "--serial", "shop-1", "--name", "shop", "--password-file",
                    home.folder.path("password"), "--url", "http://127.0.0.1:\(port)",
                ] + other,
                in: home.folder
            )
            #expect(again.status == 0, "\(again.output)")
            _ = try await Program.run(
                ["station", "edit", "shop", "--address", "127.0.0.9", "--state", home.folder.path("other")],
                in: home.folder
            )
            let devices = try await Program.run(["station", "devices", "shop"] + other, in: home.folder)
            #expect(
                devices.status == 0 && devices.output.columns.contains("\tTable lamp\tLiving room\tFlat\n"),
                "\(devices)"
            )
            for child in [serving, resolver] {
                child.signal(SIGTERM)
                _ = await child.end(within: .seconds(10))
                await child.destroy()
            }
        }
    }
}
