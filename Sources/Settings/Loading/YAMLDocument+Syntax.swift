import Text
import Yams

extension YAMLDocument {
    /// An error of the library in words that say what to change; the library's own words where we know none.
    static func syntaxError(_ error: YamlError) -> SyntaxError {
        switch error {
        case .scanner(let context, let problem, let mark, let yaml),
            .parser(let context, let problem, let mark, let yaml),
            .composer(let context, let problem, let mark, let yaml):
            return YAMLMistake(problem: problem, context: context, mark: mark, lines: lines(of: yaml)).error
        case .reader(let problem, let offset, _, let yaml):
            let line = lines(of: String(yaml.prefix(max(0, offset ?? 0)))).count
            let message =
                problem.hasPrefix("control") ? "a control character; leave it out" : notYAML(problem)
            return SyntaxError(message, at: FileLocation(line: line, column: 1))
        default:
            return SyntaxError(notYAML("\(error)"))
        }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    fileprivate static func notYAML(_ problem: String) -> String { "this is not YAML: \(problem)" }
}

/// What the YAML library says of a mistake, with the lines around it.
private struct YAMLMistake {
    let problem: String
    let context: YamlError.Context?
    let mark: Mark
    let lines: [Substring]

    /// Messages that need no look at the lines around.
    ///
    /// - Source: libyaml 0.2.5, scanner.c and parser.c.
    private static let messages = [
        "block sequence entries are not allowed in this context":
            "a list entry (-) begins on a line of its own",
        "but found another document": "a second document (---); a file holds one",
        "did not find expected alphabetic or numeric character":
            "a value that begins with * or & needs quotes",
        "did not find expected comment or line break": "text behind | or >; it begins on the next line",
        "did not find expected node content": "a value or a closing bracket is missing",
        "found undefined alias": "a value that begins with * needs quotes",
        "found unknown escape character":
            "a backslash within \"…\" begins an escape that YAML does not know; use '…'",
    ]

    private static let tab = "a tab; YAML indents with spaces"
    private static let noColon = "a key without a colon; write KEY: VALUE"
    private static let noSpace = "a colon needs a space behind it"
    private static let indentation = "the indentation fits no line above"
    private static let rest = "text behind a value that has ended; is a quote missing, or one too many?"

    var error: YAMLDocument.SyntaxError {
        if isFirst, next == "\t" { return .init(Self.tab, at: mark) }
        switch problem {
        case "found character that cannot start any token":
            let character = next.map { QuotedValue.of("\($0)") } ?? "this"
            return .init("\(character) cannot begin a value; put quotes around it", at: mark)
        case "found unexpected end of stream", "found unexpected document indicator":
            return .init("the quote that begins here is not closed", at: context?.mark ?? mark)
        case "mapping values are not allowed in this context":
            if before.contains(": ") {
                return .init("a value with a colon and a space in it needs quotes", at: mark)
            }
            return errorAbove ?? .init(Self.indentation, at: mark)
        case "could not find expected ':'":
            let key = context?.mark ?? mark
            return .init(line(key.line).contains(":") ? Self.noSpace : Self.noColon, at: key)
        case "did not find expected key":
            guard isFirst else { return .init(Self.rest, at: mark) }
            if next == "-" { return .init("a list entry (-) where a key is expected", at: mark) }
            return errorAbove ?? .init(Self.indentation, at: mark)
        case "did not find expected '-' indicator":
            let isEntry = !isFirst || next == "-"
            return .init(isEntry ? Self.indentation : "a key where a list entry (-) is expected", at: mark)
        case "did not find expected <document start>":
            return .init(isFirst ? Self.indentation : Self.rest, at: mark)
        case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
            let opened = context.map { " of the list or section that begins in line \($0.mark.line)" } ?? ""
            return .init(
                "a comma or the closing \(problem.suffix(2).prefix(1))\(opened) is missing",
                at: mark
            )
        default: break
        }
        let words = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
        let message = Self.messages[problem] ?? YAMLDocument.notYAML(words)
        return .init(message, at: mark)
    }

    /// The line above, if it was meant as KEY: VALUE beside that of the mark, and is none.
    private var errorAbove: YAMLDocument.SyntaxError? {
        let above = lines.prefix(max(0, mark.line - 1)).lastIndex {
            ![nil, "#"].contains($0.first { $0 != " " })
        }
        guard let above else { return nil }
        let (text, indentation) = (lines[above], lines[above].prefix { $0 == " " })
        guard !text.contains(": "), !text.hasSuffix(":"), text.dropFirst(indentation.count).first != "-",
            indentation == line(mark.line).prefix(while: { $0 == " " })
        else { return nil }
        let place = FileLocation(line: above + 1, column: indentation.count + 1)
        return .init(text.contains(":") ? Self.noSpace : Self.noColon, at: place)
    }

    /// The line of the mark, up to it.
    private var before: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: line(mark.line).unicodeScalars.prefix(max(0, mark.column - 1)))
        return String(text)
    }

    /// The character at the mark; `nil` at the end of its line.
    private var next: Unicode.Scalar? {
        line(mark.line).unicodeScalars.dropFirst(max(0, mark.column - 1)).first
    }

    /// Whether the mark stands at the beginning of its line, behind blanks.
    private var isFirst: Bool { before.allSatisfy { $0 == " " || $0 == "\t" } }

    private func line(_ number: Int) -> Substring {
        lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }
}
