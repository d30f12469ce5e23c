package import Positioning
import Threading

/// What the estimators and the survey of a place share: what is heard while a point is measured, and the radio maps.
///
/// The estimators neither wait for a fit nor know who makes it. May be used from any thread.
package final class SurveyChannel: Sendable {
    /// A radio map that was fitted to a survey.
    package struct Fitted: Sendable {
        package let map: RadioMap
        /// When its newest point was taken, milliseconds since 1970 UTC; `nil` if that is not known.
        package let takenAt: Int64?

        package init(map: RadioMap, takenAt: Int64?) {
            self.map = map
            self.takenAt = takenAt
        }
    }

    /// What an estimator uses.
    package struct Adopted: Sendable {
        let receiver: String
        fileprivate let number: Int
        package let radio: Fitted?
    }

    /// More receivers than this use the plain model.
    private static let mostReceivers = 64

    private struct State {
        var map: BeaconMap?
        var receivers: Set<String> = []
        var fitted: [String: Fitted] = [:]
        var others: Fitted?
        /// Counts the changes of `fitted`.
        var number = 0
        /// By the receiver; `nil` while no point is measured.
        var measurements: [String: SurveyMeasurement]?
    }

    private let state = Locked(State())
    private let wake: AsyncStream<Void>.Continuation
    /// Says that the place or the receivers are others; one reader.
    package let changes: AsyncStream<Void>

    package init() {
        (changes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Estimators

    func enter(_ map: BeaconMap?) {
        let isNew = state.withLock { state in
            guard state.map != map else { return false }
            state.map = map
            // They are of the place before; a reload enters the same place again.
            state.measurements = nil
            return true
        }
        if isNew { wake.yield() }
    }

    /// What a receiver's estimator is to use; `nil` if it does so already.
    func adopt(for receiver: String, after last: Adopted?) -> Adopted? {
        let (found, isNew) = state.withLock { state -> (Adopted?, Bool) in
            if let last, last.number == state.number, last.receiver == receiver { return (nil, false) }
            let isNew =
                state.receivers.count < Self.mostReceivers && state.receivers.insert(receiver).inserted
            return (
                Adopted(receiver: receiver, number: state.number, radio: state.fitted[receiver]), isNew
            )
        }
        if isNew { wake.yield() }
        return found
    }

    /// The same for devices that no survey was made with; what theirs is called is never listed.
    package func adoptForOthers(after last: Adopted?) -> Adopted? {
        state.withLock { state in
            guard last?.number != state.number else { return nil }
            return Adopted(receiver: "", number: state.number, radio: state.others)
        }
    }

    var isMeasuring: Bool { state.withLock { $0.measurements != nil } }

    func record(_ sighting: BeaconSighting, of receiver: String) {
        state.withLock { state in
            guard let map = state.map, state.measurements != nil else { return }
            state.measurements?[receiver, default: SurveyMeasurement(map: map)].record(sighting)
        }
    }

    // MARK: The survey

    package var map: BeaconMap? { state.withLock { $0.map } }

    /// The receivers that have heard anything, sorted.
    package var receivers: [String] { state.withLock { $0.receivers }.sorted() }

    /// Has the estimators use other radio maps, by the receiver.
    ///
    /// - Parameter others: That for devices that no survey was made with.
    package func use(_ fitted: [String: Fitted], others: Fitted? = nil) {
        state.withLock { state in
            state.fitted = fitted
            state.others = others
            state.number += 1
        }
    }

    /// Records what is heard from now on.
    package func beginMeasurement() { state.withLock { $0.measurements = [:] } }

    /// The receiver that has heard most since then, and what it has heard; `nil` if none has heard anything.
    package var measurement: (receiver: String, heard: SurveyMeasurement)? {
        state.withLock { $0.measurements }?
            .max { ($0.value.packets, $1.key) < ($1.value.packets, $0.key) }
            .map { (receiver: $0.key, heard: $0.value) }
    }

    package func endMeasurement() { state.withLock { $0.measurements = nil } }
}
