import Flare

/// Which changes of things follow from firings, so that rules that start each other come to an end.
///
/// What a thing reports names no cause. So a change counts as that of a command while the command is under way. If there
/// was none until its answer, the next one counts, for a short time: a thing at the edge reports later what it has done.
struct RuleChains: Sendable {
    private struct Link: Sendable {
        /// The rules of the firing and of those before it, oldest first.
        var chain: [Int]
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
    ///
    /// - Parameter chain: The rules of the firings that led to it, the one that gives it last.
    mutating func begin(_ things: [FlareID], _ chain: [Int]) {
        for thing in things {
            var link = links[thing] ?? Link(chain: chain)
            // Of several commands under way the longest chain counts, so that all come to an end.
            if link.open == 0 || link.chain.count < chain.count { link.chain = chain }
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

    /// The rules whose firings led to a change of a thing, oldest first; none if it comes from outside.
    ///
    /// - Parameter isMoving: Whether the thing is on its way to another value: then more changes follow.
    mutating func chain(to thing: FlareID, isMoving: Bool, at now: Int64) -> [Int] {
        guard let link = links[thing] else { return [] }
        guard link.open == 0, let until = link.until else {
            links[thing]?.hasChanged = true
            return link.chain
        }
        guard now <= until, isMoving || !link.hasChanged else {
            links[thing] = nil
            return []
        }
        if isMoving { links[thing]?.until = now + Self.patience } else { links[thing] = nil }
        return link.chain
    }
}
