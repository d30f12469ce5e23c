import Foundation
import JSON
import Testing

/// Compares stories with their recorded outcome; `TRILATERAL_RECORD=1` records it again for review.
@Suite struct StoryTests {
    static let folder = Bundle.module.bundleURL.appending(path: "Traces")

    static var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test func `the story files are found`() {
        #expect(Self.names.count >= 6)
    }

    @Test(arguments: names) func `a story produces its recorded outcome`(name: String) throws {
        let story = try JSONValue(parsing: Array(Data(contentsOf: Self.folder.appending(path: name))))
        let eventNames = try Story.outcome(story)
        if ProcessInfo.processInfo.environment["TRILATERAL_RECORD"] == "1" {
            let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "Traces/\(name)"
            )
            try Data((Self.pages(eventNames) + "\n").utf8).write(to: source)
            return
        }
        let (steps, expected) = (eventNames["steps"]?.array ?? [], story["steps"]?.array ?? [])
        for (index, step) in steps.enumerated() {
            #expect(step == expected[index], "step \(index + 1) of \(name)")
        }
        #expect(eventNames == story)
    }

    /// Readable JSON: short values on one line, inputs before outcomes.
    private static func pages(_ value: JSONValue, indent: String = "") -> String {
        let compact = value.text
        guard indent.utf8.count + compact.utf8.count > 110 || value["steps"] != nil || value["then"] != nil
        else {
            return compact
        }
        let inner = indent + "  "
        switch value {
        case .array(let elements):
            return "[\n" + elements.map { inner + pages($0, indent: inner) }.joined(separator: ",\n")
                + "\n\(indent)]"
        case .object(let members):
            let order = ["about", "given", "at"]
            let last = ["then", "state", "steps"]
            func rank(_ key: String) -> Int {
                order.firstIndex(of: key) ?? last.firstIndex(of: key).map { $0 + 10 } ?? 5
            }
            let sorted = members.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
            let lines = sorted.map {
                "\(inner)\(JSONValue.string($0.key).text): \(pages($0.value, indent: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        default: return compact
        }
    }
}
