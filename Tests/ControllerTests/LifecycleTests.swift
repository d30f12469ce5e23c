import Controller
import Flare
import Testing

@Suite struct LifecycleTests {
    /// All 20 transitions.
    /// - Source: contrib/contract/lifecycle.md, "Transitions".
    private static let table = """
        from,to,calls
        Disconnected,NotRunning,applicationDidConnect
        Disconnected,Background,applicationDidConnect|applicationDidFinishLaunching|applicationDidEnterBackground
        Disconnected,Limited,applicationDidConnect|applicationDidFinishLaunching|applicationDidBecomeLimited
        Disconnected,Active,applicationDidConnect|applicationDidFinishLaunching|applicationDidBecomeActive
        NotRunning,Disconnected,applicationDidDisconnect
        NotRunning,Background,applicationDidFinishLaunching|applicationDidEnterBackground
        NotRunning,Limited,applicationDidFinishLaunching|applicationDidBecomeLimited
        NotRunning,Active,applicationDidFinishLaunching|applicationDidBecomeActive
        Background,Disconnected,applicationDidDisconnect
        Background,NotRunning,applicationDidClose
        Background,Limited,applicationDidBecomeLimited
        Background,Active,applicationDidBecomeActive
        Limited,Disconnected,applicationDidDisconnect
        Limited,NotRunning,applicationDidClose
        Limited,Background,applicationDidEnterBackground
        Limited,Active,applicationDidBecomeActive
        Active,Disconnected,applicationDidDisconnect
        Active,NotRunning,applicationDidClose
        Active,Background,applicationDidEnterBackground
        Active,Limited,applicationDidBecomeLimited

        """

    /// Linked, with a place.
    private func running(_ change: (inout Lifecycle.Settings) -> Void = { _ in }) -> Lifecycle {
        var settings = Lifecycle.Settings()
        change(&settings)
        var lifecycle = Lifecycle(settings)
        lifecycle.isLinked = true
        lifecycle.isPlaceLoaded = true
        _ = lifecycle.update()
        return lifecycle
    }

    @Test func `every pair of levels has its calls in order`() {
        #expect(LifecycleTable.csv == Self.table)
    }

    @Test(arguments: LifecycleLevel.allCases)
    func `equal levels make no call`(level: LifecycleLevel) {
        #expect(LifecycleCall.calls(from: level, to: level) == [])
    }

    @Test func `it starts disconnected, not audible, in the main context`() {
        var lifecycle = Lifecycle()
        #expect(lifecycle.level == .disconnected)
        #expect(lifecycle.audio == .notAudible && lifecycle.context == .main)
        #expect(lifecycle.update() == [])
    }

    @Test func `the notification has the name of the call`() {
        #expect(LifecycleCall.applicationDidEnterMenu.notification == "SDLApplicationDidEnterMenu")
        #expect(Set(LifecycleCall.allCases.compactMap(\.notification)).count == 15)
        #expect(LifecycleCall.allCases.count == 16, "and a question")
    }

    @Test func `the level follows link, place, displays and nearness`() {
        var lifecycle = Lifecycle()
        lifecycle.isLinked = true
        #expect(lifecycle.update().map(\.call) == [.applicationDidConnect])
        lifecycle.isPlaceLoaded = true
        #expect(
            lifecycle.update().map(\.call) == [
                .applicationDidFinishLaunching, .applicationDidEnterBackground,
            ]
        )
        #expect(lifecycle.setDisplay("hall", .hidden) == true)
        #expect(lifecycle.update().map(\.call) == [.applicationDidBecomeLimited])
        #expect(lifecycle.setDisplay("hall", .visible) == true)
        #expect(lifecycle.update() == [], "nothing is near")
        lifecycle.isThingNear = true
        #expect(lifecycle.update().map(\.call) == [.applicationDidBecomeActive])
        #expect(lifecycle.setDisplay("hall", .gone) == true)
        #expect(lifecycle.update().map(\.call) == [.applicationDidEnterBackground])
        lifecycle.isLinked = false
        #expect(
            lifecycle.update() == [
                .init(call: .applicationDidDisconnect, from: "Background", to: "Disconnected")
            ]
        )
    }

    @Test func `a visible display is enough when it is configured so`() {
        var lifecycle = running { $0.activeWhen = .display }
        _ = lifecycle.setDisplay("hall", .visible)
        #expect(lifecycle.update().map(\.call) == [.applicationDidBecomeActive])
    }

    @Test func `one visible display of several is enough`() {
        var lifecycle = running()
        lifecycle.isThingNear = true
        _ = lifecycle.setDisplay("hall", .hidden)
        _ = lifecycle.setDisplay("door", .visible)
        _ = lifecycle.update()
        #expect(lifecycle.level == .active)
        _ = lifecycle.setDisplay("door", .gone)
        _ = lifecycle.update()
        #expect(lifecycle.level == .limited)
    }

    @Test func `a level by command holds, save without a link`() {
        var lifecycle = running()
        lifecycle.forcedLevel = .active
        _ = lifecycle.update()
        #expect(lifecycle.level == .active)
        lifecycle.isLinked = false
        _ = lifecycle.update()
        #expect(lifecycle.level == .disconnected)
        lifecycle.isLinked = true
        _ = lifecycle.update()
        #expect(lifecycle.level == .active)
        lifecycle.forcedLevel = nil
        _ = lifecycle.update()
        #expect(lifecycle.level == .background)
    }

    @Test func `no level is above the ceiling`() {
        var lifecycle = running { $0.ceiling = .limited }
        lifecycle.forcedLevel = .active
        _ = lifecycle.update()
        #expect(lifecycle.level == .limited)
    }

    @Test func `level calls come first, then audio, then context`() {
        var lifecycle = Lifecycle()
        lifecycle.isLinked = true
        lifecycle.set(.alert)
        lifecycle.set(.attenuated)
        #expect(
            lifecycle.update() == [
                .init(call: .applicationDidConnect, from: "Disconnected", to: "NotRunning"),
                .init(call: .applicationDidBecomeAttenuated, from: "notAudible", to: "attenuated"),
                .init(call: .applicationDidDisplayAlert, from: "main", to: "alert"),
            ]
        )
        #expect(lifecycle.update() == [])
    }

    @Test func `sensors run only where somebody could use them, and GPS where a place is sought`() {
        var lifecycle = Lifecycle()
        #expect(!SensorKind.allCases.contains { lifecycle.allows($0) })
        lifecycle.isLinked = true
        _ = lifecycle.update()
        #expect(SensorKind.allCases.filter { lifecycle.allows($0) } == [.gps])
        lifecycle.forcedLevel = .notRunning
        _ = lifecycle.update()
        #expect(!lifecycle.allows(.gps))
        lifecycle = running { $0.backgroundSensors = [.beacons] }
        #expect(SensorKind.allCases.filter { lifecycle.allows($0) } == [.beacons])
        _ = lifecycle.setDisplay("hall", .hidden)
        _ = lifecycle.update()
        #expect(SensorKind.allCases.allSatisfy { lifecycle.allows($0) })
    }

    @Test func `sound is as loud as its state says`() {
        var lifecycle = running { $0.attenuatedGain = 0.2 }
        #expect(lifecycle.gain == 0)
        lifecycle.set(.audible)
        _ = lifecycle.update()
        #expect(lifecycle.gain == 1)
        lifecycle.set(.attenuated)
        _ = lifecycle.update()
        #expect(lifecycle.gain == 0.2)
    }

    @Test func `an unknown language is refused and changes nothing`() {
        let german = Lifecycle.Language(
            tag: "de-DE",
            appName: "Trilateral",
            shortAppName: "Tri",
            spokenName: "Tri"
        )
        var lifecycle = running { $0.languages = [german] }
        #expect(lifecycle.setLanguage("DE-de") == german)
        #expect(lifecycle.setLanguage("fr-FR") == nil)
        #expect(lifecycle.language == german)
    }

    private static func language(_ tag: String) -> Lifecycle.Language {
        Lifecycle.Language(tag: tag, appName: tag, shortAppName: tag, spokenName: tag)
    }

    @Test func `what was commanded goes to the next lifecycle, and nobody is told again`() {
        let languages = [Self.language("en-US"), Self.language("de-DE")]
        var lifecycle = running { $0.languages = languages }
        lifecycle.forcedLevel = .active
        lifecycle.set(.attenuated)
        lifecycle.set(.menu)
        _ = lifecycle.setLanguage("de-DE")
        _ = lifecycle.update()
        let choices = lifecycle.choices
        #expect(choices != Lifecycle.Choices())
        var next = running { $0.languages = languages }
        next.choices = choices
        #expect(next.choices == choices)
        #expect((next.audio, next.context) == (.attenuated, .menu))
        #expect(next.language?.tag == "de-DE")
        #expect(next.update().map(\.call) == [.applicationDidBecomeActive])
    }

    @Test func `what nobody has commanded is left to the next configuration`() {
        var lifecycle = running {
            $0.languages = [Self.language("en-US"), Self.language("de-DE")]
            $0.startLanguage = "en-US"
        }
        #expect(lifecycle.choices == Lifecycle.Choices())
        lifecycle.apply(Lifecycle.Settings())
        #expect(lifecycle.language == nil)
    }

    @Test func `other settings keep what was commanded, as far as they allow it`() {
        let languages = [Self.language("en-US"), Self.language("de-DE")]
        var lifecycle = running { $0.languages = languages }
        lifecycle.forcedLevel = .active
        _ = lifecycle.setLanguage("de-DE")
        _ = lifecycle.update()
        var settings = Lifecycle.Settings()
        settings.languages = languages
        settings.ceiling = .limited
        lifecycle.apply(settings)
        _ = lifecycle.update()
        #expect((lifecycle.forcedLevel, lifecycle.level) == (.active, .limited))
        #expect(lifecycle.language?.tag == "de-DE")
        settings.languages = [Self.language("en-US")]
        lifecycle.apply(settings)
        #expect(lifecycle.language == nil)
    }

    @Test func `more displays than are counted are refused`() {
        var lifecycle = running()
        for number in 0..<Lifecycle.maximumDisplays { _ = lifecycle.setDisplay("\(number)", .hidden) }
        #expect(lifecycle.setDisplay("one more", .visible) == false)
        #expect(lifecycle.setDisplay("0", .visible) == true)
        #expect(lifecycle.setDisplay("one more", .gone) == true)
    }
}
