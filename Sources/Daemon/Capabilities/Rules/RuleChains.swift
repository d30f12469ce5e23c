import Flare

/// Which changes of things follow from firings, so that rules that start each other come to an end.
///
/// What a thing reports names no cause. So a change counts as that of a command while the command is under way. If there
/// was none until its answer, the next one counts, for a short time: a thing at the edge reports later what it has done.
struct RuleChains: Sendable {
    private struct Link: Sendable {
        /// Of the firing.
        var depth: Int
        /// Commands that are not answered.
        var open = 0
        /// Whether the thing has changed meanwhile.
        var hasChanged = false
        /// Until when the next change counts, milliseconds of the steady clock; `nil` before an answer.
        var until: Int64?
    }

    /// How long after an answer a change may come, milliseconds.
    static let patience: Int64 = 2000

    private var links: [FlareID: Link] = [:]

    /// A command of a firing is given.
    mutating func begin(_ things: [FlareID], depth: Int) {
        for thing in things {
            var link = links[thing] ?? Link(depth: depth)
            link.depth = link.open > 0 ? max(link.depth, depth) : depth
            link.open += 1
            (link.hasChanged, link.until) = (false, nil)
            links[thing] = link
        }
    }

    /// A command is answered.
    ///
    /// - Parameter hasEffect: Whether something may have changed: not if it was refused, or if nothing was to be done.
    mutating func end(_ things: [FlareID], hasEffect: Bool, at now: Int64) {
        for thing in things {
            guard var link = links[thing], link.open > 0 else { continue }
            link.open -= 1
            if hasEffect { link.until = now + Self.patience }
            links[thing] = link.open == 0 && link.until == nil ? nil : link
        }
    }

    /// The depth of the firing from which a change of a thing follows; 0 if it comes from outside.
    ///
    /// - Parameter isMoving: Whether the thing is on its way to another value: then more changes follow.
    mutating func depth(of thing: FlareID, isMoving: Bool, at now: Int64) -> Int {
        guard let link = links[thing] else { return 0 }
        guard link.open == 0, let until = link.until else {
            links[thing]?.hasChanged = true
            return link.depth
        }
        guard now <= until, isMoving || !link.hasChanged else {
            links[thing] = nil
            return 0
        }
        if isMoving { links[thing]?.until = now + Self.patience } else { links[thing] = nil }
        return link.depth
    }
}
