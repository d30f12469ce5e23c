import JSON
import Rules
import Testing
import Things

/// What `--set` and `--action` of the command line drive, by the order of the options.
struct RuleTargetTests {
    /// A line of the table: S is `--set`, A is `--action`, N is `--notify`, and other letters are targets.
    struct Line: Sendable, CustomStringConvertible {
        let order: String
        var thing: String?
        var isWatched = false
        /// What the first, the second… of these drives; `nil` if it is refused.
        let drives: [String]?

        var description: String {
            "\(thing.map { "--thing \($0) " } ?? "")\(isWatched ? "--when on " : "")\(order)"
        }
    }

    private func rule(_ line: Line) -> RuleOptions {
        var options = RuleOptions()
        options.thing = line.thing
        if line.isWatched { options.when = ["on"] } else { options.cron = ["0 4 * * *"] }
        options.steps = line.order.enumerated().map { index, letter in
            switch letter {
            case "S": .set("k\(index)=1")
            case "A": .action("a\(index)")
            case "N": .notify("user:u")
            default: .target(String(letter))
            }
        }
        return options
    }

    /// The targets of each action, values that are set at once as one.
    private func drives(_ line: Line) throws(Refusal) -> [String] {
        let json = try rule(line).json()
        return (json["then"]?.array ?? []).compactMap { action in
            action["target"]?.string.map { String($0.trimmingPrefix("thing:")) }
        }
    }

    @Test(arguments: [
        // Without a target everything is for --thing.
        Line(order: "S", thing: "t", drives: ["t"]),
        Line(order: "SA", thing: "t", isWatched: true, drives: ["t", "t"]),
        Line(order: "S", drives: nil),
        // Behind a target it is for that target, whatever --thing is.
        Line(order: "xS", drives: ["x"]),
        Line(order: "xS", thing: "t", drives: ["x"]),
        Line(order: "xyS", thing: "t", isWatched: true, drives: ["x", "y"]),
        Line(order: "xSyA", drives: ["x", "y"]),
        Line(order: "xNyA", drives: ["x", "y"]),
        Line(order: "xSNA", thing: "t", drives: ["x", "x"]),
        // Before the first target it is for --thing.
        Line(order: "SxS", thing: "t", drives: ["t", "x"]),
        Line(order: "SxS", thing: "t", isWatched: true, drives: ["t", "x"]),
        Line(order: "SNxyA", thing: "t", drives: ["t", "x", "y"]),
        Line(order: "SxSyA", thing: "t", drives: ["t", "x", "y"]),
        // Without --thing a single target is for it, and one of several is not guessed.
        Line(order: "SxA", drives: ["x", "x"]),
        Line(order: "SxSyA", drives: nil),
        Line(order: "SxyA", drives: nil),
        // A single row behind everything is for all, unless it could be for --thing.
        Line(order: "Sx", drives: ["x"]),
        Line(order: "SAxy", drives: ["x", "y", "x", "y"]),
        Line(order: "SxN", drives: ["x"]),
        Line(order: "Sx", thing: "t", isWatched: true, drives: ["x"]),
        Line(order: "SAxN", thing: "t", isWatched: true, drives: ["x", "x"]),
        Line(order: "Sx", thing: "t", drives: nil),
        Line(order: "Axy", thing: "t", drives: nil),
        // A target for nothing.
        Line(order: "xSy", drives: nil),
        Line(order: "xSy", thing: "t", isWatched: true, drives: nil),
        Line(order: "SxAy", thing: "t", drives: nil),
        Line(order: "Nx", thing: "t", drives: nil),
    ])
    func `nothing drives another thing than the one that is said`(line: Line) throws {
        guard let expected = line.drives else {
            let refusal = #expect(throws: Refusal.self) { try drives(line) }
            #expect(refusal?.field == (line.order == "S" ? "--set" : "--target"), "\(refusal?.message ?? "")")
            return
        }
        #expect(try drives(line) == expected)
    }
}
