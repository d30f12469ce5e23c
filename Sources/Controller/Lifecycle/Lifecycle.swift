/// The application lifecycle: a level, audio and context, from what is known of the link, the place and the displays.
///
/// Set the inputs, then call ``update()``, which returns the delegate calls that follow. Level, audio and context are
/// independent of each other.
/// - Source: contrib/contract/lifecycle.md, "Lifecycle".
package struct Lifecycle: Sendable, Hashable {
    /// Whether somebody can see a display.
    package enum DisplayPresence: String, Sendable, Hashable, CaseIterable {
        case visible, hidden, gone
    }

    /// A call, with the old and the new value.
    package struct Transition: Sendable, Hashable {
        package var call: LifecycleCall
        /// The states of the level; or the two values of audio or context.
        package var from: String
        package var to: String

        package init(call: LifecycleCall, from: String, to: String) {
            (self.call, self.from, self.to) = (call, from, to)
        }
    }

    package private(set) var settings: Settings
    package private(set) var level = LifecycleLevel.disconnected
    package private(set) var audio = LifecycleAudio.notAudible
    package private(set) var context = LifecycleContext.main
    /// The language that was last accepted.
    package private(set) var language: Language?

    // Inputs
    package var isLinked = false
    /// Whether an environment with its things, and the own device, are loaded.
    package var isPlaceLoaded = false
    package var isThingNear = false
    /// A level by command; `nil`: automatic.
    package var forcedLevel: LifecycleLevel?
    /// The highest automatic level that rules allow now; `nil` for any.
    ///
    /// A level by command may be higher.
    package var ruleCeiling: LifecycleLevel?
    /// Whether a display shows a banner, which is an alert whatever context was set.
    var showsAlert = false
    package private(set) var displays: [String: DisplayPresence] = [:]
    private var wantedAudio = LifecycleAudio.notAudible
    private var wantedContext = LifecycleContext.main
    /// When the level last changed; `nil` before it did.
    package var since: Instant?
    /// Whether sensors are about to stop, as the level no longer allows them.
    var isSensorGraceRunning = false

    package init() { self.init(Settings()) }

    package init(_ settings: Settings) {
        self.settings = settings
        if let tag = settings.startLanguage { _ = setLanguage(tag) }
    }

    /// Applies other settings; what was commanded stays, as far as they allow it.
    package mutating func apply(_ settings: Settings) {
        let choices = choices
        self.settings = settings
        language = nil
        if let tag = settings.startLanguage { _ = setLanguage(tag) }
        if let tag = choices.language { _ = setLanguage(tag) }
    }

    /// What was set by command.
    package struct Choices: Sendable, Hashable {
        /// `nil`: automatic.
        package var level: LifecycleLevel?
        package var audio = LifecycleAudio.notAudible
        package var context = LifecycleContext.main
        /// A tag; `nil` for the one at the start.
        package var language: String?

        package init() {}
    }

    package var choices: Choices {
        get {
            var choices = Choices()
            (choices.level, choices.audio, choices.context) = (forcedLevel, wantedAudio, wantedContext)
            let isChosen = language?.tag.lowercased() != settings.startLanguage?.lowercased()
            choices.language = isChosen ? language?.tag : nil
            return choices
        }
        set {
            forcedLevel = newValue.level
            // They have not changed for anybody: no calls follow.
            (audio, wantedAudio) = (newValue.audio, newValue.audio)
            (context, wantedContext) = (newValue.context, newValue.context)
            if let tag = newValue.language { _ = setLanguage(tag) }
        }
    }

    /// The most displays that are known at a time.
    package static let maximumDisplays = 1000

    /// - Returns: Whether the display is known from now on, or gone; `false` when there are too many.
    package mutating func setDisplay(_ id: String, _ presence: DisplayPresence) -> Bool {
        guard presence != .gone else {
            displays[id] = nil
            return true
        }
        guard displays[id] != nil || displays.count < Self.maximumDisplays else { return false }
        displays[id] = presence
        return true
    }

    package mutating func set(_ audio: LifecycleAudio) { wantedAudio = audio }
    package mutating func set(_ context: LifecycleContext) { wantedContext = context }

    /// The language of a tag, in any case of letters; it becomes the current one when there is one.
    package mutating func setLanguage(_ tag: String) -> Language? {
        guard let found = settings.languages.first(where: { $0.tag.lowercased() == tag.lowercased() }) else {
            return nil
        }
        language = found
        return found
    }

    /// Computes the level from the inputs, and applies the audio and context that were set; during an alert that is the context.
    /// - Returns: The calls in operation: of the level, of audio, of the context.
    package mutating func update() -> [Transition] {
        let new = targetLevel
        var transitions = LifecycleCall.calls(from: level, to: new)
            .map { Transition(call: $0, from: level.stateName, to: new.stateName) }
        level = new
        if audio != wantedAudio {
            transitions.append(
                Transition(call: LifecycleCall(wantedAudio), from: audio.rawValue, to: wantedAudio.rawValue)
            )
            audio = wantedAudio
        }
        let newContext = showsAlert ? .alert : wantedContext
        if context != newContext {
            transitions.append(
                Transition(
                    call: LifecycleCall(newContext),
                    from: context.rawValue,
                    to: newContext.rawValue
                )
            )
            context = newContext
        }
        return transitions
    }

    private var targetLevel: LifecycleLevel {
        guard isLinked else { return .disconnected }
        return min(forcedLevel ?? min(automaticLevel, ruleCeiling ?? .active), settings.ceiling)
    }

    private var automaticLevel: LifecycleLevel {
        guard isPlaceLoaded else { return .notRunning }
        guard !displays.isEmpty else { return .background }
        let isActive = displays.values.contains(.visible) && (isThingNear || settings.activeWhen == .display)
        return isActive ? .active : .limited
    }

    /// The same as who must not learn whether a thing is near sees it.
    package var withoutNearness: Lifecycle {
        var other = self
        // The level rises when a thing is near.
        other.since = nil
        guard settings.activeWhen == .near, forcedLevel == nil else { return other }
        other.isThingNear = false
        other.level = min(level, .limited)
        return other
    }

    // MARK: What follows

    /// How loud sound is, 0…1.
    package var gain: Double {
        switch audio {
        case .audible: 1
        case .attenuated: settings.attenuatedGain
        case .notAudible: 0
        }
    }

    /// Whether a kiosk may drive things now.
    package var allowsControl: Bool { settings.controlLevels.contains(level) }

    /// Whether a sensor runs at this level, before the grace.
    package func allows(_ sensor: SensorKind) -> Bool {
        switch level {
        case .disconnected: false
        // Without a place, GPS is what finds one.
        case .notRunning: sensor == .gps && forcedLevel != .notRunning
        case .background: settings.backgroundSensors.contains(sensor)
        case .limited, .active: true
        }
    }
}
