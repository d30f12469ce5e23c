import Daemon
import Foundation
import Settings
import TestSupport
import Testing

/// The entries of `links:`.
struct LampsConfigurationTests {
    private func problems(_ yaml: String) throws -> [String] {
        try errors(yaml).map {
            #expect($0.path == "links")
            return $0.message
        }
    }

    private func errors(_ yaml: String) throws -> [ConfigurationError] {
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", "mqtt: {base: trilateral, node: desk}\nlinks:\n" + yaml)
        do throws(ConfigurationErrors) {
            _ = try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
            return []
        } catch {
            return error.problems
        }
    }

    /// Each problem as `line:column: message`.
    private func places(_ yaml: String) throws -> [String] {
        try errors(yaml).map {
            guard case .file(_, let line, let column) = $0.origin else { return "?" }
            return "\(line):\(column): \($0.message)"
        }
    }

    private static let legalTopic =
        "must be a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it"
    private static let legalFullTopic =
        "must be a topic with %prefix% and, once or twice, %topic% in it, without +, # and a / at its beginning or two at its end"
    private static let lamp = "  - {thing: a, kind: wled, topic: wled/a}\n"

    @Test(arguments: [
        (
            "  - {thing: b, kind: wled, topik: wled/b}",
            ["needs topic", #"unknown key "topik"; did you mean "topic"?"#]
        ),
        ("  - {kind: wled, topic: wled/b}", ["needs thing"]),
        ("  - {thing: b, topic: wled/b}", ["needs kind"]),
        ("  - {thing: b}", ["needs kind"]),
        (
            "  - {thing: b, kind: wledd, topic: wled/b}",
            [#"kind: must be zigbee2mqtt, tasmota, wled, json or template (is "wledd")"#]
        ),
        (
            "  - {thing: b, kind: wled, topic: wled/+}",
            [#"topic: \#(Self.legalTopic) (is "wled/+")"#]
        ),
        (
            "  - {thing: b, kind: wled, topic: wled/b, relay: 2}",
            [#"unknown key "relay"; legal here: thing, kind, topic"#]
        ),
        ("  - {thing: b, kind: tasmota, topic: b, relay: 0}", ["relay: must be 1 to 32 (is 0)"]),
        ("  - {thing: b, kind: json, command_topic: c}", ["needs state_topic"]),
        ("  - {thing: b, kind: template, command_topic: c}", ["needs command"]),
        ("  - {thing: b, thing: c, kind: wled, topic: wled/b}", ["thing: stands 2 times"]),
        ("  - {thing: b, kind: wled, topic: /b}", [#"topic: \#(Self.legalTopic) (is "/b")"#]),
        ("  - {thing: b, kind: zigbee2mqtt, topic: b/}", [#"topic: \#(Self.legalTopic) (is "b/")"#]),
        (
            "  - {thing: b, kind: template, command: x, command_topic: b/, state_topic: /b}",
            [
                #"command_topic: \#(Self.legalTopic) (is "b/")"#,
                #"state_topic: \#(Self.legalTopic) (is "/b")"#,
            ]
        ),
        (
            "  - {thing: b, kind: json, command_topic: b, state_topic: c, availability_topic: a/}",
            [#"availability_topic: \#(Self.legalTopic) (is "a/")"#]
        ),
        (
            "  - {thing: b, kind: tasmota, topic: b, full_topic: \"/%prefix%/%topic%/\"}",
            [#"full_topic: \#(Self.legalFullTopic) (is "/%prefix%/%topic%/")"#]
        ),
        (
            "  - {thing: b, kind: tasmota, topic: b, full_topic: \"%topic%/%prefix%//\"}",
            [#"full_topic: \#(Self.legalFullTopic) (is "%topic%/%prefix%//")"#]
        ),
        ("  - hello", [#"must be keys with values (is "hello")"#]),
        ("  - [a]", ["must be keys with values (is a list)"]),
        (
            "  - {thing: [x], kind: wled, topic: wled/b}",
            ["thing: must be a text of at most 200 bytes (is a list)"]
        ),
    ])
    func `a wrong entry is refused by its number and key`(entry: String, expected: [String]) throws {
        #expect(try problems(Self.lamp + entry + "\n") == expected.map { "entry 2: \($0)" })
    }

    @Test func `entries that are right are held against each other, whatever is wrong with others`() throws {
        let entries = """
            \(Self.lamp)  - {thing: b, kind: wledd, topic: wled/b}
              - {thing: c, kind: wled, topic: wled/a}
              - {thing: A, kind: wled, topic: wled/d}
              - {thing: e, kind: zigbee2mqtt, topic: trilateral/desk}

            """
        #expect(
            Set(try problems(entries)) == [
                #"entry 2: kind: must be zigbee2mqtt, tasmota, wled, json or template (is "wledd")"#,
                "entries 1 and 3 are for one lamp: both have the topic wled/a",
                "entries 1 and 4 are for one thing, \"A\"",
                "entry 5: trilateral/desk is one of our own topics",
                "entry 5: trilateral/desk/set is one of our own topics",
                "entry 5: trilateral/desk/availability is one of our own topics",
            ]
        )
    }

    @Test func `an illegal node skips only the rules that need it`() throws {
        let folder = try ScratchFolder()
        let entry = "  - {thing: b, kind: wled, topic: wled/a}\n"
        let file = try folder.write("t.yaml", "mqtt: {node: A B}\nlinks:\n" + Self.lamp + entry)
        let errors = #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        }
        #expect(errors?.problems.map(\.path) == ["mqtt.node", "links"])
    }

    @Test func `a problem has the line of its entry or key`() throws {
        let entries = """
              - thing: a
                kind: wled
                topic: wled/a/
                relay: 2
              - thing: b
                kind: wled
              - thing: c
                kind: wled
                topic: wled/c
              - {thing: d, kind: wled, topic: wled/c}
              - hello

            """
        let found = try places(entries)
        #expect(
            found.map { $0.prefix { $0 != " " } } == ["5:5:", "6:5:", "7:5:", "13:5:", "12:5:"],
            "\(found)"
        )
        #expect(found.last == "12:5: entries 3 and 4 are for one lamp: both have the topic wled/c")
    }

    @Test func `a full topic may end with a slash, as Tasmota has it`() throws {
        let entries = """
              - {thing: a, kind: tasmota, topic: a, full_topic: "%prefix%/%topic%/"}
              - {thing: b, kind: tasmota, topic: b, full_topic: "home/%topic%/%prefix%"}

            """
        #expect(try problems(entries) == [])
    }

    @Test func `the relays of one device are lamps of their own`() throws {
        let first = "  - {thing: a, kind: tasmota, topic: strip, relay: 1}\n"
        #expect(try problems(first + "  - {thing: b, kind: tasmota, topic: strip, relay: 2}\n") == [])
        #expect(
            try problems(first + "  - {thing: b, kind: tasmota, topic: strip}\n")
                == ["entries 1 and 2 are for one lamp: both have the topic cmnd/strip/POWER"]
        )
    }

    @Test func `an unknown placeholder is refused with the nearest one`() throws {
        let entry = "  - {thing: b, kind: template, command_topic: c, command: \"dim {precent}\"}\n"
        let found = try problems(entry)
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix(
                "entry 1: command: unknown name {precent}; did you mean \"percent\"?; legal: {state}"
            ) == true
        )
    }

    @Test(arguments: [
        (
            "{thing: b, kind: wled, topic: wled/a}",
            "entries 1 and 2 are for one lamp: both have the topic wled/a"
        ),
        (
            "{thing: b, kind: json, state_topic: x, command_topic: wled/a/api}",
            "entries 1 and 2 are for one lamp: both have the topic wled/a/api"
        ),
        (
            "{thing: b, kind: json, state_topic: wled/a/g, command_topic: x}",
            "entries 1 and 2 are for one lamp: both have the topic wled/a/g"
        ),
        ("{thing: A, kind: wled, topic: wled/b}", "entries 1 and 2 are for one thing, \"A\""),
        (
            "{thing: b, kind: json, state_topic: x, command_topic: x}",
            "entry 2: x cannot be both what the lamp is told and what it says"
        ),
        (
            "{thing: b, kind: json, state_topic: x, command_topic: trilateral/desk/things/a/set}",
            "entry 2: trilateral/desk/things/a/set is one of our own topics"
        ),
        (
            "{thing: b, kind: zigbee2mqtt, topic: trilateral/desk}",
            "entry 2: trilateral/desk is one of our own topics"
        ),
    ])
    func `a link that would be a loop is refused`(entry: String, expected: String) throws {
        #expect(try problems(Self.lamp + "  - \(entry)\n").contains(expected))
    }

    @Test func `a thing of another node may be a lamp, and a name may be written in two ways`() throws {
        let other =
            "{thing: b, kind: json, state_topic: trilateral/x/things/a, command_topic: trilateral/x/things/a/set}"
        #expect(try problems(Self.lamp + "  - \(other)\n") == [])
        let same = "{thing: Desk lamp, kind: wled, topic: x}\n  - {thing: desk-lamp, kind: wled, topic: y}\n"
        #expect(try problems("  - \(same)") == ["entries 1 and 2 are for one thing, \"desk-lamp\""])
    }

    @Test(arguments: ["  5\n", "  {thing: a}\n", "  x\n"]) func `a value that is not a list is refused`(
        text: String
    )
        throws
    {
        #expect(try problems(text).count == 1)
    }

    @Test func `a variable cannot hold entries`() {
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationLoader.load(
                file: nil,
                environment: ["TRILATERAL_LINKS": "a,b"],
                schema: .program
            )
        }
        #expect(
            (try? ConfigurationLoader.load(file: nil, environment: ["TRILATERAL_LINKS": ""], schema: .program))
                != nil
        )
    }

    @Test func `the example is legal, and is printed so that it can be read again`() throws {
        let lines = ConfigurationPrinter.text(LoadedConfiguration(), schema: .program).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let start = try #require(lines.firstIndex(of: "# links:"))
        let example = lines[start...].prefix { $0.hasPrefix("# ") }.map { String($0.dropFirst(2)) }
        let folder = try ScratchFolder()
        let file = try folder.write("t.yaml", example.joined(separator: "\n"))
        let loaded = try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        #expect(loaded.values.links.map(\.kind) == LampSettings.Kind.allCases)
        #expect(loaded.values.links.allSatisfy { $0.dialect != nil })
        let again = try folder.write("again.yaml", ConfigurationPrinter.text(loaded, schema: .program))
        #expect(
            try ConfigurationLoader.load(file: again, environment: [:], schema: .program).values
                == loaded.values
        )
    }

    @Test func `aliases do not make a small file a huge list`() throws {
        var yaml = "  - &a0 {thing: x}\n"
        for level in 1...30 {
            let inner = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            yaml += "  - &a\(level) [\(inner)]\n"
        }
        #expect(try !problems(yaml).isEmpty)
    }
}
