package import Controller
import Flare
package import Logging
package import Positioning
import Sensors

/// The compasses of which one is used; in order of precedence.
package enum CompassSource: String, Sendable, CaseIterable {
    /// The first of the others that reports.
    case auto
    case iio, gpsd, mqtt
}

/// Chooses one compass, applies the declination, and rounds its headings.
package struct HeadingPipeline: Sendable {
    /// How often a heading is told again that has not changed, seconds: a sign of life.
    private static let signOfLife = 5.0
    private static let alert = "declination"

    private let wanted: CompassSource
    /// The names of the sources, in the order of their numbers.
    private let sources: [String]
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    private var declination: Declination
    private var located: GeoPoint?
    private var geofence: GeoPoint?
    private var choice = HeadingChoice()
    private var filter = HeadingFilter()
    private var measured = HeadingFilter(step: 1)
    private var toldAt: [Int: Double] = [:]

    package init(
        source: CompassSource,
        declination: DeclinationSetting?,
        sources: [String],
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) {
        wanted = source
        self.declination = Declination(declination)
        self.sources = sources
        self.send = send
        self.logger = logger
    }

    /// Takes in a heading, and tells it when it is the one that counts and has changed.
    mutating func hear(_ degrees: Double, from north: North, source: Int, at time: Double) {
        guard let rank = rank(of: source), choice.admits(rank: rank, at: RuntimeClock.steadySeconds()) else {
            return
        }
        let isDue = toldAt[source].map { time - $0 >= Self.signOfLife || time < $0 } ?? true
        let heading = declination.heading(degrees, from: north)
        if let whole = measured.update(with: heading) ?? (isDue ? measured.degrees : nil) {
            send(.headingMeasured(degrees: Double(whole)))
        }
        guard let rounded = filter.update(with: heading) ?? (isDue ? filter.degrees : nil) else { return }
        toldAt[source] = time
        send(.headingChanged(degrees: Double(rounded)))
    }

    /// Takes over where we are: a GPS knows it, else the environment's geofence does.
    mutating func locate(at place: GeoPoint) {
        located = place
        locate()
    }

    mutating func enter(_ environment: FlareEnvironment) {
        geofence = environment.geofence?.centre
        locate()
    }

    private mutating func locate() {
        guard let place = located ?? geofence else { return }
        let year = WorldMagneticModel.year(
            secondsSince1970: Double(RuntimeClock.now().wallMilliseconds) / 1000
        )
        guard let degrees = declination.setLocation(place, year: year) else { return }
        let model = Declination.model
        logger.info(
            "compass: declination",
            metadata: [
                "degrees": "\((degrees * 10).rounded() / 10)", "model": "\(model.name)",
                "from": located == nil ? "geofence" : "gps",
            ]
        )
        guard declination.isOutdated(in: year) else { return send(.alertCleared(Self.alert)) }
        let message =
            "The magnetic model \(model.name) is for \(Int(model.epoch)) to \(Int(model.validUntil)), and this "
            + "machine's clock says \(Int(year)): true headings may be a degree or more off. Set the clock, take a newer "
            + "trilateral, or set sensors.compass.declination to degrees"
        logger.warning("\(message)")
        send(.alertRaised(Self.alert, .warning, message: message))
    }

    /// The order in which compasses count; `nil` for one that is not wanted.
    private func rank(of source: Int) -> Int? {
        let name = sources.indices.contains(source) ? sources[source] : ""
        let kind: CompassSource
        switch name {
        case IIOCompass.name: kind = .iio
        case GPSDClient.name: kind = .gpsd
        case RawReadings.name: kind = .mqtt
        // A recording takes the place of all that this machine has.
        default: return 0
        }
        guard wanted == .auto || wanted == kind else { return nil }
        return CompassSource.allCases.firstIndex(of: kind)
    }
}
