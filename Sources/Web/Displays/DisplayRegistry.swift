import Controller
import Text

/// A page that shows a display, as it names itself; several may show one display.
struct DisplayPage: Sendable, Hashable {
    let display: DisplayName
    /// Empty for a page that has no name.
    let page: String

    init(_ display: DisplayName, page: String = "") { (self.display, self.page) = (display, page) }
}

/// The displays that are attached over HTTP, by the event streams of their pages and by what these say of themselves.
///
/// A page with an open stream is there, whatever another one says; a display is visible when one of its pages is.
struct DisplayRegistry: Sendable {
    /// A page may be gone when this is over, unless it sends a message meanwhile.
    struct Timer: Sendable, Hashable {
        let page: DisplayPage
        let duration: Duration
        fileprivate let number: Int
    }

    /// What follows from a change.
    struct Outcome: Sendable, Hashable {
        /// The new presence of the display; `nil` if it has not changed.
        var presence: Lifecycle.DisplayPresence?
        var timer: Timer?
    }

    private struct Page {
        var streams = 0
        /// How many of the streams belong to pages that have said that they are gone.
        var leaving = 0
        var isVisible = false
        /// Of the last timer.
        var number = 0
    }

    /// How long a page without a stream counts after its last message.
    private static let patience = Duration.seconds(600)

    private let grace: Duration
    private let share: Share
    private var pages: [DisplayPage: Page] = [:]
    private var timers = 0

    init(grace: Duration, maximum: Int) { (self.grace, share) = (grace, Share(of: maximum)) }

    /// Those that somebody can see.
    var visible: Set<DisplayName> { Set(pages.lazy.filter(\.value.isVisible).map(\.key.display)) }

    /// Whether an event stream of a display is open, or may be opened again at any moment.
    func hasStream(_ id: String) -> Bool { pages.keys.contains { $0.display.id == id } }

    /// Whether an identifier is legal: 1 to 64 letters, digits, `_` and `-`, and not the word for every display.
    static func isLegal(_ id: some StringProtocol) -> Bool {
        (1...64).contains(id.utf8.count) && id != ScreenCall.everyDisplay
            && id.isPlainName && !SecretMask.tokens.finds(in: String(id))
    }

    private func presence(of display: DisplayName) -> Lifecycle.DisplayPresence {
        let own = pages.filter { $0.key.display == display }
        return own.isEmpty ? .gone : own.values.contains(where: \.isVisible) ? .visible : .hidden
    }

    /// Changes a page, and tells what that means for its display.
    private mutating func change(
        _ page: DisplayPage,
        _ body: (inout DisplayRegistry) -> Timer?
    ) -> Outcome {
        let before = presence(of: page.display)
        let timer = body(&self)
        let after = presence(of: page.display)
        return Outcome(presence: after == before ? nil : after, timer: timer)
    }

    /// A stream of a page was opened: it is hidden until it says that it is visible.
    mutating func streamOpened(_ page: DisplayPage) -> Outcome {
        guard pages[page] != nil || hasRoom(for: page) else { return Outcome() }
        return change(page) {
            $0.pages[page, default: Page()].streams += 1
            $0.pages[page]?.number = 0
            return nil
        }
    }

    private func hasRoom(for page: DisplayPage) -> Bool {
        let holder = page.display.audience.holder
        let own = pages.keys.count { $0.display.audience.holder == holder }
        return share.admits(holder, all: pages.count, own: own)
    }

    mutating func streamClosed(_ page: DisplayPage) -> Outcome {
        guard let known = pages[page], known.streams > 0 else { return Outcome() }
        return change(page) {
            $0.pages[page]?.streams -= 1
            $0.pages[page]?.leaving = max(0, known.leaving - 1)
            guard known.streams == 1 else { return nil }
            if known.leaving == 0 { return $0.timer(page, $0.grace) }
            $0.pages[page] = nil
            return nil
        }
    }

    /// A page says whether it is visible; `nil` if there are too many.
    ///
    /// One that is gone ends with its stream.
    mutating func set(_ page: DisplayPage, _ presence: Lifecycle.DisplayPresence) -> Outcome? {
        if pages[page] == nil {
            guard presence != .gone else { return Outcome() }
            guard hasRoom(for: page) else { return nil }
        }
        return change(page) {
            var known = $0.pages[page] ?? Page()
            guard presence == .gone else {
                known.isVisible = presence == .visible
                // A display that reports again has not left: a closed stream may be opened again.
                known.leaving = 0
                $0.pages[page] = known
                return known.streams == 0 ? $0.timer(page, Self.patience) : nil
            }
            known.leaving = min(known.leaving + 1, known.streams)
            if known.leaving == known.streams { known.isVisible = false }
            $0.pages[page] = known.streams == 0 ? nil : known
            return nil
        }
    }

    private mutating func timer(_ page: DisplayPage, _ duration: Duration) -> Timer {
        timers += 1
        pages[page]?.number = timers
        return Timer(page: page, duration: duration, number: timers)
    }

    /// Ends the displays of whoever is no audience any more.
    ///
    /// - Returns: Those that were attached.
    mutating func removeAll(where isOver: (Audience) -> Bool) -> Set<DisplayName> {
        let over = pages.keys.filter { isOver($0.display.audience) }
        for page in over { pages[page] = nil }
        return Set(over.map(\.display))
    }

    /// A timer is over.
    mutating func expire(_ timer: Timer) -> Outcome {
        guard let page = pages[timer.page], page.number == timer.number, page.streams == 0
        else { return Outcome() }
        return change(timer.page) {
            $0.pages[timer.page] = nil
            return nil
        }
    }
}
