extension Lifecycle {
    /// What makes a visible display active.
    package enum ActiveWhen: String, Sendable, Hashable, CaseIterable {
        /// A thing is near.
        case near
        /// Nothing else.
        case display
    }

    /// What the application is called in a language.
    package struct Language: Sendable, Hashable {
        /// Such as `en-US`.
        package var tag: String
        package var appName: String
        package var shortAppName: String
        package var spokenName: String

        package init(tag: String, appName: String, shortAppName: String, spokenName: String) {
            self.tag = tag
            self.appName = appName
            self.shortAppName = shortAppName
            self.spokenName = spokenName
        }
    }

    package struct Settings: Sendable, Hashable {
        package var activeWhen = ActiveWhen.near
        /// The highest level that is reached, by itself or by command.
        package var ceiling = LifecycleLevel.active
        /// The sensors that run while nobody is watching.
        package var backgroundSensors = Set(SensorKind.allCases)
        /// The levels in which a kiosk may drive things.
        package var controlLevels: Set<LifecycleLevel> = [.background, .limited, .active]
        /// How loud attenuated sound is, 0…1.
        package var attenuatedGain = 0.3
        /// How long the sensors run on after the level has fallen, seconds.
        package var sensorGraceSeconds = 30.0
        package var languages: [Language] = []
        /// The tag of the language at the start; `nil`, or one that ``languages`` does not have: none.
        package var startLanguage: String?

        package init() {}
    }
}
