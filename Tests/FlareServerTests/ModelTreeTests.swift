import Flare
import FlareServer
import JSON
import SeededRandom
import TestSupport
import Testing

@Suite struct ModelTreeTests {
    private func problems(_ text: String, limit: Int = 100) -> [String] {
        do {
            _ = try ModelTree.read(text.utf8, limit: limit)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `a tree is read with its nesting, identifiers and actions`() throws {
        let text = """
            {"environments": [{"_id": "0000000000000000000000A1", "name": "Home", "angle": "195", "type": "x",
              "perimeter": {"origin": {"x": 0, "y": 0}, "size": {"width": 5, "height": 4, "depth": null}},
              "zones": [{"name": 7, "things": [
                 {"_id": "0000000000000000000000a3", "actions": "on", "data": {"a": {}}, "colour": 1},
                 {"environment": "0000000000000000000000a1"}]}],
              "devices": [{"nearest": "0000000000000000000000a3", "zone": null}]},
              {}]}
            """
        let ids = (1...).lazy.map { FlareID(high: 9, low: $0) }.makeIterator()
        var source = ids
        let made = (0..<5).compactMap { _ in source.next() }
        var next = made.makeIterator()
        let tree = try ModelTree.read(text.utf8) { next.next() ?? FlareID(high: 0, low: 0) }
        let home = FlareID(high: 0, low: 0xA1)
        let lamp = FlareID(high: 0, low: 0xA3)
        #expect(tree.records.map(\.kind) == [.environment, .zone, .thing, .thing, .device, .environment])
        #expect(tree.records.map(\.id) == [home, made[0], lamp, made[1], made[2], made[3]])
        #expect(tree.records[0].members["angle"] == 195)
        #expect(tree.records[0].perimeter?.depth == Box.defaultDepth)
        #expect(tree.records[1].members["name"] == "7")
        #expect(tree.records[2].zone == made[0] && tree.records[2].environment == home)
        #expect(tree.records[2].members["actions"] == ["on"])
        #expect(tree.records[4].nearest == lamp && tree.records[4].zone == nil)
        #expect(tree.places[3] == "environments[0].zones[0].things[1]")
        #expect(tree.records[2].members["colour"] == nil, "no member of a thing")
    }

    @Test func `all problems are reported at once with their locations`() {
        let text = """
            {"environments": [
              {"_id": "0000000000000000000000a1", "name": [], "angle": "north", "perimeter": 3,
               "zones": [{"_id": "zone", "environment": "0000000000000000000000a2",
                          "things": [{"position": {"x": "1e999", "y": true}, "actions": ["on", null]}, 5,
                                     {"_id": "0000000000000000000000a1"}]},
                         {"things": {}}],
               "devices": [{"zone": "0000000000000000000000a1", "nearest": "x"},
                           {"nearest": "0000000000000000000000ff"}]},
              {"zones": 1, "geofence": {"radius": "far"}}]}
            """
        #expect(
            problems(text) == [
                #"environments[0].angle: must be a number (is "north")"#,
                "environments[0].name: must be a text (is a list)",
                "environments[0].perimeter: must be an object (is 3)",
                "environments[0].zones[0].environment: is \"0000000000000000000000a2\", "
                    + "but the object is in environment 0000000000000000000000a1",
                #"environments[0].zones[0]._id: must be 24 hexadecimal digits (is "zone")"#,
                "environments[0].zones[0].things[0].actions[1]: must be a text (is null)",
                #"environments[0].zones[0].things[0].position.x: must be a number (is "1e999")"#,
                "environments[0].zones[0].things[0].position.y: must be a number (is true)",
                "environments[0].zones[0].things[1]: must be an object (is 5)",
                "environments[0].zones[0].things[2]._id: 0000000000000000000000a1 is already the "
                    + "identifier of environments[0]",
                "environments[0].zones[1].things: must be a list (is an object)",
                #"environments[0].devices[0].nearest: must be 24 hexadecimal digits (is "x")"#,
                #"environments[1].geofence.radius: must be a number (is "far")"#,
                "environments[1].zones: must be a list (is 1)",
                "environments[0].devices[0].zone: there is no zone 0000000000000000000000a1 in the file",
                "environments[0].devices[1].nearest: there is no thing 0000000000000000000000ff in the file",
            ]
        )
    }

    @Test(
        arguments: [
            ("", "line 1, column 1: invalid JSON: the text ends before a value"),
            ("{\n  \"environments\": [\n    {]", "line 3, column 6: invalid JSON"),
            ("[]", "the file must be an object with a list of environments"),
            ("{}", "environments: is missing"),
            ("{\"environments\": 3}", "environments: must be a list (is 3)"),
        ]
    )
    func `a file that is not a model is reported`(text: String, problem: String) {
        let found = problems(text)
        #expect(found.count == 1 && found.first?.hasPrefix(problem) == true, "\(found)")
    }

    @Test func `an empty model is valid, and objects and problems are limited`() {
        #expect(problems(#"{"environments": []}"#).isEmpty)
        #expect(
            problems(#"{"environments": [{}, {}, {}, {}]}"#, limit: 2)
                == ["environments[2]: too many objects; at most 2 are allowed"]
        )
        let many = String(repeating: "1,", count: 5000) + "1"
        #expect(problems("{\"environments\": [\(many)]}").count == 1000)
    }

    @Test(arguments: [(999, 999, true), (1000, 1000, true), (1001, 1000, false)])
    func `the report says when reading stopped early`(wrong: Int, reported: Int, areAll: Bool)
        throws
    {
        let many = Array(repeating: "1", count: wrong) + ["{}"]
        let within =
            #"{"environments": [{"actions": [\#(many.dropLast().map { _ in "{}" }.joined(separator: ","))]}]}"#
        for text in [#"{"environments": [\#(many.dropLast().joined(separator: ","))]}"#, within] {
            let found = try #require(throws: ModelErrors.self) { try ModelTree.read(text.utf8) }
            #expect(found.problems.count == reported)
            #expect(found.areAll == areAll)
        }
    }

    @Test func `truncated and damaged files give problems and never trap`() throws {
        let bytes = Array(ModelExport(Hall.records).bytes)
        var generator = SplitMix64(seed: 5)
        for end in 0..<(bytes.count - 2) {
            #expect(throws: ModelErrors.self) { try ModelTree.read(bytes.prefix(end)) }
        }
        for _ in 0..<2000 {
            var wrong = bytes
            wrong[Int.random(in: 0..<wrong.count, using: &generator)] = .random(
                in: .min ... .max,
                using: &generator
            )
            do throws(ModelErrors) {
                _ = try ModelTree.read(wrong)
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
    }
}
