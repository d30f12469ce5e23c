import JSON
import TestSupport
import Testing

/// What `rule show` prints for a person at a terminal.
@Suite(.timeLimit(.minutes(2))) struct RuleShowTests {
    private static let night: JSONValue = [
        "id": 4, "slug": "night", "title": "Night", "enabled": true, "state": "suspended",
        "suspended": "gone", "missing": ["thing:desk-lamp"], "maker": "owner", "form": "rule",
        "sentence": "At 23:00 every day (until 06:00): desk-lamp goes off, and on at the end.",
        "until": "2026-11-28T05:00:00Z", "next": ["2026-11-28T22:00:00Z", "2026-11-29T22:00:00Z"],
        "last": ["ts": "2026-11-27T22:00:00Z", "why": "start", "outcome": "done"],
        "added": "2026-11-20T08:00:00Z", "changed": "2026-11-20T08:00:00Z",
        "when": [["on": "schedule", "startTimeEachDay": "23:00:00"]],
    ]

    /// What a terminal has got at the end of the verb, as lines with single spaces.
    private func lines(of words: [String], _ desk: VerbDesk) async throws -> [String] {
        let terminal = try PseudoTerminal()
        let child = try desk.start(words, terminal: terminal)
        #expect(await child.end() == 0)
        await child.destroy()
        return terminal.text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: " ").joined(separator: " ")
        }
    }

    @Test func `at a terminal it is a sentence, and a line for each value`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET rules/night": .init(200, Self.night)]) {
                let lines = try await lines(of: ["rule", "show", "night"], desk)
                #expect(
                    lines == [
                        "At 23:00 every day (until 06:00): desk-lamp goes off, and on at the end.",
                        "title Night", "slug night", "id 4", "state suspended: gone (thing:desk-lamp)",
                        "until 2026-11-28T05:00:00Z", "next 2026-11-28T22:00:00Z", "2026-11-29T22:00:00Z",
                        "last 2026-11-27T22:00:00Z done start", "maker owner", "form rule",
                        "added 2026-11-20T08:00:00Z", "changed 2026-11-20T08:00:00Z",
                    ]
                )
            }
        }
    }

    @Test func `what is not known has no line`() async throws {
        try await withVerbDesk { desk in
            let rule: JSONValue = ["slug": "night", "state": "off", "sentence": "At noon.", "next": []]
            try await desk.withDaemon(["GET rules/night": .init(200, rule)]) {
                let lines = try await lines(of: ["rule", "show", "night"], desk)
                #expect(lines == ["At noon.", "slug night", "state off"])
            }
        }
    }

    @Test(arguments: ["--json", "--original"])
    func `JSON is there at a terminal, too`(option: String) async throws {
        try await withVerbDesk { desk in
            let route = option == "--original" ? "GET rules/night?original=1" : "GET rules/night"
            try await desk.withDaemon([route: .init(200, ["slug": "night"])]) {
                let lines = try await lines(of: ["rule", "show", "night", option], desk)
                #expect(lines == [#"{"slug":"night"}"#])
            }
        }
    }

    @Test func `a file or a pipe gets JSON`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["GET rules/night": .init(200, Self.night)]) {
                let end = try await desk.run(["rule", "show", "night"])
                #expect(end.status == 0 && end.output == Self.night.text + "\n", "\(end.output)")
            }
        }
    }
}
