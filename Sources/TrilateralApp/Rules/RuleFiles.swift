import ArgumentParser
import JSON
import OperatingSystem
import Rules
import Text
import Things

/// A rule of a file.
struct RuleOfFile {
    /// Made from its title, and unique in all the files.
    let slug: String
    let rule: Rule
    let form: RuleForm
    /// What it was read from, without secrets.
    let original: JSONValue
    let file: String
    /// The file, and the rule in it.
    let source: RuleFile
    let entry: RuleFile.Entry

    /// Where it begins.
    var position: FilePosition { entry.position }

    /// As the daemon takes it.
    var members: [String: JSONValue?] {
        ["rule": .object(rule.json), "form": .string(form.rawValue), "original": original]
    }

    /// What is wrong with it where it is used.
    ///
    /// - Parameter field: The member at fault, if one is.
    func problem(
        _ code: RefusalCode,
        _ message: String,
        field: String? = nil,
        as severity: RuleProblem.Severity = .error
    ) -> RuleProblem {
        RuleProblem(
            file: file,
            position: field.map { source.position(of: $0, in: entry) } ?? position,
            severity: severity,
            code: code.rawValue,
            message: message
        )
    }
}

/// Files with rules that the command line names.
struct RuleFiles {
    /// As they were given; `-` is standard input.
    let paths: [String]
    /// What is meant where a rule names no thing.
    let thing: String?

    /// The most bytes that are read to say how large a file is.
    private static let limit = 64 << 20

    /// Reads the files; all their problems go to standard error.
    ///
    /// - Throws: The exit code 66 if one cannot be read, 65 if one has an error; ``VerbError`` for too many rules.
    func read() throws -> [RuleOfFile] {
        var rules: [RuleOfFile] = []
        var slugs: Set<String> = []
        var end: ExitCode?
        for path in paths {
            switch FileContents.readInput(path, upTo: Self.limit) {
            case .failure(let error):
                if end != .noInput { end = ExitCode(error) }
                StandardError.report("\(path) \(error.message)")
            case .success(let contents):
                let file = RuleFile(path, json: contents.bytes, thing: thing)
                for problem in file.problems {
                    let isNamed = thing != nil || !problem.message.contains("thing is missing;")
                    StandardError.print("\(problem)" + (isNamed ? "" : "; or name one with --thing"))
                }
                if !file.isUsable, end == nil { end = .dataError }
                for entry in file.entries {
                    let rule = entry.rule.rule
                    let slug = RuleSlug.slug(from: rule.title) { slugs.contains($0) }
                    slugs.insert(slug)
                    rules.append(
                        RuleOfFile(
                            slug: slug,
                            rule: rule,
                            form: entry.rule.form,
                            original: entry.rule.original,
                            file: path,
                            source: file,
                            entry: entry
                        )
                    )
                }
            }
        }
        if let end { throw end }
        guard rules.count <= RuleLimits.rules else {
            throw VerbError(
                "the files must have at most \(RuleLimits.rules) rules together (have \(rules.count))",
                .dataError
            )
        }
        return rules
    }

    /// Reads the only rule of the files.
    ///
    /// - Throws: As ``read()``; ``VerbError`` if there are several.
    func readOne() throws -> RuleOfFile {
        let rules = try read()
        guard let rule = rules.first, rules.count == 1 else {
            let file = paths.joined(separator: " ")
            throw VerbError(
                "\(file) must have one rule (has \(rules.count)); `trilateral rule import` adds several",
                .dataError
            )
        }
        return rule
    }

    /// Refuses what cannot be the name of a thing.
    ///
    /// - Throws: `ValidationError`.
    static func check(thing: String?) throws {
        guard let thing, thing.isBlank || thing.utf8.count > RuleLimits.nameBytes else { return }
        throw ValidationError("--thing must be a name of 1 to \(RuleLimits.nameBytes) bytes")
    }
}
