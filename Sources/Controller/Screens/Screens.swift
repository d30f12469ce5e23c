import Flare
import JSON
package import People
import Text
package import Things

/// What each display shows, by its id, if the configuration has screens.
package struct Screens: Slice {
    /// `nil` if the configuration has none.
    package private(set) var settings: ScreenSettings?
    package var stacks: [String: ScreenStack] = [:]

    /// The name of the changes of what displays show.
    package static let changes = "screens"

    package init() {}
    package init(_ settings: ScreenSettings?) { self.settings = settings }

    package mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .slice(let event) where event.value is Lifecycle.Event:
            return followDisplays(core.lifecycle.attachedDisplays)
        case .configurationApplied(let configuration) where configuration.screens != settings:
            // Every display shows the home screen of the other ones.
            let changed = stacks.keys.map { SliceEffect.changed(.screen($0)) }
            self = Screens(configuration.screens)
            return changed + followDisplays(core.lifecycle.attachedDisplays)
        default:
            return []
        }
    }

    /// The screens of a display begin with the home screen, and end with the display.
    private mutating func followDisplays(_ displays: Set<String>) -> [SliceEffect] {
        guard let settings else { return [] }
        let (new, gone) = (
            displays.filter { stacks[$0] == nil }, stacks.keys.filter { !displays.contains($0) }
        )
        for display in new { stacks[display] = ScreenStack(settings.home) }
        for display in gone { stacks[display] = nil }
        return (new + gone).map { .changed(.screen($0)) }
    }

    package mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]? {
        guard let show = command.operation.base as? ShowScreen else { return nil }
        let (call, display) = (show.call, show.display)
        guard let settings else {
            throw Refusal(
                .unknownScreen,
                "there are no screens; they come with a file in profiles.files that has userExperience"
            )
        }
        let displays = display == ScreenCall.everyDisplay ? stacks.keys.sorted() : [display]
        guard !displays.isEmpty, displays.allSatisfy({ stacks[$0] != nil }) else {
            throw unknownDisplay(display)
        }
        var accepted: JSONObject = ["call": .string(call.name.rawValue)]
        let change: (inout ScreenStack) -> Void
        switch call {
        case .pushScreen(let name, let thing):
            guard settings.names.contains(name) else { throw unknownScreen(name, in: settings) }
            var entry = ScreenStack.Entry(name)
            if let thing {
                do throws(Refusal) {
                    let found = try core.thing(named: thing, in: core.contents, for: command, at: now)
                    entry = ScreenStack.Entry(name, thing: found.id)
                    accepted["thing"] = .string(core.slugs[.thing, found.id] ?? "\(found.id)")
                } catch {
                    throw Refusal(error.code, error.message, field: "thing")
                }
            }
            accepted["screen"] = .string(name)
            change = { $0.push(entry) }
        case .back: change = { $0.back() }
        case .navigateHome, .startApplication, .signInComplete:
            change = { $0 = ScreenStack(settings.home) }
        case .sessionClosed: change = { $0 = ScreenStack(settings.signIn) }
        }
        return displays.flatMap { self.change($0, call, change, cause: command.cause) } + [.accept(accepted)]
    }

    private mutating func change(
        _ display: String,
        _ call: ScreenCall,
        _ change: (inout ScreenStack) -> Void,
        cause: ChangeEvent.Cause
    ) -> [SliceEffect] {
        guard let before = stacks[display] else { return [] }
        var stack = before
        change(&stack)
        stacks[display] = stack
        var effects: [SliceEffect] = stack == before ? [] : [.changed(.screen(display))]
        if call == .signInComplete || call == .sessionClosed {
            let details: JSONObject = [
                "display": .string(display), "screen": .string(stack.current.screen),
            ]
            effects.append(.emit(.display, call.name.rawValue, cause: cause, details: details))
        }
        return effects
    }

    private func unknownDisplay(_ name: String) -> Refusal {
        let known = stacks.keys.sorted()
        guard !known.isEmpty else {
            return Refusal(
                .unknownDisplay,
                "no display is there; one attaches with visible on display/<id>/presence, or by opening the page"
            )
        }
        let others = NearestName.choice(for: name, among: known, "legal: all,")
        return Refusal(.unknownDisplay, "no display \(QuotedValue.of(name)) is attached\(others)")
    }

    private func unknownScreen(_ name: String, in screens: ScreenSettings) -> Refusal {
        let calls = ScreenCall.Name.allCases.map(\.rawValue)
        let hint = NearestName.hint(for: name, among: screens.names + calls)
        return Refusal(
            .unknownScreen,
            "no screen \(QuotedValue.of(name))\(hint.isEmpty ? ";" : hint) the screens are "
                + QuotedValue.list(screens.names) + ", the calls are "
                + QuotedValue.list(calls),
            field: "screen"
        )
    }

    package var everything: Set<StateChange> { Set(stacks.keys.map { .screen($0) }) }

    /// The same screens, without the things that a reader may not see.
    package func seen(by reader: Reader, in core: ControllerState) -> Screens {
        var seen = self
        seen.stacks = stacks.mapValues { $0.showing { core.things[$0] != nil } }
        return seen
    }
}

extension ControllerState {
    /// What each display shows, by its id; empty if the configuration has no screens.
    package var screens: [String: ScreenStack] {
        get { slices[Screens.self].stacks }
        set { slices[Screens.self].stacks = newValue }
    }
}

extension ControllerConfiguration {
    /// The screens of displays; `nil` if the configuration has none.
    package var screens: ScreenSettings? {
        get { slices[Screens.self].settings }
        set { slices[Screens.self] = Screens(newValue) }
    }
}

extension StateChange {
    /// What a display shows.
    package static func screen(_ display: String) -> StateChange { .slice(Screens.changes, part: display) }
}
