// Plain `swift build` builds this target too, and in a release nothing can be imported for testing.
#if DEBUG
    @testable package import Controller
    package import Flare

    /// Every command in one word; the program reads them from payloads.
    extension Command.Operation {
        package static let ping = Self(Ping())
        package static let snapshot = Self(ResendState())
        package static let refresh = Self(RefreshPlace())
        package static let reload = Self(ReloadConfiguration())
        package static let restart = Self(Restart())
        package static let discovery = Self(Announce())

        package static func logLevel(_ level: String) -> Self { Self(SetLogLevel(level: level)) }
        package static func chooseEnvironment(_ choice: ChooseEnvironment) -> Self { Self(choice) }
        package static func get(_ thing: Command.Target) -> Self { Self(GetThing(thing: thing)) }
        package static func setDevice(_ change: SetDevice) -> Self { Self(change) }
        package static func explain(_ question: Explanation.Subject) -> Self {
            Self(Explain(question: question))
        }
        package static func setLifecycle(_ change: SetLifecycle) -> Self { Self(change) }

        package static func action(_ thing: Command.Target, name: String) -> Self {
            Self(PerformAction(thing: thing, name: name))
        }

        package static func switchSensor(_ sensor: SensorKind, on isOn: Bool) -> Self {
            Self(SwitchSensor(sensor: sensor, isOn: isOn))
        }

        package static func add(_ kind: FlareClass, _ values: ObjectEdit, to container: String?) -> Self {
            Self(AddObject(kind, values, in: container))
        }

        package static func edit(_ kind: FlareClass, _ name: String, _ values: ObjectEdit, zone: String?)
            -> Self
        {
            Self(EditObject(kind, name, values, zone: zone))
        }

        package static func remove(_ kind: FlareClass, _ name: String, withContents: Bool) -> Self {
            Self(RemoveObject(kind, name, withContents: withContents))
        }

        package static func show(_ call: ScreenCall, display: String) -> Self {
            Self(ShowScreen(call: call, display: display))
        }
    }
#endif
