import Flare
import JSON
import Text
import Things

/// Rule 8: the application lifecycle, and which sensors run in it.
extension DeviceController {
    /// Brings the lifecycle up to date with the state; its calls are published and logged in order.
    mutating func updateLifecycle(cause: @autoclosure () -> ChangeEvent.Cause) {
        let (level, hadPlace) = (state.lifecycle.level, state.lifecycle.isPlaceLoaded)
        state.lifecycle.isLinked = state.isLinkUp
        state.lifecycle.isThingNear = state.nearbyID != nil
        // A place that is being exchanged for another one, or read again, counts as loaded.
        if state.environmentID == nil {
            state.lifecycle.isPlaceLoaded = false
        } else if state.isPlaceKnown, state.device != nil {
            state.lifecycle.isPlaceLoaded = true
        }
        let transitions = state.lifecycle.update()
        guard !transitions.isEmpty else { return }
        let cause = cause()
        for transition in transitions { publish(transition, cause: cause) }
        guard state.lifecycle.level != level else { return }
        state.lifecycleSince = now
        // A link that returns, and a place that was just read, need no other reading.
        sensorsFollow(readsPlace: hadPlace && level != .disconnected)
    }

    /// Publishes and logs a call.
    private mutating func publish(_ transition: Lifecycle.Transition, cause: ChangeEvent.Cause) {
        changes.insert(.lifecycle)
        effects.append(.remember(.lifecycle(transition, at: now)))
        var details: JSONObject = [
            "call": .string(transition.call.rawValue), "from": .string(transition.from),
            "to": .string(transition.to),
        ]
        details["notification"] = transition.call.notification.map { .string($0) }
        emit(.lifecycle, transition.call.rawValue, cause: cause, details: details)
    }

    // MARK: Displays

    mutating func displayChanged(_ id: String, _ presence: Lifecycle.DisplayPresence) {
        let before = state.lifecycle.displays
        if state.lifecycle.setDisplay(id, presence) {
            if state.lifecycle.displays.count < Lifecycle.maximumDisplays { clear("displays") }
        } else {
            raise(
                "displays",
                .warning,
                "More than \(Lifecycle.maximumDisplays) displays have said that they are there; the others do not count."
            )
        }
        if state.lifecycle.displays != before {
            changes.formUnion([.lifecycle, .display(Lifecycle.displayID(of: id))])
        }
        screensFollow(id)
    }

    // MARK: Commands

    mutating func setLifecycle(_ change: SetLifecycle, _ pending: PendingCommand) {
        var pending = pending
        let before = state.lifecycle
        switch change {
        case .level(let level):
            state.lifecycle.forcedLevel = level
            pending.accepted = ["level": .string(level?.hmiLevel ?? "auto")]
        case .audio(let audio):
            state.lifecycle.set(audio)
            pending.accepted = ["audio": .string(audio.rawValue)]
        case .context(let context):
            state.lifecycle.set(context)
            pending.accepted = ["context": .string(context.rawValue)]
        case .language(let tag):
            guard let language = state.lifecycle.setLanguage(tag) else {
                return refuse(pending, unknownLanguage(tag))
            }
            pending.accepted = [
                "language": .string(language.tag), "app_name": .string(language.appName),
                "short_app_name": .string(language.shortAppName),
                "spoken_name": .string(language.spokenName),
            ]
            if language != before.language {
                let transition = Lifecycle.Transition(
                    call: .shouldUpdateLifecycleConfigurationToLanguage,
                    from: before.language?.tag ?? "",
                    to: language.tag
                )
                publish(transition, cause: cause(pending.command))
            }
        }
        if state.lifecycle != before { changes.insert(.lifecycle) }
        accept(pending)
    }

    private func unknownLanguage(_ tag: String) -> Refusal {
        let tags = configuration.lifecycle.languages.map(\.tag)
        return Refusal(
            .unknownLanguage,
            "language \(QuotedValue.of(tag)) is not supported; "
                + (tags.isEmpty
                    ? "none is: add it to lifecycle.languages" : "supported: \(QuotedValue.list(tags))"),
            field: "language"
        )
    }

    // MARK: Sensors

    /// Starts the sensors that the level allows at once; the others stop after a grace, so that a short interruption
    /// does not stop a scan.
    mutating func sensorsFollow(readsPlace: Bool) {
        let resumed = state.suspendedSensors.filter(state.lifecycle.allows)
        if !resumed.isEmpty {
            state.suspendedSensors.subtract(resumed)
            for sensor in SensorKind.allCases where resumed.contains(sensor) && state.sensors[sensor] == true
            {
                sensorChanged(sensor, isRunning: true)
            }
            if readsPlace, let environment = state.environmentID {
                load(.loadPlace(environment: environment))
            }
        }
        let isFalling = SensorKind.allCases.contains {
            !state.lifecycle.allows($0) && !state.suspendedSensors.contains($0)
        }
        guard isFalling != isSensorGraceRunning else { return }
        isSensorGraceRunning = isFalling
        effects.append(
            isFalling
                ? .startTimer(
                    .sensorGrace,
                    milliseconds: Int64(configuration.lifecycle.sensorGraceSeconds * 1000)
                ) : .stopTimer(.sensorGrace)
        )
    }

    /// Stops the sensors that the level does not allow, after the grace.
    mutating func suspendSensors() {
        isSensorGraceRunning = false
        for sensor in SensorKind.allCases
        where !state.lifecycle.allows(sensor) && state.suspendedSensors.insert(sensor).inserted {
            changes.insert(.lifecycle)
            if state.sensors[sensor] == true { sensorChanged(sensor, isRunning: false) }
        }
    }
}

extension ControllerEvent {
    /// The cause of the calls of the lifecycle that this event brings about.
    var lifecycleCause: ChangeEvent.Cause {
        switch self {
        case .flare(.linkUp), .flare(.linkDown): ChangeEvent.Cause("link")
        case .flare: ChangeEvent.Cause("server")
        case .commandReceived(let command): ChangeEvent.Cause("command", tx: command.tx)
        case .displayChanged: ChangeEvent.Cause("display")
        case .positionEstimated, .timerFired: ChangeEvent.Cause("beacons")
        case .headingChanged, .headingMeasured: ChangeEvent.Cause("compass")
        case .located: ChangeEvent.Cause("gps")
        default: ChangeEvent.Cause("controller")
        }
    }
}
