import JSON
import Testing
import TrilateralApp

struct ManualPageTests {
    private func page(_ verb: JSONValue) throws -> String {
        let help: JSONValue = [
            "command": [
                "commandName": "trilateral", "abstract": "A device.", "discussion": "Exit codes: 0 done.",
                "subcommands": [verb],
            ]
        ]
        return try #require(ManualPage(help: help, version: "1.2")).text
    }

    @Test func `each verb has a section with its usage, and each option an entry with its default`() throws {
        let text = try page([
            "commandName": "forget", "abstract": "Clear it.", "discussion": "After asking.",
            "arguments": [
                ["kind": "positional", "valueName": "file", "isOptional": false, "abstract": "The file."],
                [
                    "kind": "option", "valueName": "seconds", "isOptional": true, "defaultValue": "5.0",
                    "abstract": "How long.", "names": [["kind": "long", "name": "timeout"]],
                ],
                [
                    "kind": "flag", "valueName": "yes", "isOptional": true, "abstract": "Do not ask.",
                    "names": [["kind": "long", "name": "yes"], ["kind": "short", "name": "y"]],
                ],
                ["kind": "flag", "valueName": "help", "names": [["kind": "long", "name": "help"]]],
            ],
        ])
        #expect(text.hasPrefix(".TH TRILATERAL 1 "))
        #expect(text.contains("trilateral \\- A device\n"))
        #expect(text.contains(".SS trilateral forget <file> [\\-\\-timeout <seconds>] [\\-\\-yes]\n"))
        #expect(text.contains(".B \\-\\-timeout <seconds>\nHow long. (default 5.0)\n"))
        #expect(text.contains(".B \\-\\-yes, \\-y\nDo not ask.\n"))
        #expect(text.contains("Clear it.\n.PP\nAfter asking.\n"))
        #expect(!text.contains("help"))
        #expect(text.contains(".SH EXIT STATUS\nExit codes: 0 done.\n"))
    }

    @Test func `verbs below a verb are sections too, and hidden ones are none`() throws {
        let text = try page([
            "commandName": "calibrate", "abstract": "Calibrate.",
            "subcommands": [
                ["commandName": "compass", "abstract": "The compass."],
                ["commandName": "secret", "abstract": "Hidden.", "shouldDisplay": false],
            ],
        ])
        #expect(text.contains(".SS trilateral calibrate compass\nThe compass.\n"))
        #expect(!text.contains("secret"))
    }

    @Test(arguments: [
        (".dot", "\\&.dot"), ("'quote", "\\&'quote"), ("a\\b", "a\\eb"), ("two\nlines", "two lines"),
    ])
    func `no text becomes a command to the typesetter`(text: String, line: String) throws {
        #expect(try page(["commandName": "x", "abstract": .string(text)]).contains("\n\(line)\n"))
    }

    @Test func `what describes no program makes no page`() {
        #expect(ManualPage(help: [:], version: "1") == nil)
    }
}
