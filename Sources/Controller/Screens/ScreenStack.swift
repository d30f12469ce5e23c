package import Flare

/// The screens that lie on each other on a display; the last one is seen.
///
/// It has at least one and at most ``depth``: when another one is added, the oldest above the first goes.
/// - Source: contrib/contract/profiles.md, "Screens, controls and calls".
package struct ScreenStack: Sendable, Hashable {
    /// A screen, and the thing that it shows, if it shows one.
    package struct Entry: Sendable, Hashable {
        package let screen: String
        package let thing: FlareID?

        package init(_ screen: String, thing: FlareID? = nil) { (self.screen, self.thing) = (screen, thing) }
    }

    /// The most screens that lie on each other.
    package static let depth = 20

    /// From the bottom; never empty.
    package private(set) var entries: [Entry]
    package private(set) var current: Entry

    /// A stack of one screen.
    package init(_ screen: String) {
        current = Entry(screen)
        entries = [current]
    }

    /// Puts a screen on top; the one that is there already is not put there twice.
    package mutating func push(_ entry: Entry) {
        guard entry != current else { return }
        entries.append(entry)
        if entries.count > Self.depth { entries.remove(at: 1) }
        current = entry
    }

    /// The same screens without the things that somebody may not see.
    package func showing(_ isSeen: (FlareID) -> Bool) -> ScreenStack {
        func shown(_ entry: Entry) -> Entry {
            Entry(entry.screen, thing: entry.thing.flatMap { isSeen($0) ? $0 : nil })
        }
        var stack = self
        (stack.entries, stack.current) = (entries.map(shown), shown(current))
        return stack
    }

    /// Removes the screen on top; the last one stays.
    package mutating func back() {
        guard entries.count > 1 else { return }
        entries.removeLast()
        current = entries.last ?? current
    }
}
