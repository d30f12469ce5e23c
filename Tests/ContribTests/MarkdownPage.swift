import Foundation

/// A page for people, as far as it can be held against the program.
struct MarkdownPage {
    struct Block {
        let language: String
        let lines: [String]
    }

    /// The paths of the pages in a folder of the repository, in order.
    static func paths(in folder: String) -> [String] {
        let path = Contrib.root.appending(path: folder).path
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    let path: String
    private(set) var blocks: [Block] = []
    /// Lines outside of blocks.
    private(set) var prose: [String] = []

    /// - Parameter path: In the repository.
    init(_ path: String) throws {
        self.path = path
        var open: (language: String, lines: [String])?
        for line in try Contrib.text(path).split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let block = open {
                if text == "```" {
                    blocks.append(Block(language: block.language, lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(String(line))
                }
            } else if text.hasPrefix("```") {
                open = (String(text.dropFirst(3)), [])
            } else {
                prose.append(String(line))
            }
        }
    }

    func blocks(of language: String) -> [Block] { blocks.filter { $0.language == language } }

    /// What stands in back-quotes.
    var codeSpans: [String] {
        prose.flatMap { line in line.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
    }

    /// Targets of links and pictures.
    var links: [String] {
        prose.flatMap { line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
        }
    }

    /// The headings with their level, as they are written.
    var headings: [(level: Int, text: String)] {
        prose.compactMap { line in
            line.prefixMatch(of: /(#+) (.+)/).map { ($0.output.1.count, String($0.output.2)) }
        }
    }

    /// The names by which links reach the headings.
    /// - Source: GitHub: lower case, without punctuation, spaces as hyphens.
    var anchors: Set<String> {
        Set(
            headings.map { heading in
                String(
                    heading.text.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                        .map { $0 == " " ? "-" : $0 }
                )
            }
        )
    }
}
