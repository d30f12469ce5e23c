import Daemon
package import FlareServer
import JSON
import Profiles

/// All that is wrong in a model file: errors, for which it is refused, and warnings.
package struct ModelReport {
    /// What was read; `nil` when the file itself has errors.
    package let tree: ModelTree?
    private let path: String
    private var errors: [ModelError] = []
    /// Whether there are no further errors than those.
    private var areAll = true
    private var warnings: [ModelError] = []
    private var warningCount = 0
    /// The file's text; `nil` when it is no JSON.
    private let source: [UInt8]?

    /// What can be imported; `nil` when the file itself has errors.
    var contents: ModelFile.Contents? {
        guard let source, let tree else { return nil }
        return ModelFile.Contents(bytes: source, tree: tree)
    }

    package var hasErrors: Bool { !errors.isEmpty }

    /// - Parameters:
    ///   - path: What messages call the file.
    ///   - profiles: The names of all profiles; `nil` if only the built-in ones are known.
    package init(on bytes: [UInt8], path: String, profiles: [String]? = nil) {
        self.path = path
        do throws(ModelErrors) {
            let json = try ModelTree.parse(bytes)
            source = bytes
            let advice = ModelAdvice(on: json, profiles: profiles)
            (warnings, warningCount) = (advice.warnings, advice.count)
            (tree, errors, areAll) = Self.read(json)
        } catch {
            (tree, source, errors) = (nil, nil, error.problems)
        }
    }

    private static func read(_ json: JSONValue) -> (ModelTree?, [ModelError], Bool) {
        do throws(ModelErrors) {
            return (try ModelTree.read(json), [], true)
        } catch {
            return (nil, error.problems, error.areAll)
        }
    }

    /// Adds what the database says.
    package mutating func add(errors: [ModelError]) { self.errors += errors }

    package mutating func add(warnings: [ModelError]) {
        self.warnings += warnings
        warningCount += warnings.count
    }

    /// A line for each problem, errors first; as compilers write them.
    package func lines(mostWarnings: Int = 1000) -> [String] {
        let wrong = errors.filter { !$0.isReplaceable }.prefix(1000)
        let taken = errors.filter(\.isReplaceable).outermost
        let hints = warnings.prefix(mostWarnings)
        let hasProblems = !errors.isEmpty || !hints.isEmpty
        let placed =
            hasProblems
            ? source.flatMap { PlacedValue(json: $0, maximumDepth: ModelTree.maximumDepth) } : nil
        func texts(_ problems: some Sequence<ModelError>, _ word: String) -> [String] {
            let lines = problems.enumerated().map { number, problem in
                // A text that is not JSON has no places, only lines.
                let line = problem.line ?? placed?.line(of: problem.place)
                let text = TerminalText.visible(problem.line == nil ? "\(problem)" : problem.message)
                let place = line.map { "\(path):\($0)" } ?? path
                return (line: line ?? 0, number: number, text: "\(place): \(word): \(text)")
            }
            return lines.sorted { ($0.line, $0.number) < ($1.line, $1.number) }.map(\.text)
        }
        var result = texts(wrong, "error")
        if !areAll { result.append("\(path): error: there are more: reading stopped here") }
        result += texts(taken.prefix(20), "error")
        if taken.count > 20 { result.append("\(path): error: … and \(taken.count - 20) more of these") }
        if !taken.isEmpty {
            result.append("\(path): \(ModelFile.advice)")
        }
        result += texts(hints, "warning")
        if warningCount > hints.count {
            result.append("\(path): warning: … and \(warningCount - hints.count) more")
        }
        return result
    }

    /// How many objects, errors and warnings there are.
    package var summary: String {
        func number(_ count: Int, _ noun: String) -> String {
            "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
        }
        let objects = tree.map { "\(number($0.records.count, "object")), " } ?? ""
        let more = areAll ? "" : "more than "
        // An object that is there counts once, with all that is in it.
        let count = errors.count { !$0.isReplaceable } + errors.filter(\.isReplaceable).outermost.count
        return "\(path): \(objects)\(more)\(number(count, "error")), \(number(warningCount, "warning"))"
    }
}

extension ModelError {
    /// The line where a text stops being JSON, from a place such as `line 3, column 14`.
    fileprivate var line: Int? {
        guard place.hasPrefix("line ") else { return nil }
        return Int(place.dropFirst("line ".count).prefix { $0.isNumber })
    }
}

extension [ModelError] {
    /// Without those of objects inside the object of another one, which says how many these are.
    var outermost: [ModelError] {
        var inside: [Substring: Int] = [:]
        var outer: [(object: Substring, problem: ModelError)] = []
        for problem in self {
            let place = problem.place
            let object = place.hasSuffix("._id") ? place.dropLast("._id".count) : place[...]
            if let around = Self.objects(around: object).first(where: { inside[$0] != nil }) {
                inside[around, default: 0] += 1
            } else {
                inside[object] = 0
                outer.append((object, problem))
            }
        }
        return outer.map { object, problem in
            let count = inside[object] ?? 0
            guard count > 0 else { return problem }
            return ModelError(
                place: problem.place,
                message: "\(problem.message), and \(count == 1 ? "1 object" : "\(count) objects") in it",
                isReplaceable: problem.isReplaceable
            )
        }
    }

    /// `a[0].b[1].c[2]` is in `a[0].b[1]` and in `a[0]`.
    private static func objects(around object: Substring) -> some Sequence<Substring> {
        sequence(first: object) { inner in inner.lastIndex(of: ".").map { inner[..<$0] } }.dropFirst()
    }
}
