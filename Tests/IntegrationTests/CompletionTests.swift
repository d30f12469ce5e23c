import Flare
import Foundation
import TestSupport
import Testing

/// What a shell offers while somebody types a command.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct CompletionTests {
    /// The names that the completion script of a shell asks for.
    private func offers(
        _ verb: [String],
        _ argument: String,
        words: [String] = [],
        in folder: TemporaryFolder,
        keys: [String: String] = [:]
    ) async throws -> [String] {
        let line = ["trilateral"] + verb + words + [""]
        let end = try await Program.run(
            ["---completion"] + verb + ["--", argument, "\(line.count - 1)", "0"] + line,
            in: folder,
            keys: keys
        )
        #expect(end.status == 0, "\(end)")
        return end.output.split(separator: "\n").map(String.init)
    }

    @Test func `things, zones and environments are those of the daemon on the broker`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("device")
            let keys = [
                "mqtt.host": "127.0.0.1", "mqtt.port": "\(try SharedMosquitto.broker.port)",
                "mqtt.node": home.node,
            ]
            let targets = try await offers(["get"], "positional@0", in: home.folder, keys: keys)
            #expect(targets.contains("kitchen-light") && targets.contains("zones/kitchen"), "\(targets)")
            #expect(targets.contains("environments/flat") && targets.contains("nearby"))
            let scopes = try await offers(["grant", "add"], "positional@1", in: home.folder, keys: keys)
            #expect(scopes.contains("thing:kitchen-light") && scopes.contains("zone:kitchen"), "\(scopes)")
        }
    }

    @Test func `users are those of the state folder, and nothing is said where there are none`() async throws
    {
        try await withTemporaryFolder { folder in
            let state = ["--state", folder.path("state")]
            let none = try await offers(["user", "off"], "positional@0", words: state, in: folder)
            #expect(none.isEmpty)
            let added = try await Program.run(["user", "add", "bob"] + state, in: folder)
            #expect(added.status == 0, "\(added)")
            let users = try await offers(["user", "off"], "positional@0", words: state, in: folder)
            #expect(users.contains("bob"), "\(users)")
        }
    }

    @Test func `a broker that is not there offers no names and no message`() async throws {
        try await withTemporaryFolder { folder in
            let keys = ["mqtt.port": "1"]
            let things = try await offers(["action"], "positional@0", in: folder, keys: keys)
            #expect(things == ["nearby"])
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `the script of each shell offers files for files and folders for folders`(shell: String) async throws
    {
        try await withTemporaryFolder { folder in
            let script = try await Program.run(["--generate-completion-script", shell], in: folder).output
            let words = ["bash": ["-d", "-f"], "zsh": ["_files", "_files -/"], "fish": ["-d", "-f"]]
            for word in words[shell] ?? [] { #expect(script.contains(word), "\(word)") }
            #expect(script.contains("---completion"))
        }
    }
}
