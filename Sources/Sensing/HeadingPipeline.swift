package import Controller
package import Flare
package import Logging
package import Positioning
package import Sensors

/// The compasses of which one is used; in order of precedence.
package enum CompassSource: String, Sendable, CaseIterable {
    /// The first of the others that reports.
    case auto
    case iio, gpsd, mqtt
}

/// Chooses one compass, applies the declination, and rounds its headings.
package struct HeadingPipeline: Sendable {
    /// Unchanged headings are sent again after this time, to show that the compass works, seconds.
    private static let refreshInterval = 5.0
    private static let alert = "declination"

    private let selection: CompassSource
    /// The names of all sensor sources, by number.
    private let sources: [String]
    private let clocks: SensorClocks
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    private var declination: Declination
    private var located: GeoPoint?
    private var geofence: GeoPoint?
    private var choice = HeadingChoice()
    private var filter = HeadingFilter()
    private var measured = HeadingFilter(step: 1)
    private var sentAt: [Int: Double] = [:]

    package init(
        source: CompassSource,
        declination: DeclinationSetting?,
        sources: [String],
        clocks: SensorClocks,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) {
        self.clocks = clocks
        selection = source
        self.declination = Declination(declination)
        self.sources = sources
        self.send = send
        self.logger = logger
    }

    /// Sends a heading on if its compass is the one in use, and if it has changed or is due.
    ///
    /// - Parameter time: Seconds on the clock of the source.
    package mutating func handle(heading degrees: Double, from north: North, source: Int, at time: Double) {
        guard let rank = rank(of: source), choice.admits(rank: rank, at: clocks.steady()) else {
            return
        }
        let isDue = sentAt[source].map { time - $0 >= Self.refreshInterval || time < $0 } ?? true
        let heading = declination.heading(degrees, from: north)
        if let whole = measured.update(with: heading) ?? (isDue ? measured.degrees : nil) {
            send(.headingMeasured(degrees: Double(whole)))
        }
        guard let rounded = filter.update(with: heading) ?? (isDue ? filter.degrees : nil) else { return }
        sentAt[source] = time
        send(.headingChanged(degrees: Double(rounded)))
    }

    /// The location is that of a GPS receiver, else that of the environment's geofence.
    package mutating func setLocation(_ location: GeoPoint) {
        located = location
        updateDeclination()
    }

    package mutating func enter(_ environment: FlareEnvironment) {
        geofence = environment.geofence?.centre
        updateDeclination()
    }

    private mutating func updateDeclination() {
        guard let place = located ?? geofence else { return }
        let year = WorldMagneticModel.year(secondsSince1970: clocks.wall())
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
            + "machine's clock says \(Int(year)): true headings may be a degree or more off. Set the clock, install a "
            + "newer trilateral, or set sensors.compass.declination to degrees"
        logger.warning("\(message)")
        send(.alertRaised(Self.alert, .warning, message: message))
    }

    /// The precedence of a compass; `nil` if it is not selected.
    private func rank(of source: Int) -> Int? {
        let name = sources.indices.contains(source) ? sources[source] : ""
        let kind: CompassSource
        switch name {
        case IIOCompass.name: kind = .iio
        case GPSDClient.name: kind = .gpsd
        case RawReadings.name: kind = .mqtt
        // A recording replaces all sensors of this machine.
        default: return 0
        }
        guard selection == .auto || selection == kind else { return nil }
        return CompassSource.allCases.firstIndex(of: kind)
    }
}
