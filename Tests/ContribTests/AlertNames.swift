import Foundation
import Testing

/// The names of all alerts that the program can raise, as its source has them.
enum AlertNames {
    static func inSources() throws -> Set<String> {
        var names: Set<String> = []
        let sources = Contrib.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?:\.alertRaised|\.alert|\.raise|\braise)\(\s*([^,)]+),/) {
                let argument = String(match.output.1)
                switch argument {
                // The controller hands on what it was told.
                case "let id", "id", "_ id: String": continue
                case _ where argument.hasPrefix("\""): names.insert(argument.trimmingCharacters(in: ["\""]))
                case _ where argument.hasPrefix("Self."):
                    let constant = try Regex("static let \(argument.dropFirst(5)) = \"([^\"]+)\"")
                    let value = try #require(
                        text.firstMatch(of: constant)?.output[1].substring,
                        "\(file.path)"
                    )
                    names.insert(String(value))
                case "name":
                    let calls = text.matches(of: /\.run\(\s*"([a-z-]+)"/)
                    #expect(!calls.isEmpty, "\(file.path)")
                    names.formUnion(calls.map { String($0.output.1) })
                default: Issue.record("\(file.path): the name of an alert is not a literal: \(argument)")
                }
            }
        }
        return names
    }
}
