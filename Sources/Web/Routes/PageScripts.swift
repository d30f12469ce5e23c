/// The scripts of the pages as they are served: each page asks for one file, not for each module that it is made of.
///
/// The modules stay as they are written; only who imports whom is read. In a joined file each module is a function that is
/// called once, those that it imports first, so names of one never meet those of another. What a page loads later
/// (`import("./x.js")`) is joined in the same way, and takes from the page's own file what that has already.
struct PageScripts: Sendable {
    /// What is served, by name.
    ///
    /// A module that is only a part of others is served as it is written.
    let texts: [String: String]

    private struct Module {
        /// Without the lines that import, and without the word that exports.
        var lines: [Substring] = []
        /// Names of files, with what is taken of each: `element, set as put`.
        var imports: [(file: String, names: String)] = []
        var exports: [String] = []
        /// What it loads later.
        var later: [String] = []

        /// - Parameter text: Statements that import stand in one line each, as those that export begin.
        init(_ text: String) {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                later += line.parts(between: "import(\"./", and: ".js\")").map { $0 + ".js" }
                if line.hasPrefix("import {"), let names = line.part(between: "{", and: "}"),
                    let file = line.part(between: "from \"./", and: "\";")
                {
                    imports.append((String(file), String(names)))
                } else if line.hasPrefix("export ") {
                    lines.append(line.dropFirst(7))
                    let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
                    let isKeyword = { (word: Substring) in
                        ["async", "function", "class", "const"].contains(word)
                    }
                    exports += words.dropFirst().first { !isKeyword($0) }.map { [String($0)] } ?? []
                } else {
                    lines.append(line)
                }
            }
        }
    }

    private let modules: [String: Module]

    /// - Parameters:
    ///   - sources: The modules, by name.
    ///   - entries: The names of those that pages begin with.
    init(_ sources: [String: String], entries: Set<String>) {
        modules = sources.mapValues(Module.init)
        var texts = sources
        // Who loads a file later: what only one page loads may take from that page's file.
        var loaders: [String: Set<String>] = [:]
        for entry in entries {
            for file in Self.closure(of: entry, in: modules, later: true) {
                loaders[file, default: []].insert(entry)
            }
        }
        for entry in entries {
            let own = Self.closure(of: entry, in: modules)
            let later = Self.closure(of: entry, in: modules, later: true)
            var isShared = false
            for file in later where !own.contains(file) && Self.isLoadedLater(file, by: later, in: modules) {
                let parts = Self.closure(of: file, in: modules)
                let shared = loaders[file] == [entry] ? parts.filter(own.contains) : []
                isShared = isShared || !shared.isEmpty
                texts[file] =
                    Self.joined(parts.filter { !shared.contains($0) }, of: modules)
                    + Self.exports(of: file, in: modules)
                if !shared.isEmpty {
                    let names = shared.map(Self.name).joined(separator: ", ")
                    texts[file] = "import { \(names) } from \"./\(entry)\";\n" + (texts[file] ?? "")
                }
            }
            texts[entry] = Self.joined(own, of: modules)
            if isShared {
                texts[entry]? += "export { \(own.map(Self.name).joined(separator: ", ")) };\n"
            }
        }
        self.texts = texts
    }

    private static func isLoadedLater(_ file: String, by files: [String], in modules: [String: Module])
        -> Bool
    {
        files.contains { modules[$0]?.later.contains(file) ?? false }
    }

    /// A module and what it imports, each after what it imports itself.
    ///
    /// - Parameter later: Also what they load later.
    private static func closure(of file: String, in modules: [String: Module], later: Bool = false)
        -> [String]
    {
        var (found, seen): ([String], Set<String>) = ([], [])
        func visit(_ file: String) {
            guard let module = modules[file], seen.insert(file).inserted else { return }
            for other in module.imports { visit(other.file) }
            if later { for other in module.later { visit(other) } }
            found.append(file)
        }
        visit(file)
        return found
    }

    private static func joined(_ files: [String], of modules: [String: Module]) -> String {
        files.compactMap { file in
            modules[file].map { module in
                let imports = module.imports.map { other in
                    "const {\(other.names.replacing(" as ", with: ": "))} = \(name(of: other.file));"
                }
                let result = "return { \(module.exports.joined(separator: ", ")) };"
                let lines = imports.map { $0[...] } + module.lines + [result[...]]
                return "const \(name(of: file)) = (() => {\n\(lines.joined(separator: "\n"))\n})();\n"
            }
        }.joined()
    }

    private static func exports(of file: String, in modules: [String: Module]) -> String {
        let names = modules[file]?.exports ?? []
        return names.isEmpty ? "" : "export const { \(names.joined(separator: ", ")) } = \(name(of: file));\n"
    }

    /// What a module is called in a joined file.
    private static func name(of file: String) -> String {
        "$" + String(file.dropLast(3).map { $0 == "-" ? "_" : $0 })
    }
}

extension Substring {
    /// What stands between the first occurrences of two texts.
    fileprivate func part(between start: String, and end: String) -> Substring? {
        guard let from = firstRange(of: start) else { return nil }
        let rest = self[from.upperBound...]
        return rest.firstRange(of: end).map { rest[..<$0.lowerBound] }
    }

    /// What stands between each occurrence of one text and the next one of the other, within plain names.
    fileprivate func parts(between start: String, and end: String) -> [String] {
        var (found, rest): ([String], Substring) = ([], self)
        while let from = rest.firstRange(of: start) {
            rest = rest[from.upperBound...]
            guard let to = rest.firstRange(of: end) else { break }
            let name = rest[..<to.lowerBound]
            if name.isPlainName { found.append(String(name)) }
            rest = rest[to.upperBound...]
        }
        return found
    }
}
