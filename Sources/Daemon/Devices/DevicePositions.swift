import Controller
import Flare
import Foundation
import JSON
import Logging
import MQTT
import Positioning
import Receivers
import Sensing
import Sensors
import Settings

/// Reads what receivers report of further devices, and their locations, and sends the controller where they are.
///
/// It runs as long as the daemon; another list changes only what is another.
struct DevicePositions: Sendable {
    /// What of the configuration it follows.
    struct Settings: Sendable, Hashable {
        var list: DeviceList
        /// The first levels of the topics of receivers.
        var receiverTopic: String
        var positioning: TrilateralConfiguration.Positioning
        /// Of the beacons; `nil` for the environment's.
        var beaconUUID: String?
        /// Locations with a larger error are ignored, metres.
        var maximumError: Double

        init(_ plan: NodePlan) {
            let configuration = plan.configuration
            list = plan.devices
            receiverTopic = configuration.espresense.topic
            positioning = configuration.positioning
            beaconUUID = configuration.beacons.uuid?.uuidString
            maximumError = configuration.gps.maximumErrorMetres
        }

        /// Whether any device is heard by receivers; else nothing is prepared for them.
        var isHeard: Bool { list.devices.contains { !$0.heardAs.isEmpty } }
    }

    /// How often what was learnt of receivers is stored, seconds.
    private static let savingInterval = 60.0

    private enum Input: Sendable {
        case settings(Settings)
        case track(ControllerEffect.BeaconPlace?)
        case switched(String, SensorKind, on: Bool)
        case removed(Set<String>)
        case report(MQTTDelivery)
        case location(MQTTDelivery)
        case tick
    }

    private let inputs: AsyncStream<Input>
    private let port: AsyncStream<Input>.Continuation
    private let client: MQTTClient
    private let errors: LearntReceiverErrors
    private let survey: SurveyChannel
    private let receivers: ReceiverMessages
    private let clocks: SensorClocks
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    init(
        _ settings: Settings,
        client: MQTTClient,
        errors: LearntReceiverErrors,
        survey: SurveyChannel,
        receivers: ReceiverMessages,
        clocks: SensorClocks,
        logger: Logger,
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        (self.client, self.receivers, self.errors) = (client, receivers, errors)
        (self.survey, self.clocks) = (survey, clocks)
        (self.send, self.logger) = (send, logger)
        (inputs, port) = AsyncStream.makeStream(of: Input.self)
        use(settings)
    }

    /// Follows another configuration from now on.
    func use(_ settings: Settings) { port.yield(.settings(settings)) }

    /// Follows the place.
    func track(_ place: ControllerEffect.BeaconPlace?) { port.yield(.track(place)) }

    /// Follows the switch of a device's sensor.
    func setSwitch(of node: String, _ sensor: SensorKind, on: Bool) {
        port.yield(.switched(node, sensor, on: on))
    }

    /// Forgets where devices were that somebody has removed.
    func forget(_ nodes: Set<String>) {
        if !nodes.isEmpty { port.yield(.removed(nodes)) }
    }

    private struct Subscriptions {
        var reports: (filter: String?, subscription: MQTTSubscription?) = (nil, nil)
        var locations: (filters: [String], subscription: MQTTSubscription?) = ([], nil)

        func cancel() {
            reports.subscription?.cancel()
            locations.subscription?.cancel()
        }
    }

    /// Runs until the task is cancelled.
    func run() async {
        var estimates: DeviceEstimates?
        var settings: Settings?
        var place: ControllerEffect.BeaconPlace?
        var noGPS: Set<String> = []
        var subscriptions = Subscriptions()
        var isTicking = false
        var warnings: Set<String> = []
        var unplaced: Int?
        var savedAt = clocks.steady()
        func warn(_ text: Logger.Message, _ why: String) {
            guard warnings.count < 100, warnings.insert(why).inserted else { return }
            logger.warning(text, metadata: ["why": "\(why)"])
        }
        func map(_ settings: Settings?) -> BeaconMap? {
            guard let place, settings?.isHeard == true else { return nil }
            var environment = place.environment
            if let uuid = settings?.beaconUUID { environment.data["uuid"] = .string(uuid) }
            return BeaconMap(environment: environment, zones: place.zones, things: place.things)
        }
        await withDiscardingTaskGroup { group in
            for await input in inputs {
                let now = clocks.steady()
                switch input {
                case .settings(let new):
                    let make: @Sendable (BeaconMap) -> any PositionEstimator = {
                        [positioning = new.positioning] in
                        positioning.makeEstimator($0)
                    }
                    if estimates == nil {
                        estimates = DeviceEstimates(
                            cipher: AESBlock.cipher,
                            errors: errors,
                            survey: survey,
                            makeEstimator: make
                        )
                    } else if settings?.positioning != new.positioning {
                        estimates?.makeEstimator = make
                    }
                    estimates?.use(new.list)
                    noGPS = noGPS.filter { new.list[node: $0] != nil }
                    let isElsewhere =
                        settings?.beaconUUID != new.beaconUUID || settings?.isHeard != new.isHeard
                    settings = new
                    if isElsewhere { estimates?.enter(map(new)) }
                    subscribe(new, &subscriptions)
                case .track(let new):
                    // Sent again, for controllers that follow the place only since then.
                    (place, unplaced) = (new, nil)
                    estimates?.enter(map(settings))
                case .switched(let node, .beacons, let on): estimates?.setSwitch(of: node, on: on)
                case .switched(let node, .gps, let on):
                    if on { noGPS.remove(node) } else { noGPS.insert(node) }
                case .switched: break
                case .removed(let nodes):
                    noGPS.subtract(nodes)
                    for node in nodes { estimates?.forget(node) }
                case .report(let delivery):
                    let message = delivery.take()
                    // A retained report may be of any age.
                    guard !message.isRetained, !message.payload.isEmpty, message.oversizeBytes == nil,
                        let topic = settings?.receiverTopic,
                        case .report(let id, let receiver)? = ReceiverTopics(base: topic).message(
                            of: message.topic
                        )
                    else { continue }
                    do throws(ReportError) {
                        let report = try DeviceReport.decode(message.payload, id: id, receiver: receiver)
                            .report
                        receivers.record(reportBy: receiver, problem: nil, at: now)
                        pass(on: estimates?.record(report, at: now) ?? [])
                        let unknown = estimates?.unknownReceivers ?? []
                        if unknown.count != unplaced {
                            unplaced = unknown.count
                            let names = unknown.sorted()
                            for name in names {
                                warn(
                                    "a receiver's reports give no position",
                                    "no thing of this environment has data.receiver: \(name)"
                                )
                            }
                            send(.receiversUnplaced(names))
                        }
                    } catch {
                        receivers.record(reportBy: receiver, problem: error, at: now)
                        warn("a receiver's report is ignored", "\(receiver): \(error)")
                    }
                case .location(let delivery):
                    let message = delivery.take()
                    guard !message.payload.isEmpty, let settings else { continue }
                    switch RawSensor.gps.readings(from: message.payload, at: now) {
                    case .success(let received):
                        for case .location(let point, let accuracy, _) in received.readings
                        where accuracy ?? 0 <= settings.maximumError {
                            for device in settings.list.devices
                            where device.location == message.topic && !noGPS.contains(device.node) {
                                let location = Location(point: point, accuracyMetres: accuracy)
                                send(.node(device.node, .located(location)))
                            }
                        }
                    case .failure(let problem): warn("a device's location is ignored", "\(problem)")
                    }
                case .tick:
                    isTicking = false
                    for node in estimates?.heardNodes ?? [] {
                        pass(on: estimates?.advance(node, to: now) ?? [])
                    }
                    if now - savedAt > Self.savingInterval || now < savedAt {
                        savedAt = now
                        errors.save()
                    }
                }
                if !isTicking, estimates?.isActive == true {
                    isTicking = true
                    let pause = DeviceEstimates.pause(at: clocks.steady())
                    group.addTask { [port] in
                        guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
                        port.yield(.tick)
                    }
                }
            }
            group.cancelAll()
        }
        subscriptions.cancel()
    }

    private func pass(on estimates: [DeviceEstimates.Estimate]) {
        for estimate in estimates { send(.node(estimate.node, estimate.event)) }
    }

    /// Subscribes to what the devices of the list need, and to nothing without devices.
    private func subscribe(_ settings: Settings, _ subscriptions: inout Subscriptions) {
        let filter = settings.isHeard ? "\(settings.receiverTopic)/devices/+/+" : nil
        if filter != subscriptions.reports.filter {
            subscriptions.reports.subscription?.cancel()
            let subscription = filter.map { filter in
                client.subscribe([filter], qos: .atMostOnce) { [port] in port.yield(.report($0)) }
            }
            subscriptions.reports = (filter, subscription)
        }
        let topics = Set(settings.list.devices.compactMap(\.location)).sorted()
        guard topics != subscriptions.locations.filters else { return }
        subscriptions.locations.subscription?.cancel()
        let subscription =
            topics.isEmpty
            ? nil
            : client.subscribe(topics, qos: .atMostOnce) { [port] in port.yield(.location($0)) }
        subscriptions.locations = (topics, subscription)
    }
}
