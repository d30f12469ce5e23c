import Flare
import JSON
import Text
import Things

/// What each display shows, if the configuration has screens.
extension DeviceController {
    /// The screens of a display begin with the home screen, and end with the display.
    mutating func screensFollow(_ key: String) {
        guard let screens = configuration.screens else { return }
        let display = Lifecycle.displayID(of: key)
        if state.lifecycle.isAttached(display) {
            guard state.screens[display] == nil else { return }
            state.screens[display] = ScreenStack(screens.home)
        } else {
            guard state.screens.removeValue(forKey: display) != nil else { return }
        }
        changes.insert(.screen(display))
    }

    /// Shows the home screen of other screens on every display.
    mutating func beginScreensAgain() {
        for display in state.screens.keys { changes.insert(.screen(display)) }
        state.screens = [:]
        for key in state.lifecycle.displays.keys { screensFollow(key) }
    }

    mutating func show(_ call: ScreenCall, on display: String, _ pending: PendingCommand) {
        var pending = pending
        let command = pending.command
        guard let screens = configuration.screens else {
            return refuse(
                pending,
                Refusal(
                    .unknownScreen,
                    "there are no screens; they come with a file in profiles.files that has userExperience"
                )
            )
        }
        let displays = display == ScreenCall.everyDisplay ? state.screens.keys.sorted() : [display]
        guard !displays.isEmpty, displays.allSatisfy({ state.screens[$0] != nil }) else {
            return refuse(pending, unknownDisplay(display))
        }
        pending.accepted = ["call": .string(call.name.rawValue)]
        let change: (inout ScreenStack) -> Void
        switch call {
        case .pushScreen(let name, let thing):
            guard screens.names.contains(name) else {
                return refuse(pending, unknownScreen(name, in: screens))
            }
            var entry = ScreenStack.Entry(name)
            if let thing {
                switch self.thing(.thing(thing), command) {
                case .success(let found):
                    entry = ScreenStack.Entry(name, thing: found.id)
                    pending.accepted["thing"] = .string(state.slugs[.thing, found.id] ?? "\(found.id)")
                case .failure(let refusal):
                    return refuse(pending, Refusal(refusal.code, refusal.message, field: "thing"))
                }
            }
            pending.accepted["screen"] = .string(name)
            change = { $0.push(entry) }
        case .back: change = { $0.back() }
        case .navigateHome, .startApplication, .signInComplete:
            change = { $0 = ScreenStack(screens.home) }
        case .sessionClosed: change = { $0 = ScreenStack(screens.signIn) }
        }
        for display in displays {
            guard var stack = state.screens[display] else { continue }
            change(&stack)
            if stack != state.screens[display] {
                state.screens[display] = stack
                changes.insert(.screen(display))
            }
            guard call == .signInComplete || call == .sessionClosed else { continue }
            emit(
                .display,
                call.name.rawValue,
                cause: cause(command),
                details: ["display": .string(display), "screen": .string(stack.current.screen)]
            )
        }
        accept(pending)
    }

    private func unknownDisplay(_ name: String) -> Refusal {
        let known = state.screens.keys.sorted()
        guard !known.isEmpty else {
            return Refusal(
                .unknownDisplay,
                "no display is there; one attaches with visible on display/<id>/presence, or by opening the page"
            )
        }
        let hint = NearestName.hint(for: name, among: known)
        return Refusal(
            .unknownDisplay,
            "no display \(QuotedValue.of(name)) is attached\(hint.isEmpty ? ";" : hint) legal: all, "
                + QuotedValue.list(known)
        )
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
}

extension Lifecycle {
    /// The id of a display without the interface that it is attached by.
    static func displayID(of key: String) -> String {
        key.firstIndex(of: "/").map { String(key[key.index(after: $0)...]) } ?? key
    }

    /// The displays that are attached by any interface.
    package var attachedDisplays: Set<String> { Set(displays.keys.map { Self.displayID(of: $0) }) }

    /// Whether a display is visible by any interface; `nil` for one that is not attached.
    package func isVisible(_ display: String) -> Bool? {
        var isVisible: Bool?
        for (key, presence) in displays where Self.displayID(of: key) == display {
            isVisible = isVisible == true || presence == .visible
        }
        return isVisible
    }

    /// Whether a display is attached by any interface.
    func isAttached(_ display: String) -> Bool {
        displays.keys.contains { Self.displayID(of: $0) == display }
    }
}
