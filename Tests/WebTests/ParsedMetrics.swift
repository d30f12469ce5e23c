/// Reads the Prometheus text format, strictly.
/// - Source: the Prometheus text exposition format, version 0.0.4.
struct ParsedMetrics {
    struct Family: Equatable {
        let name: String
        let help: String
        let type: String
        var samples: [Sample] = []
    }

    struct Sample: Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Failure: Error { let line: String }

    private(set) var families: [Family] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Failure(line: "the last line has no end") }
        var help: (name: Substring, text: String)?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let rest = line.dropped("# HELP ") {
                let name = rest.prefix { $0 != " " }
                guard help == nil, Self.isName(name) else { throw Failure(line: String(line)) }
                help = (name, try Self.unescaped(rest.dropFirst(name.count + 1), quotes: false))
            } else if let rest = line.dropped("# TYPE ") {
                let words = rest.split(separator: " ")
                guard words.count == 2, let text = help, text.name == words[0],
                    ["counter", "gauge", "histogram", "untyped"].contains(words[1]),
                    !families.contains(where: { $0.name == words[0] })
                else { throw Failure(line: String(line)) }
                families.append(Family(name: String(words[0]), help: text.text, type: String(words[1])))
                help = nil
            } else {
                let sample = try Self.sample(line)
                guard help == nil, let family = families.last else { throw Failure(line: String(line)) }
                let endings = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard endings.contains(where: { sample.name == family.name + $0 }) else {
                    throw Failure(line: String(line))
                }
                families[families.count - 1].samples.append(sample)
            }
        }
        guard help == nil else { throw Failure(line: "a description without a type") }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let name = line.prefix { $0 != "{" && $0 != " " }
        guard isName(name) else { throw Failure(line: String(line)) }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = rest.prefix { $0 != "=" }
                guard isName(label), let after = rest.dropFirst(label.count).dropped("=\"") else {
                    throw Failure(line: String(line))
                }
                var end = after.startIndex
                while end < after.endIndex, after[end] != "\"" {
                    if after[end] == "\\" { end = after.index(after: end) }
                    guard end < after.endIndex else { throw Failure(line: String(line)) }
                    end = after.index(after: end)
                }
                guard end < after.endIndex, labels[String(label)] == nil else {
                    throw Failure(line: String(line))
                }
                labels[String(label)] = try unescaped(after[..<end], quotes: true)
                rest = after[after.index(after: end)...]
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard let number = rest.dropped(" "), let value = value(number) else {
            throw Failure(line: String(line))
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func value(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.contains { $0.isLetter && $0 != "e" } ? nil : Double(text)
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
        return text.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
                || $0 == ":"
        }
    }

    private static func unescaped(_ text: Substring, quotes: Bool) throws -> String {
        var result = ""
        var characters = text.makeIterator()
        while let character = characters.next() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch characters.next() {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Failure(line: String(text))
            }
        }
        return result
    }
}

extension Substring {
    /// What follows a beginning; `nil` if the text begins otherwise.
    fileprivate func dropped(_ beginning: String) -> Substring? {
        hasPrefix(beginning) ? dropFirst(beginning.count) : nil
    }
}
