package import JSON

/// A message that displays show for a while.
package struct Banner: Sendable, Hashable {
    /// The display's id; `nil` for every display.
    package let display: String?
    package let title: String
    package let text: String
    package let seconds: Int
    /// The slug of the rule that shows it.
    package let rule: String?

    package init(on display: String?, _ title: String, _ text: String, seconds: Int, rule: String? = nil) {
        (self.display, self.title, self.text) = (display, title, text)
        (self.seconds, self.rule) = (seconds, rule)
    }

    /// The members of messages about it.
    package var json: JSONObject {
        var json: JSONObject = [
            "display": .string(display ?? ScreenCall.everyDisplay), "title": .string(title),
            "text": .string(text), "seconds": JSONValue(seconds),
        ]
        json["rule"] = rule.map { .string($0) }
        return json
    }
}

/// The banners that displays show now, one after the other; meanwhile the lifecycle's context is an alert.
///
/// A node has this slice from its first banner on: without one it costs nothing.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct Banners: Slice {
    package enum Event: Sendable, Hashable {
        case shown(Banner)
        /// The last one is over.
        case ended
    }

    /// A banner, when it came, and the number of its change.
    package struct Shown: Sendable, Hashable {
        package let number: Int
        package let banner: Banner
        package let at: Instant
    }

    /// The name of the changes of banners.
    package static let changes = "banners"
    /// The most banners that wait for a display; the oldest are left out.
    package static let mostWaiting = 20
    /// The most displays of which the end is known; a rule may name any, whether or not they are there.
    private static let mostDisplays = 1000
    /// How much too early the timer may be, milliseconds.
    private static let tolerance: Int64 = 5
    /// The key of what is on every display.
    private static let everyDisplay = ""

    /// Those that came since none was shown; the newest are last.
    private var recent: [Shown] = []
    private var last = 0
    /// When the last banner of a display is over, milliseconds of the steady clock.
    private var ends: [String: Int64] = [:]

    package init() {}

    package var isShowing: Bool { !ends.isEmpty }

    /// The banner of a change; `nil` when it is long over.
    package subscript(number: Int) -> Shown? { recent.last { $0.number == number } }

    package mutating func apply(
        _ event: Event,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .shown(let banner): return show(banner, at: now)
        case .ended: return end(at: now)
        }
    }

    private mutating func show(_ banner: Banner, at now: Instant) -> [SliceEffect] {
        let wasShowing = isShowing
        last += 1
        if recent.count >= Self.mostWaiting * 10 { recent.removeFirst(Self.mostWaiting) }
        recent.append(Shown(number: last, banner: banner, at: now))
        extend(by: banner, at: now.steadyMilliseconds)
        var effects: [SliceEffect] = [
            .changed(.banner(last)),
            .emit(.display, "banner", cause: ChangeEvent.Cause("rule"), details: banner.json),
            timer(at: now),
        ]
        if !wasShowing { effects.append(alert(true)) }
        return effects
    }

    /// A display shows one banner after the other.
    private mutating func extend(by banner: Banner, at now: Int64) {
        let duration = Int64(banner.seconds) * 1000
        let everywhere = ends[Self.everyDisplay] ?? now
        let own = banner.display.map { ends[$0] ?? now } ?? ends.values.max() ?? now
        let end = max(now, everywhere, own) + duration
        if banner.display == nil { ends = [:] }
        ends = ends.filter { $0.value > now }
        let key = banner.display ?? Self.everyDisplay
        guard ends.count < Self.mostDisplays || ends[key] != nil else { return }
        ends[key] = min(end, now + duration * Int64(Self.mostWaiting))
    }

    private mutating func end(at now: Instant) -> [SliceEffect] {
        guard isShowing else { return [] }
        if let end = ends.values.max(), end > now.steadyMilliseconds + Self.tolerance {
            return [timer(at: now)]
        }
        (ends, recent) = ([:], [])
        return [alert(false)]
    }

    private func alert(_ isShown: Bool) -> SliceEffect {
        .event(SliceEvent(Lifecycle.Event.alertChanged(isShown), of: Lifecycle.self))
    }

    private func timer(at now: Instant) -> SliceEffect {
        let wait = max(0, (ends.values.max() ?? 0) - now.steadyMilliseconds)
        return .perform(.startTimer(Self.timer(.ended), milliseconds: wait))
    }
}

extension StateChange {
    /// A display is to show a banner.
    package static func banner(_ number: Int) -> StateChange {
        .slice(Banners.changes, part: "\(number)")
    }
}

extension ControllerState {
    /// The banner of a change; `nil` when it is long over.
    package func banner(_ number: Int) -> Banners.Shown? { slices[Banners.self][number] }
}
