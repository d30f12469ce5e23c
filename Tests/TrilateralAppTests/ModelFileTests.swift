import FlareServer
import Foundation
import Logging
import TestSupport
import Testing
import Threading
import TrilateralApp

struct ModelFileTests {
    private let file = ModelFile(path: "home.json", command: "import")

    @Test func `one problem is told as one, with its place`() throws {
        let text = #"{"environments":[{"name":[]}]}"#
        let problems = try #require(throws: ModelErrors.self) { try ModelTree.read(text.utf8) }
        #expect(
            file.lines(problems) == [
                "trilateral import: home.json: 1 problem; nothing was changed",
                "  environments[0].name: must be a text (is a list)",
            ]
        )
    }

    @Test func `a file that was not read to its end is told as such`() throws {
        let text = #"{"environments":[\#(Array(repeating: "1", count: 1500).joined(separator: ","))]}"#
        let problems = try #require(throws: ModelErrors.self) { try ModelTree.read(text.utf8) }
        let lines = file.lines(problems)
        #expect(lines.count == 1002, "a thousand, what they are, and that there are more")
        #expect(lines.first == "trilateral import: home.json: more than 1000 problems; nothing was changed")
        #expect(lines.last == "  … and more: reading stopped here")
    }

    @Test func `the advice on objects that are there says what replacing them loses`() {
        #expect(ModelFile.advice.contains("values that the file does not have are lost"))
    }

    @Test func `a name in a problem cannot command the terminal`() {
        let problem = ModelError(
            place: "things[0]",
            message: "a second \u{1b}[2J\u{9b}2J",
            isReplaceable: false
        )
        #expect(
            file.lines(ModelErrors(problems: [problem])).last
                == "  things[0]: a second \\u{1b}[2J\\u{9b}2J"
        )
    }

    @Test func `of very many objects that are there twenty are told, and how to replace them`() async throws {
        let store = try FlareStore()
        let logger = Logger.silent
        let hub = try FlareHub(on: LoopExecutor(), store: store, clock: { 0 }, logger: logger)
        let places = (0..<1003).map { #"{"_id":"\#(String(format: "%024x", $0 + 1))"}"# }
        let model = try ModelTree.read(#"{"environments":[\#(places.joined(separator: ","))]}"#.utf8)
        try await hub.importModel(model)

        let problems = await hub.problems(importing: model, replacing: false)
        #expect(problems.count == 1003)
        let lines = file.lines(ModelErrors(problems: problems))
        #expect(lines.first == "trilateral import: home.json: 1003 problems; nothing was changed")
        #expect(lines.count == 23)
        #expect(
            Array(lines.suffix(2)) == [
                "  … and 983 more",
                "trilateral import: \(ModelFile.advice)",
            ]
        )
        try store.close()
    }
}
