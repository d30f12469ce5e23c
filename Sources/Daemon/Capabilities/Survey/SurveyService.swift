package import Controller
import Flare
package import Logging
package import Positioning
package import Sensing
import ServiceLifecycle
import Things

/// Keeps the survey of the current environment: takes points, stores them, and fits radio maps to them.
///
/// A map is fitted at once when points, place or settings change, off the loop and off this actor; the estimators use the
/// former one until then.
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
package actor SurveyService: Service {
    package struct Settings: Sendable, Hashable {
        package var grid: GridEstimator.Settings
        /// Whether positions are estimated with the grid, which alone can use a survey.
        package var isGrid: Bool
        /// Whether the daemon has a device of its own, which alone hears the points.
        package var hasDevice: Bool

        package init(
            grid: GridEstimator.Settings = GridEstimator.Settings(),
            isGrid: Bool = true,
            hasDevice: Bool = true
        ) {
            (self.grid, self.isGrid, self.hasDevice) = (grid, isGrid, hasDevice)
        }
    }

    /// What it needs from the node.
    package struct Ports: Sendable {
        /// Milliseconds since 1970, UTC.
        let clock: @Sendable () -> Int64
        let pause: @Sendable (Duration) async throws -> Void
        let send: @Sendable (ControllerEvent) -> Void

        /// - Parameter pause: Waits while a point is measured; a test plays what is heard meanwhile.
        package init(
            clock: @escaping @Sendable () -> Int64,
            pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            send: @escaping @Sendable (ControllerEvent) -> Void
        ) {
            (self.clock, self.pause, self.send) = (clock, pause, send)
        }
    }

    /// A point that is being measured.
    struct Running: Sendable {
        let name: String
        let seconds: Int
        var elapsed = 0
        var isEnded = false
    }

    /// More points than these are refused, in one environment.
    package static let mostPoints = 500
    static let alert = "survey"

    package nonisolated let channel = SurveyChannel()
    nonisolated let ports: Ports
    nonisolated let logger: Logger
    let store: StateStore
    private(set) var settings: Settings
    /// The place whose survey this is.
    private(set) var map: BeaconMap?
    private(set) var points: [StoredSurveyPoint] = []
    /// Why the survey does not count, by the receiver.
    private(set) var problems: [String: SurveyError] = [:]
    /// Beacons whose levels were removed, until points are taken again.
    private var removed: [String] = []
    var running: Running?
    var isImporting = false
    /// Counts the fits, so that an older one does not replace a newer one.
    private var fits = 0

    package init(_ store: StateStore, _ settings: Settings, _ ports: Ports, logger: Logger) {
        (self.store, self.settings, self.ports, self.logger) = (store, settings, ports, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
    }

    /// Follows the place and its receivers until the task is cancelled.
    package func follow() async {
        await refresh()
        for await _ in channel.changes {
            if Task.isCancelled { return }
            await refresh()
        }
    }

    /// Follows other settings from now on.
    package func use(_ settings: Settings) async {
        guard settings != self.settings else { return }
        self.settings = settings
        await fit()
    }

    /// Looks at the place and its receivers again.
    package func refresh() async {
        let place = channel.map
        if place != map {
            if place?.environment != map?.environment { removed = [] }
            map = place
            points = []
            load()
        }
        await fit()
    }

    /// Reads the points of the place, without the levels of beacons that were changed.
    private func load() {
        guard let map else { return }
        do throws(StateStoreError) {
            let changed = try store.removeChangedSurveyLevels(in: map)
            points = try store.surveyPoints(of: map)
            guard !changed.isEmpty else { return }
            removed = Array(Set(removed + changed)).sorted()
            logger.warning(
                "survey: beacons have another place or power, and their levels were removed",
                metadata: ["beacons": "\(changed.joined(separator: ", "))"]
            )
        } catch {
            logger.error("survey: \(error)")
        }
    }

    // MARK: Points

    /// The points of a receiver.
    func points(of receiver: String) -> [SurveyPoint] {
        points.map(\.point).filter { $0.receiver == receiver }
    }

    /// Stores points, and fits.
    func add(_ new: [SurveyPoint], in map: BeaconMap) async throws(Refusal) {
        try change { () throws(StateStoreError) in try store.save(new, of: map) }
        removed = []
        await fit()
    }

    /// Removes points, and fits.
    func remove(_ ids: [Int64]) async throws(Refusal) {
        try change { () throws(StateStoreError) in try store.remove(surveyPoints: ids) }
        removed = []
        await fit()
    }

    private func change(_ work: () throws(StateStoreError) -> Void) throws(Refusal) {
        guard let map else { throw Self.noPlace }
        do throws(StateStoreError) {
            try work()
            points = try store.surveyPoints(of: map)
        } catch {
            logger.error("survey: \(error)")
            throw Refusal(.internalError, "the survey cannot be stored: \(error)")
        }
    }

    static let noPlace = Refusal(.unknownEnvironment, "there is no place with beacons to survey")

    // MARK: Fitting

    private struct Outcome: Sendable {
        var fitted: [String: SurveyChannel.Fitted] = [:]
        /// For devices that no survey was made with.
        var others: SurveyChannel.Fitted?
        var problems: [String: SurveyError] = [:]
    }

    private func fit() async {
        fits += 1
        let number = fits
        var outcome = Outcome()
        if let map, settings.isGrid, !points.isEmpty {
            outcome = await Self.fit(points.map(\.point), map, settings.grid, for: channel.receivers)
        }
        guard number == fits else { return }
        problems = outcome.problems
        channel.use(outcome.fitted, others: outcome.others)
        sendAlert()
    }

    /// Fits a map for each receiver; those for which the same points count share it.
    @concurrent private static func fit(
        _ points: [SurveyPoint],
        _ map: BeaconMap,
        _ settings: GridEstimator.Settings,
        for receivers: [String]
    ) async -> Outcome {
        var outcome = Outcome()
        var known: [String?: Result<RadioMap, SurveyError>] = [:]
        for receiver in receivers.map(String?.some) + [nil] {
            let counting = points.counting(for: receiver)
            guard let first = counting.first else { continue }
            let result = known[first.receiver] ?? radioMap(counting, map, settings)
            known[first.receiver] = result
            switch (receiver, result) {
            case (let receiver, .success(let radio)):
                let takenAt = counting.compactMap(\.takenAt).max()
                let fitted = SurveyChannel.Fitted(map: radio, takenAt: takenAt)
                if let receiver { outcome.fitted[receiver] = fitted } else { outcome.others = fitted }
            case (let receiver?, .failure(let error)): outcome.problems[receiver] = error
            case (nil, .failure): break
            }
        }
        return outcome
    }

    private static func radioMap(
        _ points: [SurveyPoint],
        _ map: BeaconMap,
        _ settings: GridEstimator.Settings
    ) -> Result<RadioMap, SurveyError> {
        do throws(SurveyError) {
            return .success(try RadioMap(survey: points, map: map, settings: settings))
        } catch {
            return .failure(error)
        }
    }

    /// How well a survey fits the plan and itself.
    @concurrent static func judge(
        _ points: [SurveyPoint],
        _ map: BeaconMap,
        _ settings: GridEstimator.Settings
    ) async -> (error: SurveyError?, findings: [SurveyCheck.Finding]) {
        var error: SurveyError?
        if case .failure(let found) = radioMap(points, map, settings) { error = found }
        return (error, SurveyCheck(survey: points, map: map, settings: settings).findings)
    }

    private func sendAlert() {
        var sentences: [String] = []
        if !removed.isEmpty {
            let names = removed.prefix(5).joined(separator: ", ")
            sentences.append(
                "\(names) \(removed.count == 1 ? "has" : "have") another place or power than in the survey: "
                    + "survey again"
            )
        }
        for case .elsewhere(let percent) in Set(problems.values) {
            sentences.append("The survey is not used: \(SurveyError.elsewhere(percent: percent))")
        }
        let problem = sentences.joined(separator: "; ")
        ports.send(.alert(Self.alert, .warning, sentences.isEmpty ? nil : problem))
    }
}
