import Foundation
import JSON
import Profiles
import SeededRandom
import Settings
import Testing

/// Profile files in YAML.
struct ProfileFileTests {
    private func read(_ yaml: String, modules: Set<String>? = []) -> ProfileReading {
        ProfileReading(of: [ProfileFile.source(of: Array(yaml.utf8), named: "t.yaml")], modules: modules)
    }

    /// The problems, without the file's name.
    private func problems(_ yaml: String) -> [String] {
        read(yaml).problems.map { "\($0)".replacing("t.yaml:", with: "") }
    }

    private func profile(_ yaml: String) -> Profile? {
        read(yaml).library.profiles.first { $0.origin != .builtIn }
    }

    @Test func `a coffee machine takes six lines`() throws {
        let yaml = """
            devices:
              - oemModel: coffee-machine
                managedProperties:
                  - {name: on, control: switch, roles: [on_off]}
                  - {name: strength, actions: [{name: mild, value: 1}, {name: strong, value: 3}]}
                  - {name: water, control: readonly_text, unit: "%"}
            strings: {de: {mild: mild, strong: kräftig}}
            """
        #expect(problems(yaml) == [])
        let machine = try #require(profile(yaml))
        #expect(machine.name == "coffee-machine")
        #expect(machine.properties.map(\.name) == ["on", "strength", "water"])
        #expect(machine.properties[1].actions.map(\.value) == [1, 3])
        #expect(read(yaml).library.strings.text("strong", in: "de") == "kräftig")
    }

    /// A value of an action, as it is read.
    @Test(arguments: [
        ("on", JSONValue.string("on")), ("off", "off"), ("yes", "yes"), ("No", "No"), ("true", true),
        ("false", false), ("True", "True"), ("1", 1), ("-1.5e3", -1500), ("0", 0), ("01", 1),
        ("0x10", 16), ("1_000", "1_000"), ("+5", 5), (".5", 0.5), ("1:30", "1:30"), ("\"1\"", "1"),
        ("'true'", "true"), ("2026-11-23", "2026-11-23"), ("\"~\"", "~"),
    ])
    func `only true and false are booleans`(
        text: String,
        value: JSONValue
    ) {
        let yaml = "oemModel: a\nmanagedProperties: [{name: p, actions: [{name: x, value: \(text)}]}]\n"
        #expect(problems(yaml) == [])
        #expect(profile(yaml)?.properties.first?.actions.first?.value == value)
    }

    @Test(arguments: [
        ("a: &x 1", "1:4: error: bad_json: an anchor (&name) is not possible here; leave it out"),
        (
            "a: &x [1]\nb: *x",
            "1:4: error: bad_json: an anchor (&name) is not possible here; leave it out"
        ),
        ("b: [*x]", "1:5: error: bad_json: an alias (*name) is not possible here; write the value again"),
        ("*x : 1", "1:1: error: bad_json: an alias (*name) is not possible here; write the value again"),
        ("a: !!str 1", "1:4: error: bad_json: a tag (!name) is not possible here; leave it out"),
        ("a: !x \"1\"", "1:4: error: bad_json: a tag (!name) is not possible here; leave it out"),
        ("? [a, b]\n: 1", "1:3: error: bad_json: a key must be a text"),
    ])
    func `aliases, anchors, tags and keys that are no texts are refused with their place`(
        yaml: String,
        problem: String
    ) {
        #expect(problems(yaml) == [problem])
    }

    @Test func `what only looks like an alias is a text`() {
        let yaml = "oemModel: \"*x\"\nname: 2 *y &z !w\nmanagedProperties: []\n"
        #expect(problems(yaml) == [])
        #expect(profile(yaml)?.name == "*x" && profile(yaml)?.title == "2 *y &z !w")
    }

    @Test(.timeLimit(.minutes(1))) func `aliases of aliases do not take all memory`() {
        var yaml = "a0: &a0 [x, x]\n"
        for level in 1..<40 {
            yaml +=
                "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
        }
        yaml += "? *a39\n: 1\n? *a39\n: 2\n"
        #expect(problems(yaml).first?.hasPrefix("1:5: error: bad_json:") == true)
    }

    @Test func `duplicate keys are found with both places`() {
        let yaml =
            "oemModel: a\nname: b\nmanagedProperties: [{name: p, unit: m, unit: n, unit: o}]\nname: c\n"
        let found = problems(yaml)
        #expect(found.count == 3, "\(found)")
        #expect(
            found.map { String($0.prefix { $0 != " " }) } == ["3:40:", "3:49:", "4:1:"],
            "\(found)"
        )
        #expect(found.allSatisfy { $0.contains("error: duplicate") && $0.contains("(first in ") })
    }

    @Test(arguments: [
        ("\"\": 1\n\"\": 2\n", "\"\""), ("\"\\x64evices\": []\ndevices: []\n", "\"devices\""),
        ("\"\\\"a\": 1\n\"\\\"a\": 2\n", "\"\\\"a\""), ("'''a': 1\n'''a': 2\n", "\"'a\""),
        ("? |\n  a\n: 1\n? |\n  a\n: 2\n", "\"a\\n\""), ("{\"\":1,\"\":2}\n", "\"\""),
    ])
    func `however a key is written, that it stands again is told with its name`(yaml: String, name: String) {
        let found = problems(yaml)
        #expect(
            found.contains { $0.contains(": error: duplicate: ") && $0.contains("\(name) stands again") },
            "\(found)"
        )
        #expect(found.allSatisfy { !$0.contains("bad_json") }, "\(found)")
    }

    @Test(.timeLimit(.minutes(1))) func `a large file of one key is refused soon`() {
        let found = problems(String(repeating: "a: 1\n", count: 209_000))
        #expect(
            found.count == 1 && found.first?.contains("error: duplicate: \"a\" stands again") == true,
            "\(found)"
        )
    }

    @Test(arguments: [
        ("a: [b\nc: \"", "bad_json"), ("a: b: c", "bad_json"), ("--- {}\n--- {}\n", "bad_json"),
        ("\ta: 1", "bad_json"), ("a: \u{1}", "bad_json"),
    ]) func `what is not one document of YAML is named with its place`(yaml: String, code: String) {
        let found = problems(yaml)
        #expect(found.count == 1 && found.first?.contains("error: \(code): ") == true, "\(found)")
    }

    @Test func `bytes that are no text have a place`() {
        let source = ProfileFile.source(of: Array("a: b\nü: ".utf8) + [0xFF], named: "t.yml")
        let found = ProfileReading(of: [source], modules: nil).problems.map { "\($0)" }
        #expect(found == ["t.yml:2:4: error: bad_json: this is not UTF-8 text"])
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["[", "{a: ", "- ", "? ", "\"", "a: [*b,", "'\n", "- - "])
    func `a large file of nothing but beginnings is refused`(beginning: String) {
        let yaml = String(repeating: beginning, count: ProfileSource.maximumBytes / beginning.utf8.count)
        #expect(problems(yaml).contains { $0.contains(": error: ") })
    }

    @Test func `a file that is changed or cut off at any byte has problems with places, or none`() {
        let yaml = """
            devices:
              - oemModel: "a*b"   # &c
                managedProperties:
                  - {name: on, control: switch, roles: [on_off], unit: 'ü'}
                  - {name: p, min: 1, max: 2.5, actions: [{name: *x, value: !y 1}]}
            strings: {de: {on: |
               two
               lines
             }}
            """
        var random = SplitMix64(seed: 14)
        let bytes = Array(yaml.utf8)
        for index in bytes.indices {
            let (before, after) = (Array(bytes[..<index]), Array(bytes[index...]))
            let mark = Array("*&!\"'\n{[".utf8)[Int.random(in: 0..<8, using: &random)]
            for changed in [
                before, before + [UInt8.random(in: 0...255, using: &random)] + after.dropFirst(),
                before + [mark] + after,
            ] {
                let source = ProfileFile.source(of: changed, named: "t.yaml")
                let reading = ProfileReading(of: [source], modules: nil)
                #expect(reading.problems.allSatisfy { $0.position.line >= 1 && $0.position.column >= 1 })
            }
        }
    }
}
