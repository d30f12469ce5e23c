import Foundation

/// A comment that names where something comes from: `- Source: …`, with the lines that continue it.
struct SourceLine {
    /// In the repository.
    let path: String
    /// From 1.
    let number: Int
    /// What stands behind `Source:`, on one line.
    let text: String

    /// Those of all source files and tests.
    static func all() throws -> [SourceLine] {
        try ["Sources", "Tests"].flatMap { folder in
            let names = FileManager.default.enumerator(atPath: Contrib.root.appending(path: folder).path)
            return try (names?.compactMap { $0 as? String } ?? []).sorted()
                .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
                .flatMap { name in try found(in: Contrib.text("\(folder)/\(name)"), of: "\(folder)/\(name)") }
        }
    }

    static func found(in text: String, of path: String) -> [SourceLine] {
        guard text.contains("Source: ") else { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            guard lines[index].contains("Source: "),
                let match = lines[index].prefixMatch(of: #/(\s*///?) (- )?Source:/#)
            else { return nil }
            let indent = "\(match.output.1)\(match.output.2 == nil ? " " : "   ")"
            let continuation = lines[(index + 1)...].prefix { $0.hasPrefix(indent) }
            let parts =
                [lines[index][match.range.upperBound...]] + continuation.map { $0.dropFirst(indent.count) }
            let joined = parts.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
            return SourceLine(path: path, number: index + 1, text: joined)
        }
    }

    // MARK: What it names

    /// A page of the repository, and headings in it: `contrib/contract/mqtt.md, "Frames"; "Things"`.
    private static var page: Regex<(Substring, Substring, Substring)> {
        #/(contrib/[A-Za-z0-9/._-]*[A-Za-z0-9])((?:[,;] "[^"]*")*)/#
    }

    /// What is wrong with it, if something is.
    func problem() -> String? {
        for match in text.matches(of: Self.page) {
            if let problem = problem(ofPage: String(match.output.1), String(match.output.2)) {
                return problem
            }
        }
        for match in text.matches(of: /design note (\d+)/)
        where !Self.headings.keys.contains(where: { $0.hasPrefix("contrib/design/\(match.output.1)-") }) {
            return "there is no design note \(match.output.1)"
        }
        let rest = text.replacing(Self.page, with: "").replacing(/design note \d+/, with: "")
        if let match = rest.firstMatch(of: Self.pagesElsewhere) {
            return "\(match.output) is no page of the repository"
        }
        let isPublic = Self.publicSources.contains { rest.contains($0) }
        return rest == text && !isPublic ? "it names neither a page nor a public specification" : nil
    }

    private func problem(ofPage path: String, _ names: String) -> String? {
        guard let known = Self.headings[path] else { return "there is no page \(path)" }
        let wanted = names.matches(of: /"([^"]*)"/).map { String($0.output.1) }
        if wanted.isEmpty, path.hasPrefix("contrib/contract/") { return "\(path) needs a heading" }
        return wanted.first { !known.contains($0) }.map { "\(path) has no heading \"\($0)\"" }
    }

    /// The headings of each page, by its path.
    private static let headings: [String: Set<String>] = {
        var all: [String: Set<String>] = [:]
        for path in ["contrib/contract", "contrib/design", "contrib/manual"].flatMap(MarkdownPage.paths) {
            all[path] = (try? MarkdownPage(path)).map { Set($0.headings.map(\.text)) }
        }
        return all
    }()

    /// Pages by a name and no path.
    private static var pagesElsewhere: Regex<Substring> {
        /\b(?:flare-protocol \d[\d.]*|positioning \d[\d.]*|profiles, |design, |the MQTT contract|the (?:people|directory|lifecycle|web) page)/
    }

    private static var publicSources: [Regex<Substring>] {
        [
            // Standards, manual pages, and publications with their year.
            /RFC \d|Internet draft|ISO \d|POSIX|\bABI\b|Unicode|ECMAScript|HTML standard|JSON Schema|YAML 1\./,
            /\w\([1-8]\)/,
            /\b(?:19|20)\d\d\b/,
            /MQTT \d|(?:Engine|Socket)\.IO|Bluetooth Core Specification|AltBeacon|Eddystone|CSS |Prometheus/,
            // The documentation of programs and devices.
            /Home Assistant|Tasmota|WLED|zigbee2mqtt|ESPresense|OwnTracks|nRF Sniffer|Kubernetes|GitHub|Apple,/,
            // Methods that are known by these names.
            /FNV-1a|Jacobi/,
            // A file or an address of the origin, or something of it in backquotes.
            /\w\.(?:c|cpp|h|js|java|py|swift|org)\b|`[^`]+`/,
        ]
    }
}
