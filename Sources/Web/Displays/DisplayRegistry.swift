import Controller
import Flare

/// The displays that are attached over HTTP, by their event streams and by what they say of themselves.
struct DisplayRegistry: Sendable {
    /// A display may be gone when this is over, unless it sends a message meanwhile.
    struct Timer: Sendable, Hashable {
        let display: DisplayName
        let duration: Duration
        fileprivate let number: Int
    }

    /// What follows from a change.
    struct Outcome: Sendable, Hashable {
        /// The new presence of the display; `nil` if it has not changed.
        var presence: Lifecycle.DisplayPresence?
        var timer: Timer?
    }

    private struct Display {
        var streams = 0
        var presence = Lifecycle.DisplayPresence.hidden
        /// Of the last timer.
        var number = 0
    }

    /// How long a display without a stream counts after its last message.
    private static let patience = Duration.seconds(600)

    private let grace: Duration
    private let share: Share
    private var displays: [DisplayName: Display] = [:]
    private var timers = 0

    init(grace: Duration, maximum: Int) { (self.grace, share) = (grace, Share(of: maximum)) }

    /// Those that somebody can see.
    var visible: Set<DisplayName> { Set(displays.lazy.filter { $0.value.presence == .visible }.map(\.key)) }

    /// Whether an event stream of a display is open, or may be opened again at any moment.
    func hasStream(_ id: String) -> Bool { displays.keys.contains { $0.id == id } }

    /// Whether an identifier is legal: 1 to 64 letters, digits, `_` and `-`, and not the word for every display.
    static func isLegal(_ id: some StringProtocol) -> Bool {
        (1...64).contains(id.utf8.count) && id != ScreenCall.everyDisplay
            && id.isPlainName && !SecretMask.tokens.finds(in: id)
    }

    /// A stream of a display was opened: it is hidden until it says that it is visible.
    mutating func streamOpened(_ id: DisplayName) -> Outcome {
        let known = displays[id]
        guard var display = known ?? newDisplay(id) else { return Outcome() }
        display.streams += 1
        display.number = 0
        displays[id] = display
        return Outcome(presence: known.map { $0.presence == .gone } ?? true ? restore(id) : nil)
    }

    /// A display that was gone is attached again.
    private mutating func restore(_ id: DisplayName) -> Lifecycle.DisplayPresence {
        displays[id]?.presence = .hidden
        return .hidden
    }

    private func newDisplay(_ id: DisplayName) -> Display? {
        let holder = id.audience.holder
        let own = displays.keys.count { $0.audience.holder == holder }
        return share.admits(holder, all: displays.count, own: own) ? Display() : nil
    }

    mutating func streamClosed(_ id: DisplayName) -> Outcome {
        guard var display = displays[id], display.streams > 0 else { return Outcome() }
        display.streams -= 1
        displays[id] = display
        guard display.streams == 0 else { return Outcome() }
        guard display.presence != .gone else {
            displays[id] = nil
            return Outcome()
        }
        return Outcome(timer: timer(id, grace))
    }

    /// A display says whether it is visible; `nil` if there are too many displays.
    mutating func set(_ id: DisplayName, _ presence: Lifecycle.DisplayPresence) -> Outcome? {
        guard var display = displays[id] ?? newDisplay(id) else { return presence == .gone ? Outcome() : nil }
        let isChanged = displays[id].map { $0.presence != presence } ?? (presence != .gone)
        display.presence = presence
        displays[id] = display
        var outcome = Outcome(presence: isChanged ? presence : nil)
        if display.streams == 0 {
            if presence == .gone { displays[id] = nil } else { outcome.timer = timer(id, Self.patience) }
        }
        return outcome
    }

    private mutating func timer(_ id: DisplayName, _ duration: Duration) -> Timer {
        timers += 1
        displays[id]?.number = timers
        return Timer(display: id, duration: duration, number: timers)
    }

    /// Ends the displays of whoever is no audience any more.
    ///
    /// - Returns: Those that were attached.
    mutating func removeAll(where isOver: (Audience) -> Bool) -> [DisplayName] {
        let over = displays.filter { isOver($0.key.audience) }
        for id in over.keys { displays[id] = nil }
        return over.filter { $0.value.presence != .gone }.map(\.key)
    }

    /// A timer is over.
    mutating func expire(_ timer: Timer) -> Outcome {
        guard let display = displays[timer.display], display.number == timer.number, display.streams == 0
        else { return Outcome() }
        displays[timer.display] = nil
        return Outcome(presence: display.presence == .gone ? nil : .gone)
    }
}
