package import JSON

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
        /// `nil` is the same as ``appName``.
        package var shortAppName: String?
        package var spokenName: String?

        package init(
            tag: String = "",
            appName: String = "Trilateral",
            shortAppName: String? = nil,
            spokenName: String? = nil
        ) {
            (self.tag, self.appName) = (tag, appName)
            (self.shortAppName, self.spokenName) = (shortAppName, spokenName)
        }

        /// `language`, `app_name`, `short_app_name` and `spoken_name`.
        package var members: JSONObject {
            [
                "language": .string(tag), "app_name": .string(appName),
                "short_app_name": .string(shortAppName ?? appName),
                "spoken_name": .string(spokenName ?? appName),
            ]
        }
    }

    package struct Settings: Sendable, Hashable {
        package var activeWhen = ActiveWhen.near
        /// The highest level that is reached, by itself or by command.
        package var ceiling = LifecycleLevel.active
        /// The sensors that run while nobody is watching.
        package var backgroundSensors = SensorKind.allCases
        /// The levels in which a kiosk may drive things.
        package var controlLevels: [LifecycleLevel] = [.background, .limited, .active]
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
