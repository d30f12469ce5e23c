import Controller
import Foundation
import Logging
import Positioning
package import Sensing
import Sensors
import ServiceLifecycle
package import Settings

/// The sensor pipeline of a node, and a service for each source.
struct NodeSensing: Sendable {
    /// Of ``services`` among those of the capabilities.
    static let name = "sensors"

    let services: [any Service]

    init(
        _ plan: NodePlan,
        _ parts: [CapabilityParts],
        _ recordings: [SensorSource],
        _ context: CapabilityContext,
        _ port: SensorInputs
    ) {
        let (configuration, send, logger) = (plan.configuration, context.send, context.logger)
        let sources = parts.flatMap(\.sources) + recordings
        let names = sources.map(\.name)
        let adapters = parts.compactMap(\.adapterAddress)
        let hearing = parts.compactMap(\.beaconHeard)
        let expecting = parts.compactMap(\.receiversExpected)
        let (inputs, feed) = AsyncStream.makeStream(of: SensorPipeline.Input.self)
        let pipeline = SensorPipeline(
            inputs: inputs,
            beaconUUID: configuration.beacons.uuid?.uuidString,
            positions: PositionPipeline(
                makeEstimator: { configuration.positioning.makeEstimator($0) },
                receivers: ReceiverOffsets(
                    sources: names,
                    adapter: {
                        for adapter in adapters { if let address = adapter() { return address } }
                        return nil
                    },
                    memory: context.store,
                    logger: logger
                ),
                errors: context.receiverErrors,
                clocks: plan.clocks,
                survey: context.survey.channel,
                send: send,
                tracking: { isTracking in for part in parts { part.positionsTracked?(isTracking) } },
                logger: logger
            ),
            headings: HeadingPipeline(
                source: configuration.compass.source,
                declination: configuration.compass.declination,
                sources: names,
                clocks: plan.clocks,
                send: send,
                logger: logger
            ),
            maximumError: configuration.gps.maximumErrorMetres,
            clocks: plan.clocks,
            send: send,
            onSwitch: { sensor, on in for part in parts { part.sensorSwitched?(sensor, on) } },
            onBeacon: { sighting in for hear in hearing { hear(sighting) } },
            onReceivers: { names in for expect in expecting { expect(names) } },
            logger: logger
        )
        port.connect(feed)
        let (survey, settings) = (context.survey, SurveyService.Settings(configuration))
        let running = DaemonService(name: Self.name) {
            await survey.use(settings)
            await withGracefulShutdownHandler {
                await pipeline.run()
            } onGracefulShutdown: {
                feed.finish()
            }
        }
        // The sources stop before it.
        services =
            [running]
            + sources.enumerated().map { index, source in
                Self.service(source, number: index, port: feed, inputs: port, send: send, logger: logger)
            }
    }

    /// Runs a source; the number identifies it in the pipeline.
    private static func service(
        _ source: SensorSource,
        number: Int,
        port: AsyncStream<SensorPipeline.Input>.Continuation,
        inputs: SensorInputs,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) -> DaemonService {
        let (handled, signal) = AsyncStream.makeStream(of: Void.self)
        return DaemonService.untilShutdown(source.name) {
            do throws(SensorError) {
                try await source.run { readings in
                    for reading in readings { port.yield(.reading(reading, source: number)) }
                    guard case .enqueued = port.yield(.handled(signal)) else { return }
                    // Back-pressure for recordings that are played fast.
                    for await _ in handled { break }
                }
            } catch {
                logger.error(
                    "sensor source ended",
                    metadata: ["source": "\(source.name)", "error": "\(error)"]
                )
                // A reload starts the sources again.
                inputs.recordFailure()
                let advice = "correct this and reload the configuration (SIGHUP or request/reload)"
                send(.alertRaised("sensors", .error, message: "\(error); \(advice)"))
            }
        }
    }
}

extension TrilateralConfiguration.Sensors {
    /// The recording that the configuration names, if any.
    package var replays: [ReplaySettings] {
        guard let replayFile else { return [] }
        return [ReplaySettings(file: replayFile, speed: .times(replaySpeed), isLooping: replayLoop)]
    }
}

extension TrilateralConfiguration.Positioning {
    func makeEstimator(_ map: BeaconMap) -> any PositionEstimator {
        switch estimator {
        case .grid: GridEstimator(map: map, settings: grid)
        case .centroid: CentroidEstimator(map: map)
        }
    }
}
