import Controller
import Flare
import Positioning
import Sensing
import Sensors
import TestSupport
import Testing
import Threading

struct HeadingPipelineTests {
    private let time = Locked(0.0)
    /// Seconds since 1970; 2026-01-01.
    private let wall = Locked(1_767_225_600.0)
    private let events = Locked<[ControllerEvent]>([])

    private func pipeline(
        _ source: CompassSource = .auto,
        declination: DeclinationSetting? = nil
    ) -> HeadingPipeline {
        HeadingPipeline(
            source: source,
            declination: declination,
            sources: [IIOCompass.name, GPSDClient.name, RawReadings.name],
            clocks: SensorClocks(
                steady: { [time] in time.withLock { $0 } },
                wall: { [wall] in wall.withLock { $0 } }
            ),
            send: { [events] event in events.withLock { $0.append(event) } },
            logger: .silent
        )
    }

    private var headings: [Double] {
        events.withLock { $0 }.compactMap {
            if case .headingChanged(let degrees) = $0 { degrees } else { nil }
        }
    }

    private func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

    @Test func `this machine's compass takes precedence until it has been silent for three seconds`() {
        var pipeline = pipeline()
        pipeline.handle(heading: 90, from: .magnetic, source: 0, at: 0)
        advance(2)
        pipeline.handle(heading: 180, from: .magnetic, source: 1, at: 2)
        #expect(headings == [90])
        advance(1)
        pipeline.handle(heading: 180, from: .magnetic, source: 1, at: 3)
        #expect(headings == [90, 180])
    }

    @Test func `only the selected compass is used`() {
        var pipeline = pipeline(.mqtt)
        pipeline.handle(heading: 90, from: .magnetic, source: 0, at: 0)
        pipeline.handle(heading: 180, from: .magnetic, source: 1, at: 0)
        pipeline.handle(heading: 270, from: .magnetic, source: 2, at: 0)
        #expect(headings == [270])
    }

    @Test func `an unchanged heading is sent again after five seconds of the source's clock`() {
        var pipeline = pipeline()
        for second in 0...6 { pipeline.handle(heading: 90, from: .magnetic, source: 0, at: Double(second)) }
        #expect(headings == [90, 90])
    }

    @Test func `a clock beyond the magnetic model raises an alert that a correct clock clears`() {
        var pipeline = pipeline(declination: .automatic)
        wall.withLock { $0 += 9.5 * 365.25 * 86400 }
        pipeline.setLocation(GeoPoint(latitude: 52, longitude: 13))
        guard case .alertRaised("declination", .warning, let message)? = events.withLock({ $0.last }) else {
            Issue.record("no alert")
            return
        }
        #expect(message.contains("this machine's clock says 2035"))
        wall.withLock { $0 -= 9.5 * 365.25 * 86400 }
        pipeline.setLocation(GeoPoint(latitude: 48, longitude: 11))
        #expect(events.withLock { $0.last } == .alertCleared("declination"))
    }
}
