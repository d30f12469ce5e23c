import Flare
import JSON
package import People
import Text
package import Things

/// The lifecycle as a slice: its inputs are the link, the place, what is near, and the displays; its level decides which
/// sensors run.
extension Lifecycle: Slice {
    package enum Event: Sendable, Hashable {
        /// A display has said whether it is visible; ids of different interfaces differ.
        case displayChanged(id: String, DisplayPresence)
        /// The sensors that the level no longer allows stop now.
        case sensorGraceEnded
        /// The highest automatic level that rules allow is another one; `nil` for any.
        case ceilingChanged(LifecycleLevel?)
        /// Displays show an alert, or do not any more.
        case alertChanged(Bool)
    }

    /// A call with the time at which it was made, for the log.
    package struct LoggedCall: Sendable, Hashable {
        package let transition: Transition
        package let at: Instant
    }

    package mutating func begin(in core: ControllerState) -> [SliceEffect] {
        sensorsFollow(core, readsPlace: false)
    }

    package mutating func apply(
        _ event: Event,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .displayChanged(let id, let presence): displayChanged(id, presence)
        case .sensorGraceEnded: suspendSensors(core)
        case .ceilingChanged(let ceiling): ceilingChanged(ceiling)
        case .alertChanged(let isShown): alertChanged(isShown)
        }
    }

    /// The level follows when the slice follows the event.
    private mutating func ceilingChanged(_ ceiling: LifecycleLevel?) -> [SliceEffect] {
        guard ruleCeiling != ceiling else { return [] }
        ruleCeiling = ceiling
        return [.changed(.lifecycle)]
    }

    /// The context follows when the slice follows the event.
    private mutating func alertChanged(_ isShown: Bool) -> [SliceEffect] {
        showsAlert = isShown
        return []
    }

    package mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        var effects: [SliceEffect] = []
        let (before, hadPlace) = (level, isPlaceLoaded)
        var isConcerned = false
        if case .configurationApplied(let configuration) = event {
            let old = self
            apply(configuration.lifecycle)
            if self != old { effects.append(.changed(.lifecycle)) }
            isConcerned = true
        }
        isLinked = core.isLinkUp
        isThingNear = core.nearbyID != nil
        // A place that is being exchanged for another one, or read again, counts as loaded.
        if core.environmentID == nil {
            isPlaceLoaded = false
        } else if !isPlaceLoaded, core.isPlaceKnown, core.device != nil || !core.hasDevice {
            isPlaceLoaded = true
        }
        for transition in update() { effects += call(transition, cause: event.lifecycleCause, at: now) }
        if level != before {
            since = now
            isConcerned = true
        }
        guard isConcerned else { return effects }
        // A link that returns, and a place that was just read, need no other reading.
        let readsPlace = level != before && hadPlace && before != .disconnected
        return effects + sensorsFollow(core, readsPlace: readsPlace)
    }

    package mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]? {
        guard let change = command.operation.base as? SetLifecycle else { return nil }
        let before = self
        var effects: [SliceEffect] = []
        let accepted: JSONObject
        switch change {
        case .level(let level):
            forcedLevel = level
            accepted = ["level": .string(level?.hmiLevel ?? "auto")]
        case .audio(let audio):
            set(audio)
            accepted = ["audio": .string(audio.rawValue)]
        case .context(let context):
            set(context)
            accepted = ["context": .string(context.rawValue)]
        case .language(let tag):
            guard let language = setLanguage(tag) else { throw unknownLanguage(tag) }
            accepted = language.members
            if language != before.language {
                let transition = Transition(
                    call: .shouldUpdateLifecycleConfigurationToLanguage,
                    from: before.language?.tag ?? "",
                    to: language.tag
                )
                effects = call(transition, cause: command.cause, at: now)
            }
        }
        if self != before { effects.append(.changed(.lifecycle)) }
        return effects + [.accept(accepted)]
    }

    private func unknownLanguage(_ tag: String) -> Refusal {
        let tags = settings.languages.map(\.tag)
        return Refusal(
            .unknownLanguage,
            "language \(QuotedValue.of(tag)) is not supported; "
                + (tags.isEmpty
                    ? "none is: add it to lifecycle.languages" : "supported: \(QuotedValue.list(tags))"),
            field: "language"
        )
    }

    package var everything: Set<StateChange> {
        Set(attachedDisplays.map { .display($0) }).union([.lifecycle])
    }

    package func seen(by reader: Reader, in core: ControllerState) -> Lifecycle {
        reader.sees(core.accessObject(ofDevice: nil)) ? self : withoutNearness
    }

    package mutating func resume(_ former: Lifecycle) { choices = former.choices }

    /// A call is published and logged.
    private func call(_ transition: Transition, cause: ChangeEvent.Cause, at now: Instant) -> [SliceEffect] {
        var details: JSONObject = [
            "call": .string(transition.call.rawValue), "from": .string(transition.from),
            "to": .string(transition.to),
        ]
        details["notification"] = transition.call.notification.map { .string($0) }
        return [
            .changed(.lifecycle), .perform(.remember(.lifecycle(transition, at: now))),
            .emit(.lifecycle, transition.call.rawValue, cause: cause, details: details),
        ]
    }

    private mutating func displayChanged(_ id: String, _ presence: DisplayPresence) -> [SliceEffect] {
        let before = displays
        var effects: [SliceEffect] = []
        if setDisplay(id, presence) {
            if displays.count < Self.maximumDisplays { effects.append(.clear("displays")) }
        } else {
            effects.append(
                .raise(
                    "displays",
                    .warning,
                    message: "More than \(Self.maximumDisplays) displays have said that they are there; "
                        + "the others do not count."
                )
            )
        }
        if displays != before {
            effects += [.changed(.lifecycle), .changed(.display(Self.displayID(of: id)))]
        }
        return effects
    }

    // MARK: Sensors

    /// Starts the sensors that the level allows at once; the others stop after a grace, so that a short interruption
    /// does not stop a scan.
    private mutating func sensorsFollow(_ core: ControllerState, readsPlace: Bool) -> [SliceEffect] {
        let resumed = SensorKind.allCases.filter { core.suspendedSensors.contains($0) && allows($0) }
        var effects = resumed.map { SliceEffect.resume($0) }
        if !resumed.isEmpty, readsPlace { effects.append(.readPlace) }
        let isFalling = SensorKind.allCases.contains { !allows($0) && !core.suspendedSensors.contains($0) }
        guard isFalling != isSensorGraceRunning else { return effects }
        isSensorGraceRunning = isFalling
        let grace = Int64(settings.sensorGraceSeconds * 1000)
        effects.append(
            .perform(
                isFalling ? .startTimer(.sensorGrace, milliseconds: grace) : .stopTimer(.sensorGrace)
            )
        )
        return effects
    }

    /// Stops the sensors that the level does not allow, after the grace.
    private mutating func suspendSensors(_ core: ControllerState) -> [SliceEffect] {
        isSensorGraceRunning = false
        return SensorKind.allCases.filter { !allows($0) && !core.suspendedSensors.contains($0) }
            .flatMap { [.changed(.lifecycle), .suspend($0)] }
    }
}

extension ControllerState {
    /// The application lifecycle; disconnected on a node without it.
    package var lifecycle: Lifecycle {
        get { slices[Lifecycle.self] }
        set { slices[Lifecycle.self] = newValue }
    }
}

extension ControllerConfiguration {
    /// The settings of the lifecycle, with which a node has one.
    package var lifecycle: Lifecycle.Settings {
        get { slices[Lifecycle.self].settings }
        set { slices[Lifecycle.self] = Lifecycle(newValue) }
    }
}

extension StateChange {
    package static let lifecycle = StateChange.slice("lifecycle")

    /// Whether a display is there and visible.
    package static func display(_ id: String) -> StateChange { .slice(Lifecycle.displayChanges, part: id) }
}

extension Lifecycle {
    /// The name of the changes of displays.
    package static let displayChanges = "displays"
}

extension ControllerTimer {
    /// Stops the sensors that the lifecycle no longer allows.
    package static let sensorGrace = Lifecycle.timer(.sensorGraceEnded)
}

extension ChangeEvent.Topic {
    package static let lifecycle = ChangeEvent.Topic(rawValue: "lifecycle")
    package static let display = ChangeEvent.Topic(rawValue: "display")
}

extension ControllerEffect.PersistedRecord {
    /// A call of the lifecycle, for the log.
    package static func lifecycle(_ transition: Lifecycle.Transition, at moment: Instant) -> Self {
        .slice(SliceRecord(Lifecycle.LoggedCall(transition: transition, at: moment)))
    }
}

extension ControllerEvent {
    /// A display has said whether it is visible; ids of different interfaces differ.
    package static func displayChanged(id: String, _ presence: Lifecycle.DisplayPresence) -> Self {
        Lifecycle.event(.displayChanged(id: id, presence))
    }

    /// The cause of the calls of the lifecycle that this event brings about.
    fileprivate var lifecycleCause: ChangeEvent.Cause {
        switch self {
        case .flare(.linkUp), .flare(.linkDown): ChangeEvent.Cause("link")
        case .flare: ChangeEvent.Cause("server")
        case .commandReceived(let command): ChangeEvent.Cause("command", tx: command.tx)
        case .slice(let event) where event.value is Lifecycle.Event: ChangeEvent.Cause("display")
        case .slice(let event) where event.value is Banners.Event: ChangeEvent.Cause("banner")
        case .timerFired(.slice(let event)) where event.value is Banners.Event: ChangeEvent.Cause("banner")
        case .positionEstimated, .timerFired: ChangeEvent.Cause("beacons")
        case .headingChanged, .headingMeasured: ChangeEvent.Cause("compass")
        case .located: ChangeEvent.Cause("gps")
        default: ChangeEvent.Cause("controller")
        }
    }
}
